#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Whatever people look at, spans are the same: of each name in each thread, the number and
the total time in files for Firefox Profiler, Perfetto and Chrome, in pages, in the tables of
fxtquery and in fxtdump --tree, are those that the events have by the rules; of each name,
those of reports are; and fxtdump --stats counts as many. Argument: the tools' directory.

The rules: an end is of the last open begin of its thread, in the order of time, and of the
input where times are equal; a begin without an end lasts until the thread's last event."""
import collections
import json
import os
import random
import re
import sys

import chrome_read
import firefox_read
import fxtwrite
import html_read
import perfetto_read
from fxtwrite import event
from profile_cases import FXTDUMP, FXTREPORT, TOOLS, main, run, write

COMPLETE, BEGIN, END = 4, 2, 3
# The index of the category's name.
CATEGORY = 9
READERS = {"fxt2firefox": (firefox_read.load, firefox_read),
           "fxt2perfetto": (perfetto_read.Trace, perfetto_read),
           "fxt2chrome": (chrome_read.load, chrome_read)}
FXTQUERY = os.path.join(TOOLS, "fxtquery", "fxtquery")
SLICES = """select pid, tid, slice.name as name, count(*) as count, sum(dur) as total,
    sum(self_dur) as self from slice join thread using (utid) join process using (upid)
    group by utid, slice.name"""
UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}


class Events:
    """A trace, and what was written into it: (time in ns, kind, thread, name, end)."""

    def __init__(self):
        self.trace, self.rows, self.rate = fxtwrite.archive(), [], 1

    def provider(self, number, ticks):
        """Its ticks are a second, of which there are 10^9 or a divisor of that."""
        self.trace.provider(number, b"provider%d" % number)
        self.trace.init(ticks)
        self.rate = 10**9 // ticks

    def section(self, number, ticks):
        self.trace.section(number)
        self.rate = 10**9 // ticks

    def add(self, kind, time, thread, name=b"", end=None, ref=None):
        """`ref` is a reference to the name, which is registered, as is the category."""
        self.trace.add(event(kind, time, thread, b"c" if ref is None else CATEGORY,
                             name if ref is None else ref,
                             extra=() if end is None else (end,)))
        self.rows.append((time * self.rate, kind, thread, name.decode(),
                          None if end is None else end * self.rate))


def add_self(spans, self_time):
    """Of those that are open at a time, the innermost is the one that began last; of equal
    begins it is the one that ends first, and then the one that is later in the input."""
    nested = sorted(spans, key=lambda span: (span[1], -span[2], span[3]))
    edges = sorted({time for span in spans for time in span[1:3]})
    for begin, end in zip(edges, edges[1:]):
        inner = [name for name, first, last, _ in nested if first <= begin and last >= end]
        if inner:
            self_time[inner[-1]] += end - begin


def expected(rows):
    """By the rules: of (thread, name), how often and for how long; of names, self times."""
    threads = collections.defaultdict(list)
    for row in rows:
        threads[row[2]].append(row)
    count, total, self_time = (collections.Counter() for _ in range(3))
    for thread, events in threads.items():
        last = max(max(row[0], row[4] or 0) for row in events)
        spans, begun = [], []
        for i, (time, kind, _, name, end) in sorted(enumerate(events), key=lambda row: row[1][0]):
            if kind == COMPLETE:
                spans.append((name, time, end, i))
            elif kind == BEGIN:
                begun.append((name, time, i))
            elif begun:
                name, begin, order = begun.pop()
                spans.append((name, begin, time, order))
        spans += [(name, begin, last, i) for name, begin, i in begun]
        for name, begin, end, _ in spans:
            count[thread, name] += 1
            total[thread, name] += end - begin
        add_self(spans, self_time)
    return count, +total, +self_time


def unquoted(word):
    """What text prints, in quotes or not, as it was."""
    if not word.startswith('"'):
        return word
    return re.sub(r"\\(?:x(..)|(.))", lambda match: chr(int(match[1], 16)) if match[1] else
                  match[2], word[1:-1])


def in_tree(path):
    """Of (thread, name), how often and for how long, in the lines of fxtdump --tree."""
    count, total, thread = collections.Counter(), collections.Counter(), None
    for line in run(FXTDUMP, "-q", "--tree", path).split("\n"):
        heading = re.match(r'process (\d+)(?: ".*")?, thread (\d+)', line)
        span = re.match(r" *[\d.]+ +>?([\d.]+) (ns|us|ms|s) +(?:\[\d+\] )?c:"
                        r'(".*?"|[^ ]+)( \(never ended\))?$', line)
        if heading:
            thread = tuple(map(int, heading.groups()))
        elif span:
            whole, _, decimals = span[1].partition(".")
            count[thread, unquoted(span[3])] += 1
            total[thread, unquoted(span[3])] += int(whole + decimals)
    return count, +total


def in_page(path):
    """Of (thread, name), how often and for how long."""
    count, total = collections.Counter(), collections.Counter()
    run(FXTREPORT, "-q", "-o", "page.html", path)
    for thread, _, duration, name, _, _ in html_read.Page("page.html").events("slice"):
        count[thread, name] += 1
        total[thread, name] += duration
    return count, +total


def in_tables(path):
    """Of (thread, name), how often and for how long; and of each name the self time. None
    where fxtquery was not built."""
    if not os.path.exists(FXTQUERY):
        return None
    count, total, self_time = collections.Counter(), collections.Counter(), collections.Counter()
    for row in json.loads(run(FXTQUERY, "-q", "--json", path, SLICES)):
        thread = row["pid"], row["tid"]
        count[thread, row["name"]] = row["count"]
        total[thread, row["name"]] = row["total"]
        self_time[row["name"]] += row["self"]
    return count, +total, +self_time


