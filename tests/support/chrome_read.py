# SPDX-License-Identifier: BSD-2-Clause
"""Reading a trace in Chrome's JSON, strictly: what each kind of event must have, what has
to nest, and that no reader loses a digit of a number or half of an arrow."""
import collections
import decimal
import gzip
import re

from strict import read_json
from timeline_view import View, koid

# By phase, the members beside those of all events, and those that may be there, too.
COMMON = {"ph", "pid", "tid", "ts", "name", "cat"}
PHASES = {
    "X": ({"dur"}, {"args"}), "i": ({"s"}, {"args"}), "b": ({"id"}, {"args"}),
    "n": ({"id"}, {"args"}), "e": ({"id"}, set()), "C": ({"args"}, {"id"}),
    "s": ({"id", "bp"}, set()), "t": ({"id", "bp"}, set()), "f": ({"id", "bp"}, set()),
}
METADATA = {"process_name": "name", "process_sort_index": "sort_index",
            "thread_name": "name", "thread_sort_index": "sort_index"}
OTHERS = {"generator", "start_clock_ns", "start_unix_ns", "period_ns"}
HEX = re.compile("0x(0|[1-9a-f][0-9a-f]{0,15})")


def load(data):
    """The document in these bytes, with its decimals as they are."""
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    assert data.startswith(b'{"traceEvents":['), data[:40]
    document = read_json(data.decode("utf-8"), parse_float=decimal.Decimal)
    check(document)
    return document


def nanoseconds(value):
    """Of a number of microseconds; what a reader makes of it that takes it for a double is
    the same."""
    assert type(value) in (int, decimal.Decimal) and value >= 0, value
    ns = value * 1000
    assert ns == int(ns), value
    assert ns > 2**50 or round(float(value) * 1000) == ns, value
    return int(ns)


def is_exact(value):
    return type(value) is not int or abs(value) <= 2**53


def check_event(event, threads):
    phase = event["ph"]
    must, may = PHASES[phase]
    assert COMMON | must <= set(event) <= COMMON | must | may, event
    assert (event["pid"], event["tid"]) in threads, event
    nanoseconds(event["ts"])
    for key in "name", "cat":
        event[key].encode("utf-8")
    if "id" in event:
        assert HEX.fullmatch(event["id"]), event
    assert event.get("s", "t") == "t" and event.get("bp", "e") == "e", event
    for value in event.get("args", {}).values():
        assert phase == "C" or is_exact(value), event
        assert phase != "C" or type(value) in (int, decimal.Decimal), event


def check_metadata(event, pids, tids):
    assert set(event) == {"ph", "pid", "tid", "ts", "name", "args"} and event["ts"] == 0
    value, = event["args"].values()
    assert set(event["args"]) == {METADATA[event["name"]]}, event
    assert type(value) is (str if event["name"].endswith("_name") else int), event
    for number in event["pid"], event["tid"]:
        assert type(number) is int and 0 <= number < 2**31, event
    if event["name"] == "process_name":
        assert event["pid"] not in pids, event
        pids.add(event["pid"])
    elif event["name"] == "thread_name":
        # Readers that know threads by their id only do not mix them up.
        assert event["pid"] in pids and event["tid"] not in {tid for _, tid in tids}, event
        tids.add((event["pid"], event["tid"]))


def in_order(document):
    """All but metadata, as readers sort them."""
    return sorted((event for event in document["traceEvents"] if event["ph"] != "M"),
                  key=lambda event: event["ts"])


def check_nesting(events):
    """Complete events of a thread nest; each arrow is at the begin of one."""
    open_until = collections.defaultdict(list)
    before = None
    for event in events:
        stack = open_until[event["pid"], event["tid"]]
        if event["ph"] == "X":
            while stack and stack[-1] <= event["ts"]:
                stack.pop()
            end = event["ts"] + event["dur"]
            nanoseconds(event["dur"])
            assert not stack or end <= stack[-1], event
            stack.append(end)
        elif event["ph"] in "stf":
            assert before["ph"] == "X" and before["dur"] == 0, ("no slice is around", event)
            assert all(before[key] == event[key] for key in COMMON - {"ph"}), event
        before = event


def pair(events):
    """Each begin of an asynchronous slice with its end, and its depth."""
    open_slices = collections.defaultdict(list)
    for event in events:
        if event["ph"] not in "be":
            continue
        stack = open_slices[event["cat"], event["id"]]
        if event["ph"] == "b":
            stack.append(event)
            continue
        begin = stack.pop()
        assert begin["name"] == event["name"] and begin["pid"] == event["pid"], event
        yield begin, event["ts"], len(stack)
    assert not any(open_slices.values()), "begins without ends"


