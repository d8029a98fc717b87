# SPDX-License-Identifier: BSD-2-Clause
"""Reading a profile for Firefox Profiler (its processed format, version 63), strictly:
everything that its reader, or Perfetto's, insists on or silently gets wrong."""
import collections
import gzip

from strict import read_json
from timeline_view import View, koid

COLORS = {"transparent", "purple", "green", "orange", "yellow", "lightblue", "blue", "brown",
          "magenta", "red", "lightred", "darkgrey", "grey"}
GRAPH_COLORS = {"blue", "green", "grey", "ink", "magenta", "orange", "purple", "red", "teal",
                "yellow"}
FORMATS = {"string", "flow-id", "terminating-flow-id"}
PLACES = {"marker-chart", "marker-table", "timeline-overview"}
META = {"version", "preprocessedProfileVersion", "interval", "startTime", "product",
        "importedFrom", "processType", "stackwalk", "debug", "symbolicated",
        "usesOnlyOneStackType", "sourceCodeIsNotOnSearchfox", "keepProfileThreadOrder",
        "initialSelectedThreads", "initialVisibleThreads", "extra", "categories",
        "markerSchema"}
THREAD = {"name", "processName", "pid", "tid", "processType", "processStartupTime",
          "processShutdownTime", "registerTime", "unregisterTime", "pausedRanges",
          "showMarkersInTimeline", "isMainThread", "samples", "markers"}
TABLES = {
    "stackTable": {"frame", "prefix"},
    "frameTable": {"address", "inlineDepth", "category", "subcategory", "func",
                   "nativeSymbol", "innerWindowID", "line", "column"},
    "funcTable": {"name", "isJS", "relevantForJS", "resource", "source", "lineNumber",
                  "columnNumber"},
    "resourceTable": {"lib", "name", "host", "type"},
    "nativeSymbols": {"libIndex", "address", "name", "functionSize"},
    "sources": {"id", "filename", "startLine", "startColumn", "sourceMapURL"},
}
MARKERS = {"data", "name", "startTime", "endTime", "phase", "category"}


def whole(value, below=2**53, least=0):
    assert type(value) is int and least <= value < below, (value, least, below)
    return value


def number(value):
    assert type(value) in (int, float) and value - value == 0, value
    return value


def text(value):
    assert type(value) is str, value
    value.encode("utf-8")
    return value


def load(data):
    """The profile in these bytes."""
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    assert data.startswith(b'{"meta":{'), data[:40]
    profile = read_json(data.decode("utf-8"))
    check(profile)
    return profile


# ---- what it must be ----


def check_columns(table, names, others=()):
    length = whole(table["length"])
    assert set(table) == {"length", *names, *others}, set(table)
    for name in names:
        assert type(table[name]) is list and len(table[name]) == length, (name, length)
    return length


def check_meta(meta, n_threads):
    assert META <= set(meta) <= META | {"sampleUnits"}, set(meta) ^ META
    assert meta["preprocessedProfileVersion"] == 63
    number(meta["startTime"])
    assert number(meta["interval"]) > 0
    assert meta["symbolicated"] is True and meta["usesOnlyOneStackType"] is True
    assert meta["sourceCodeIsNotOnSearchfox"] is True
    if "sampleUnits" in meta:
        assert meta["sampleUnits"] == {"time": "ms", "eventDelay": "ms",
                                       "threadCPUDelta": "ns"}
    for key in "initialVisibleThreads", "initialSelectedThreads":
        assert meta[key], key
        assert meta[key] == sorted(set(meta[key]))
        for thread in meta[key]:
            whole(thread, n_threads)
    assert set(meta["initialSelectedThreads"]) <= set(meta["initialVisibleThreads"])
    for category in meta["categories"]:
        assert set(category) == {"name", "color", "subcategories"}
        assert category["color"] in COLORS and category["subcategories"][0] == "Other"
        # Its samples would be left out of all sums.
        assert category["name"] != "Idle"
    assert any(c["color"] == "grey" for c in meta["categories"])
    for part in meta["extra"]:
        text(part["label"])
        for entry in part["entries"]:
            assert set(entry) == {"label", "format", "value"}, entry
            assert entry["format"] == "string"
            text(entry["value"])


def check_schemas(schemas):
    names = [schema["name"] for schema in schemas]
    assert len(names) == len(set(names)), names
    for schema in schemas:
        assert set(schema["display"]) <= PLACES and type(schema["isStackBased"]) is bool
        keys = [field["key"] for field in schema["fields"]]
        assert len(keys) == len(set(keys)) and "type" not in keys, keys
        for field in schema["fields"]:
            assert set(field) == {"key", "label", "format"} and field["format"] in FORMATS
            text(field["label"])