def in_report(path):
    """By name (count, total), in JSON and in text, which rounds times to three digits."""
    rows = json.loads(run(FXTREPORT, "-q", "--json", path))["spans"]
    exact = {row["name"]: (row["count"], row["total_ns"], row["self_ns"]) for row in rows}
    text = run(FXTREPORT, "-q", "--spans", "--width", "0", "--sort", "total", path)
    lines = re.findall(r"^ *([\d.]+) (ns|us|ms|s) +[\d.]+ \w+ +(\d+) (.*)$", text, re.M)
    rounded = {unquoted('"%s"' % line.split("  ")[-1].strip()): (int(n), float(time) * UNITS[unit])
               for time, unit, n, line in lines}
    return exact, rounded


def check_report(path, count, total, self_time):
    names, times = collections.Counter(), collections.Counter()
    for (thread, name), n in count.items():
        names[name] += n
        times[name] += total[thread, name]
    exact, rounded = in_report(path)
    assert exact == {name: (n, times[name], self_time[name])
                     for name, n in names.items()}, (exact, names, times, self_time)
    assert rounded.keys() == exact.keys(), (rounded, exact)
    for name, (n, time) in rounded.items():
        assert n == names[name] and abs(time - times[name]) <= 0.005 * times[name], (name, rounded)


def check(events):
    write("s.fxt", events.trace)
    count, total, self_time = expected(events.rows)
    check_report("s.fxt", count, total, self_time)
    found = in_page("s.fxt")
    assert found == (count, total), (found, count, total)
    found = in_tables("s.fxt")
    assert found in (None, (count, total, self_time)), (found, count, total, self_time)
    for tool, (load, reader) in READERS.items():
        data = run(os.path.join(TOOLS, tool, tool), "-q", "s.fxt", text=False)
        found = reader.view(load(data))
        n, time = collections.Counter(), collections.Counter()
        for thread, begin, end, name in found.spans:
            n[thread, name] += 1
            time[thread, name] += end - begin
        # One of no time is an instant in some of them.
        for thread, _, name in found.instants:
            n[thread, name] += 1
        assert n == count, (tool, n - count, count - n)
        assert +time == total, (tool, time - total, total - time)
    found = in_tree("s.fxt")
    assert found == (count, total), (found, count, total)
    names = collections.Counter()
    for row in json.loads(run(FXTDUMP, "-q", "--stats", "--json", "s.fxt"))["events"]:
        names[row["name"]] += row["records"]
    n = collections.Counter()
    for (_, name), times in count.items():
        n[name] += times
    del names[""]
    assert names == n, (names, n)


def test_unbalanced_and_crossing_spans():
    for seed in range(40):
        rng, events = random.Random(seed), Events()
        for _ in range(120):
            time, thread = rng.randrange(60), (1, rng.randrange(2, 4))
            kind, name = rng.choice((COMPLETE, BEGIN, END)), b"span%d" % rng.randrange(5)
            if kind == COMPLETE:
                events.add(kind, time, thread, name, time + rng.choice((0, 0, 1, 7, 30)))
            else:
                events.add(kind, time, thread, name if kind == BEGIN else b"")
        check(events)


def test_spans_in_the_order_of_the_input():
    """Of equal times, the end of the first one and the begin of the next one."""
    events = Events()
    for time in range(0, 50, 10):
        events.add(BEGIN, time, (1, 2), b"step%d" % (time // 10 % 2))
        events.add(END, time + 10, (1, 2))
        events.add(BEGIN, time, (1, 3), b"none")
        events.add(END, time, (1, 3))
    check(events)


def test_spans_that_never_end_or_begin():
    events = Events()
    events.add(END, 0, (1, 2))
    for i in range(20):
        events.add(BEGIN, 10 * i, (1, 2), b"open")
        events.add(END, 10 * i + 5, (1, 3))
    events.add(BEGIN, 900, (1, 4), b"last")
    check(events)


def test_several_providers_and_the_same_ids_in_several_processes():
    for seed in range(20):
        rng, events = random.Random(seed), Events()
        ticks = {1: 10**9, 2: 5 * 10**8, 3: 10**6}
        for number, rate in ticks.items():
            events.provider(number, rate)
        for _ in range(60):
            number = rng.choice(list(ticks))
            events.section(number, ticks[number])
            for _ in range(rng.randrange(4)):
                time, thread = rng.randrange(1000), (rng.randrange(1, 4), rng.randrange(5, 7))
                kind, name = rng.choice((COMPLETE, BEGIN, END)), b"span%d" % rng.randrange(5)
                events.add(kind, time, thread, b"" if kind == END else name,
                           time + rng.randrange(40) if kind == COMPLETE else None)
        check(events)


def test_names_that_are_registered_again_and_by_other_providers():
    for seed in range(20):
        rng, events = random.Random(seed), Events()
        names = {}
        for number in (1, 2):
            events.provider(number, 10**9)
            events.trace.add(fxtwrite.string(CATEGORY, b"c"))
        for time in range(120):
            number, index = rng.choice((1, 2)), rng.randrange(1, 4)
            events.section(number, 10**9)
            if (number, index) not in names or rng.random() < 0.2:
                names[number, index] = b"%d" % rng.randrange(10**6)
                events.trace.add(fxtwrite.string(index, names[number, index]))
            events.add(COMPLETE, time, (1, 2), names[number, index], time + 1, ref=index)
        check(events)


def test_names_are_data():
    events = Events()
    for i, name in enumerate((b"<img src=x>", b"std::vector<int>", b"f(int)", b"_Z3foov",
                              b"a;b", b"\x1b[1m", b"operator()<...>")):
        events.add(COMPLETE, 10 * i, (1, 2), name, 10 * i + 7)
    check(events)


if __name__ == "__main__":
    main(sys.modules[__name__])