def check_samples(document, threads):
    frames = document["stackFrames"]
    used = set()
    for i, (key, frame) in enumerate(frames.items()):
        assert key == str(i) and {"name", "category"} <= set(frame), frame
        assert set(frame) <= {"name", "category", "file", "line", "parent"}, frame
        assert frame.get("line", 1) > 0
        if "parent" in frame:
            assert 0 <= frame["parent"] < i, frame
            used.add(frame["parent"])
    times = []
    for sample in document["samples"]:
        must = {"pid", "tid", "ts", "name", "sf", "weight"}
        assert must <= set(sample) <= must | {"cpu"}, sample
        assert (sample["pid"], sample["tid"]) in threads, sample
        assert str(sample["sf"]) in frames and type(sample["weight"]) is int
        used.add(sample["sf"])
        times.append(nanoseconds(sample["ts"]))
    assert used == {int(key) for key in frames}, "frames of no sample"
    # Those of spans and of waits are not in the order of time.
    assert times == sorted(times) or any(s["weight"] != 1 for s in document["samples"])


def check(document):
    has_samples = "samples" in document
    assert list(document) == ["traceEvents", *(["stackFrames", "samples"] if has_samples else []),
                              "displayTimeUnit", "otherData"], list(document)
    assert document["displayTimeUnit"] == "ns"
    for key, value in document["otherData"].items():
        assert type(value) is str and (key in OTHERS or key.startswith("note ")), key
    pids, threads = set(), set()
    for event in document["traceEvents"]:
        if event["ph"] == "M":
            check_metadata(event, pids, threads)
        else:
            check_event(event, threads)
    events = in_order(document)
    check_nesting(events)
    list(pair(events))
    if has_samples:
        check_samples(document, threads)


# ---- what it says ----


def name_threads(document, view):
    """By the ids that viewers get, those of View."""
    names, threads = {}, {}
    for event in document["traceEvents"]:
        if event["ph"] == "M" and event["name"] == "process_name":
            names[event["pid"]] = event["args"]["name"]
        elif event["ph"] == "M" and event["name"] == "thread_name":
            process, name = names[event["pid"]], event["args"]["name"]
            thread = koid(event["pid"], process), koid(event["tid"], name)
            threads[event["pid"], event["tid"]] = thread
            view.names[thread] = process, name
            view.shown[thread] = event["pid"], event["tid"]
    return threads


def stack_names(document):
    """By the number of a frame, the functions from the root to it."""
    stacks = []
    for frame in document.get("stackFrames", {}).values():
        stacks.append((*(stacks[frame["parent"]] if "parent" in frame else ()), frame["name"]))
    return stacks


def own_slices(events):
    """Complete events without those that are there to have an arrow."""
    for event, following in zip(events, [*events[1:], {"ph": "M"}]):
        if event["ph"] == "X" and following["ph"] not in "stf":
            yield event


def view(document):
    found = View()
    threads = name_threads(document, found)

    def of(event):
        return threads[event["pid"], event["tid"]]
    stacks = stack_names(document)
    for sample in document.get("samples", []):
        found.samples.append((nanoseconds(sample["ts"]), of(sample),
                              stacks[sample["sf"]], sample["weight"]))
    events = in_order(document)
    for event in own_slices(events):
        found.spans.append((of(event), nanoseconds(event["ts"]),
                            nanoseconds(event["ts"] + event["dur"]), event["name"]))
    for begin, end, _ in pair(events):
        row = (nanoseconds(begin["ts"]), nanoseconds(end), begin["name"])
        if "id" in begin.get("args", {}) and begin["ts"] < end:
            found.asyncs.append((of(begin)[0], begin["args"]["id"], *row))
        elif "id" not in begin.get("args", {}):
            found.spans.append((of(begin), *row))
    for event in events:
        time = nanoseconds(event["ts"])
        if event["ph"] == "i":
            found.instants.append((of(event), time, event["name"]))
        elif event["ph"] in "stf":
            found.flows.append((of(event), time, int(event["id"], 16), event["ph"] == "f"))
            found.flow_keys.append((event["id"], event["cat"], event["name"]))
        elif event["ph"] == "C":
            ident = " [%d]" % int(event["id"], 16) if "id" in event else ""
            for name, value in event["args"].items():
                found.counters[of(event)[0], event["name"] + ":" * bool(name) + name +
                               ident].append((time, float(value)))
    return found
