# SPDX-License-Identifier: BSD-2-Clause
"""A second reader of the data in fxtreport's pages for browsers, and a strict one: every
number must refer to something, and nothing else is in the page's data."""
import base64
import collections
import gzip
import html
import re
import struct

from strict import read_json, varint

TABLES = ["function.name", "function.module", "function.file", "function.line",
          "function.kind", "frame.function", "frame.file", "frame.line", "frame.inlined",
          "node.frame", "node.parent"]
SAMPLES = ["node", "lane", "cpu", "count", "value"]
DROPS = ["drops.time", "drops.duration"]
POINTS = ["point.number", "point.time", "point.live.count", "point.blocks.count",
          "point.allocated.count", "point.shown"]
ROWS = ["row.time", "row.sample"]
EVENT_TABLES = ["label.name", "label.category", "thread.lane", "thread.slices", "thread.marks",
                "thread.flows", "thread.waits", "cpu.number", "cpu.runs", "series.label", "series.lane", "series.arg",
                "series.id", "series.values"]
# The columns of each group of events, and which of a thread's or series' it is.
GROUPS = {"slice": ["time", "duration", "label", "args", "unfinished"],
          "async": ["time", "duration", "label", "args", "unfinished", "lane"],
          "mark": ["time", "label", "args", "kind"],
          "flow": ["time", "label", "args", "kind", "number"],
          "wait": ["time", "duration", "kind", "cpu", "waker"],
          "run": ["time", "duration", "thread"],
          "value": ["time", "high", "low"],
          "arg": ["name", "kind", "value"]}
PARTS = {"slice": "thread.slices", "mark": "thread.marks", "flow": "thread.flows",
         "wait": "thread.waits", "run": "cpu.runs", "value": "series.values"}
WITH_ARGS = ["slice", "async", "mark", "flow"]
EVENT_ROWS = [group + "." + name for group, names in GROUPS.items() for name in names]
FACTS = {"title", "version", "method", "kind", "names", "type", "unit", "other_events",
         "period_ns", "recorded_ns", "duration_ns", "start_ns", "notes",
         "losses", "lanes", "strings", "columns", "rows"}
BLOCK = 64
KERNEL, UNNAMED, CUT, JIT = 1, 2, 4, 8


def signed(value):
    return value // 2 if value % 2 == 0 else -(value + 1) // 2


def block(data, at):
    """The numbers of a block of rows, and where the next one is."""
    width, end = data[at], at + 1 + BLOCK // 8 * data[at]
    bits = int.from_bytes(data[at + 1:end], "little")
    numbers = [bits >> width * i & (1 << width) - 1 for i in range(BLOCK)]
    assert end <= len(data) and max(numbers).bit_length() == width <= 64, width
    return numbers, end