def check_libs(libs):
    for lib in libs:
        assert set(lib) == {"arch", "name", "path", "debugName", "debugPath", "breakpadId",
                            "codeId"}, lib
        assert len(lib["breakpadId"]) == 33, lib
        assert set(lib["breakpadId"]) <= set("0123456789ABCDEF"), lib
        assert lib["codeId"] is None or text(lib["codeId"])
        assert (lib["codeId"] is None) == (lib["breakpadId"] == "0" * 33) or \
            lib["codeId"].strip("0") == ""
    assert len({(lib["path"], lib["codeId"]) for lib in libs}) == len(libs)


def check_shared(shared, categories, n_libs):
    assert set(shared) == {"stringArray", *TABLES}
    strings = shared["stringArray"]
    for string in strings:
        text(string)
    n = {name: check_columns(shared[name], columns) for name, columns in TABLES.items()}
    stacks, frames, funcs = (shared[t] for t in ("stackTable", "frameTable", "funcTable"))
    for i in range(n["stackTable"]):
        whole(stacks["frame"][i], n["frameTable"])
        if stacks["prefix"][i] is not None:
            whole(stacks["prefix"][i], i)
    assert len(set(zip(stacks["frame"], stacks["prefix"]))) == n["stackTable"]
    for i in range(n["frameTable"]):
        func = whole(frames["func"][i], n["funcTable"])
        address = whole(frames["address"][i], 2**32 - 1, -1)
        category = categories[whole(frames["category"][i], len(categories))]
        whole(frames["subcategory"][i], len(category["subcategories"]))
        whole(frames["inlineDepth"][i])
        assert frames["nativeSymbol"][i] is None and frames["innerWindowID"][i] == 0
        assert address == -1 or funcs["resource"][func] >= 0
        if frames["line"][i] is not None:
            whole(frames["line"][i], least=1)
    for i in range(n["funcTable"]):
        whole(funcs["name"][i], len(strings))
        whole(funcs["resource"][i], n["resourceTable"], -1)
        if funcs["source"][i] is not None:
            whole(funcs["source"][i], n["sources"])
        if funcs["lineNumber"][i] is not None:
            whole(funcs["lineNumber"][i], least=1)
        assert funcs["isJS"][i] is False and funcs["relevantForJS"][i] is False
    for i in range(n["resourceTable"]):
        whole(shared["resourceTable"]["lib"][i], n_libs)
        whole(shared["resourceTable"]["name"][i], len(strings))
        assert shared["resourceTable"]["type"][i] == 1
    for i in range(n["sources"]):
        whole(shared["sources"]["filename"][i], len(strings))
        assert shared["sources"]["startLine"][i] == 1


def check_samples(samples, n_stacks, has_cpu_use):
    names = {"stack", "time"} | ({"threadCPUDelta"} if "threadCPUDelta" in samples else set())
    if samples["weight"] is not None:
        names.add("weight")
    n = check_columns(samples, names, {"weightType", "weight"} - names)
    assert samples["weightType"] in ("samples", "tracing-ms")
    for i in range(n):
        whole(samples["stack"][i], n_stacks)
        assert number(samples["time"][i]) >= 0
        assert i == 0 or samples["time"][i - 1] <= samples["time"][i], "times are not sorted"
        if samples["weight"] is not None:
            number(samples["weight"][i])
    if "threadCPUDelta" in samples:
        # Firefox Profiler never ends on an empty one.
        assert has_cpu_use and samples["threadCPUDelta"][:1] == [None]
        for delta in samples["threadCPUDelta"][1:]:
            whole(delta)


def check_markers(markers, schemas, n_strings, n_categories):
    for i in range(check_columns(markers, MARKERS)):
        whole(markers["name"][i], n_strings)
        whole(markers["category"][i], n_categories)
        phase, start, end = (markers[k][i] for k in ("phase", "startTime", "endTime"))
        # No null, which Perfetto skips, so that later ends move to earlier markers.
        assert number(start) >= 0 and number(end) >= start
        assert phase == 1 or (phase == 0 and start == end), phase
        data = markers["data"][i]
        formats = {f["key"]: f["format"] for f in schemas[data["type"]]["fields"]}
        for key, value in data.items():
            if key == "type":
                continue
            if formats[key] == "string":
                text(value)
            else:
                whole(value, n_strings)