class Page:
    """facts, columns; lanes: (process, thread) of each; stacks: the functions of each node,
    root first."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        # What names may not do: only the page itself has elements.
        self.title = html.unescape(re.search("<title>([^<]*)</title>", self.text)[1])
        assert self.text.count("<script") == 3 and self.text.count("</script") == 3
        data = gzip.decompress(self.element("application/gzip", "data"))
        size = int.from_bytes(data[:4], "little")
        self.facts = read_json(data[4:4 + size].decode("utf-8"))
        self.columns, at = {}, 4 + size
        for name, length in self.facts["columns"]:
            column = []
            for _ in range(length):
                value, at = varint(data, at)
                column.append(signed(value) if name.endswith(".value") else value)
            assert name not in self.columns, name
            self.columns[name] = column
        assert at == len(data), "bytes that are in no column"
        self.read_rows(self.element("application/octet-stream", "rows"))
        self.check()
        self.stacks = self.make_stacks()

    def element(self, kind, name):
        found = re.findall(f'<script type="{kind}" id="{name}">([A-Za-z0-9+/=]*)</script>',
                           self.text)
        assert len(found) == 1, len(found)
        return base64.b64decode(found[0], validate=True)

    def read_rows(self, data):
        at = 0
        for name, length in self.facts["rows"]:
            column = []
            while len(column) < length:
                numbers, at = block(data, at)
                column += numbers
            assert not any(column[length:]), "no row has these numbers"
            assert name in ROWS + EVENT_ROWS and name not in self.columns, name
            self.columns[name] = column[:length]
        assert at == len(data), "bytes that are in no row"

    def check(self):
        c, facts = self.columns, self.facts
        optional = {"sources", "before_lanes", "before_duration_ns"}
        assert FACTS <= set(facts) <= FACTS | optional, set(facts) ^ FACTS
        names = TABLES + ["sample." + name for name in SAMPLES]
        if "before_lanes" in facts:
            names += ["before." + name for name in SAMPLES]
        assert set(names) <= set(c) <= set(names + DROPS + POINTS + ROWS + EVENT_TABLES + EVENT_ROWS), set(c) ^ set(names)
        if "point.number" in c:
            assert len({len(c[name]) for name in POINTS}) == 1 and set(c["point.shown"]) <= {0, 1}
        n_strings = len(facts["strings"])
        assert len(set(facts["strings"])) == n_strings
        for name in "function.name", "function.module", "function.file", "frame.file":
            assert all(value < n_strings for value in c[name]), name
        for name, of in (("frame.function", "function.name"), ("node.frame", "frame.file")):
            assert all(value < len(c[of]) for value in c[name]), name
        assert all(parent <= i for i, parent in enumerate(c["node.parent"]))
        assert set(c["frame.inlined"]) <= {0, 1} and all(kind < 16 for kind in c["function.kind"])
        self.check_unique()
        for side, lanes in (("sample", facts["lanes"]), ("before", facts.get("before_lanes"))):
            if lanes is not None:
                assert all(node <= len(c["node.frame"]) for node in c[side + ".node"])
                assert all(lane < len(lanes) for lane in c[side + ".lane"])
                assert len({len(c[side + "." + name]) for name in SAMPLES}) == 1
        rows = c.get("row.sample", range(len(c["sample.node"])))
        assert "row.time" not in c or len(c["row.time"]) == len(rows)
        assert all(row < len(c["sample.node"]) for row in rows)
        if "row.sample" in c:
            assert collections.Counter(rows) == collections.Counter(
                {i: n for i, n in enumerate(c["sample.count"]) if n > 0})

        self.check_events()

    def check_events(self):
        c, strings, lanes = self.columns, len(self.facts["strings"]), len(self.facts["lanes"])
        n = {group: len(c.get(group + ".time", [])) for group in GROUPS}
        n["arg"] = sum(sum(c.get(group + ".args", [])) for group in WITH_ARGS)
        for group, names in GROUPS.items():
            assert all(len(c.get(f"{group}.{name}", [])) == n[group] for name in names), group
        for group, of in PARTS.items():
            assert sum(c.get(of, [])) == n[group], group
        limits = {"label.name": strings, "label.category": strings, "thread.lane": lanes,
                  "series.label": len(c.get("label.name", [])), "series.lane": lanes,
                  "series.arg": strings, "series.id": strings, "async.lane": lanes,
                  "mark.kind": 3, "flow.kind": 3, "flow.number": n["flow"], "wait.kind": 3,
                  "wait.waker": strings + 1, "run.thread": len(c.get("thread.lane", [])), "arg.name": strings, "arg.kind": 3}
        limits.update({group + ".label": len(c.get("label.name", [])) for group in WITH_ARGS})
        for name, limit in limits.items():
            assert all(number < limit for number in c.get(name, [])), name
        assert all(value < strings for kind, value in
                   zip(c.get("arg.kind", []), c.get("arg.value", [])) if kind == 0)
        labels = list(zip(c.get("label.name", []), c.get("label.category", [])))
        assert len(set(labels)) == len(labels)

    def check_unique(self):
        """Tables have no two rows that are the same."""
        c = self.columns
        for names in (["function.name", "function.module", "function.kind"],
                      ["frame.function", "frame.file", "frame.line", "frame.inlined"]):
            rows = list(zip(*(c[name] for name in names)))
            assert len(set(rows)) == len(rows), names
        nodes = [(i - parent if parent else None, frame) for i, (parent, frame) in
                 enumerate(zip(c["node.parent"], c["node.frame"]))]
        assert len(set(nodes)) == len(nodes)

    def function(self, number):
        return self.facts["strings"][self.columns["function.name"][number]]

    def make_stacks(self):
        c, stacks = self.columns, []
        for i, (frame, parent) in enumerate(zip(c["node.frame"], c["node.parent"])):
            name = self.function(c["frame.function"][frame])
            stacks.append((*(stacks[i - parent] if parent else ()), name))
        return stacks

    def lane(self, number, side="lanes"):
        _, process, _, thread, cpu = self.facts[side][number]
        return (int(process), int(thread)) if cpu < 0 else (0, cpu)

    def samples(self, side="sample"):
        """(process and thread, CPU or None, stack, count, value)"""
        c, lanes = self.columns, "lanes" if side == "sample" else "before_lanes"
        for node, lane, cpu, count, value in zip(*(c[side + "." + name] for name in SAMPLES)):
            yield (self.lane(lane, lanes), cpu - 1 if cpu else None,
                   self.stacks[node - 1] if node else (), count, value)

    def times(self):
        """(time, number of the sample) as the timeline has them."""
        c, time = self.columns, int(self.facts["start_ns"])
        rows = c.get("row.sample", range(len(c["sample.node"])))
        for passed, sample in zip(c.get("row.time", []), rows):
            time += passed
            yield time, sample

    # ---- events ----

    def label(self, number):
        """(name, category)"""
        return (self.facts["strings"][self.columns["label.name"][number]],
                self.facts["strings"][self.columns["label.category"][number]])

    def starts(self, group):
        """The times of a group, and of which thread or series each is."""
        times, start = self.columns.get(group + ".time", []), int(self.facts["start_ns"])
        parts = self.columns.get(PARTS[group], []) if group in PARTS else [len(times)]
        at = 0
        for part, n in enumerate(parts):
            time = start
            for passed in times[at:at + n]:
                time += passed
                yield time, part
            at += n

    def args_of(self, group):
        """The arguments of each event of a group."""
        c, strings = self.columns, self.facts["strings"]
        at = sum(sum(c.get(other + ".args", [])) for other in WITH_ARGS[:WITH_ARGS.index(group)])
        for n in c.get(group + ".args", []):
            yield [(strings[c["arg.name"][i]],
                    strings[c["arg.value"][i]] if c["arg.kind"][i] == 0 else
                    c["arg.value"][i] * (1 if c["arg.kind"][i] == 1 else -1))
                   for i in range(at, at + n)]
            at += n

    def events(self, group):
        """(process and thread, begin, duration, name, category, arguments)"""
        c = self.columns
        lanes = (self.lane(number) for number in c["async.lane"]) if group == "async" else \
            (self.lane(c["thread.lane"][part]) for _, part in self.starts(group))
        durations = c.get(group + ".duration", [0] * len(c.get(group + ".time", [])))
        for lane, (time, _), duration, label, args in zip(
                lanes, self.starts(group), durations, c.get(group + ".label", []),
                self.args_of(group)):
            yield (lane, time, duration, *self.label(label), args)

    def span_sums(self, group="slice"):
        """By name: count and total."""
        sums = {}
        for _, _, duration, name, _, _ in self.events(group):
            count, total = sums.get(name, (0, 0))
            sums[name] = count + 1, total + duration
        return sums

    def runs(self):
        """(CPU, begin, duration, process and thread)"""
        c = self.columns
        for (time, part), duration, thread in zip(self.starts("run"), c.get("run.duration", []),
                                                  c.get("run.thread", [])):
            yield c["cpu.number"][part], time, duration, self.lane(c["thread.lane"][thread])

    def values(self):
        """By process, counter, its id and its argument: the times and values."""
        c, found = self.columns, {}
        for (time, part), high, low in zip(self.starts("value"), c.get("value.high", []),
                                           c.get("value.low", [])):
            key = (self.lane(c["series.lane"][part])[0], self.label(c["series.label"][part])[0],
                   self.facts["strings"][c["series.id"][part]],
                   self.facts["strings"][c["series.arg"][part]])
            number, = struct.unpack("<d", struct.pack("<II", low, high))
            found.setdefault(key, []).append((time, number))
        return found

    def total(self, side="sample"):
        return sum(self.columns[side + ".value"])

    def source(self, name):
        """The lines of a function's source by their numbers."""
        for source in self.facts["sources"]:
            if self.function(source["function"]) == name:
                return {source["first"] + i: text for i, text in enumerate(source["lines"])}
        return {}


def fold(page, value="count", side="sample"):
    """By process and thread, how often each stack was seen, or its value."""
    found = {}
    for lane, _, stack, count, weight in page.samples(side):
        found.setdefault(lane, collections.Counter())[stack] += \
            count if value == "count" else weight
    return {lane: stacks for lane, stacks in found.items() if +stacks}