def check_threads(profile):
    meta, shared = profile["meta"], profile["shared"]
    schemas = {schema["name"]: schema for schema in meta["markerSchema"]}
    assert profile["threads"], "the reader refuses a profile without threads"
    seen, mains = set(), collections.Counter()
    for thread in profile["threads"]:
        assert set(thread) == THREAD, set(thread) ^ THREAD
        text(thread["name"])
        text(thread["processName"])
        assert thread["pid"] == str(whole(int(text(thread["pid"])), 2**31))
        assert whole(thread["tid"], 2**31) not in seen, thread["tid"]
        seen.add(thread["tid"])
        mains[thread["pid"]] += thread["isMainThread"]
        assert thread["registerTime"] == 0 and thread["unregisterTime"] is None
        assert thread["showMarkersInTimeline"] is True and thread["pausedRanges"] == []
        check_samples(thread["samples"], shared["stackTable"]["length"],
                      "sampleUnits" in meta)
        check_markers(thread["markers"], schemas, len(shared["stringArray"]),
                      len(meta["categories"]))
    assert set(mains.values()) == {1}, mains


def check_counters(profile):
    for counter in profile["counters"]:
        assert set(counter) == {"name", "category", "description", "pid", "mainThreadIndex",
                                "samples", "display"}, counter
        main = profile["threads"][whole(counter["mainThreadIndex"], len(profile["threads"]))]
        assert main["isMainThread"] and main["pid"] == counter["pid"]
        samples = counter["samples"]
        n = check_columns(samples, {"time", "count"})
        assert n > 0 and samples["time"] == sorted(samples["time"])
        for value in samples["count"]:
            number(value)
        display = counter["display"]
        assert display["graphType"] == "line-accumulated" and display["color"] in GRAPH_COLORS
        assert display["markerSchemaLocation"] is None and display["tooltipRows"]
        text(display["label"])


def check(profile):
    assert list(profile) == ["meta", "libs", "shared", "threads", "counters", "pages",
                             "profilerOverhead"], list(profile)
    meta = profile["meta"]
    check_meta(meta, len(profile["threads"]))
    check_schemas(meta["markerSchema"])
    check_libs(profile["libs"])
    check_shared(profile["shared"], meta["categories"], len(profile["libs"]))
    check_threads(profile)
    check_counters(profile)


# ---- what it says ----


def stack_names(profile):
    """By the number of a stack, its functions, root first."""
    shared = profile["shared"]
    frames, funcs, strings = (shared[t] for t in ("frameTable", "funcTable", "stringArray"))
    stacks = []
    for frame, prefix in zip(shared["stackTable"]["frame"], shared["stackTable"]["prefix"]):
        name = strings[funcs["name"][frames["func"][frame]]]
        stacks.append((*(stacks[prefix] if prefix is not None else ()), name))
    return stacks


def samples(profile, thread):
    """(time in ms, functions root first, weight)"""
    stacks, rows = stack_names(profile), thread["samples"]
    weights = rows["weight"] or [1] * rows["length"]
    return [(time, stacks[stack], weight)
            for time, stack, weight in zip(rows["time"], rows["stack"], weights)]


def markers(profile, thread):
    """(name, start in ms, end in ms, data)"""
    table, strings = thread["markers"], profile["shared"]["stringArray"]
    return [(strings[name], start, end, data) for name, start, end, data in
            zip(table["name"], table["startTime"], table["endTime"], table["data"])]


def view(profile):
    """What all timelines say."""
    found = View()

    def ns(ms):
        return round(ms * 10**6)
    for thread in profile["threads"]:
        of = (koid(thread["pid"], thread["processName"]), koid(thread["tid"], thread["name"]))
        found.names[of] = thread["processName"], thread["name"]
        found.shown[of] = int(thread["pid"]), thread["tid"]
        scale = 10**6 if thread["samples"]["weightType"] == "tracing-ms" else 1
        found.samples += [(ns(time), of, stack, round(weight * scale))
                          for time, stack, weight in samples(profile, thread)]
        for name, start, end, data in markers(profile, thread):
            if data["type"] == "async" and start != end:
                found.asyncs.append((of[0], data["id"], ns(start), ns(end), name))
            elif data["type"] in ("span", "off_cpu", "drops"):
                found.spans.append((of, ns(start), ns(end), name))
            elif data["type"] in ("flow", "flow_end"):
                found.flows.append((of, ns(start), int(data["id"], 16),
                                    data["type"] == "flow_end"))
                found.flow_keys.append(profile["shared"]["stringArray"][data["flow"]])
            elif data["type"] != "async":
                found.instants.append((of, ns(start), data.get("message", "")
                                       if data["type"] == "log" else name))
    for counter in profile["counters"]:
        main = profile["threads"][counter["mainThreadIndex"]]
        rows = found.counters[koid(main["pid"], main["processName"]), counter["name"]]
        value = 0
        for time, change in zip(counter["samples"]["time"], counter["samples"]["count"]):
            value += change
            rows.append((ns(time), value))
    return found
