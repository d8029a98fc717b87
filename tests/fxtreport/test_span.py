#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtreport --span and --critical-path: traces worked out by hand, and random ones against
an implementation of the rules of fxtreport(1) that looks at every nanosecond.

test_span.py TOOLS_DIR [FXTRECORD]"""
import collections
import json
import math
import os
import random
import re
import subprocess
import sys
import unicodedata

import fxtwrite
import patience
from fxtwrite import arg
from profile_cases import FXTREPORT, main, run, write

RECORDER = [os.path.abspath(program) for program in sys.argv[2:3]]
INT32, UINT32, INT64, UINT64, DOUBLE, STRING, KOID, BOOL = 1, 2, 3, 4, 5, 6, 8, 9
BEGIN, END, COMPLETE = 2, 3, 4
ASYNC_BEGIN, ASYNC_END, FLOW_BEGIN, FLOW_STEP, FLOW_END = 5, 7, 8, 9, 10
SUSPENDED, BLOCKED = 2, 3


def report(*arguments, status=0):
    return json.loads(run(FXTREPORT, "-q", "--json", *arguments, status=status,
                          timeout=patience.SECONDS))


def archive(n_threads=3):
    trace = fxtwrite.archive()
    trace.process(1, b"app")
    for i in range(n_threads):
        trace.thread(2 + i, b"t%d" % (2 + i), 1)
    return trace


def put(trace, kind, time, thread, name, *words, args=(), process=1):
    trace.add(fxtwrite.event(kind, time, (process, thread), b"cat", name, list(args),
                             list(words)))


def span(trace, begin, end, thread, name, *args, **options):
    put(trace, COMPLETE, begin, thread, name, end, args=args, **options)


def switch(trace, time, cpu, state, outgoing, incoming):
    trace.add(fxtwrite.context_switch(time, cpu, state, outgoing, incoming))


def wake(trace, time, cpu, thread, waker):
    trace.add(fxtwrite.thread_wakeup(time, cpu, thread, [arg(KOID, b"waker", waker)]))


# ---- Statistics -------------------------------------------------------------------------


def numbers(durations):
    """Percentiles by nearest rank: the smallest that enough of them do not exceed."""
    ordered = sorted(durations)

    def percentile(p):
        return next(ns for i, ns in enumerate(ordered) if 100 * (i + 1) >= p * len(ordered))

    return {"count": len(ordered), "total_ns": sum(ordered), "min_ns": ordered[0],
            "p50_ns": percentile(50), "p90_ns": percentile(90), "p99_ns": percentile(99),
            "max_ns": ordered[-1]}


def are_numbers(row, durations):
    expected = numbers(durations)
    return {key: row[key] for key in expected} == expected


def is_round(ns):
    return re.fullmatch("[125]0*", str(ns)) is not None


def check_histogram(found, durations):
    rows = found["histogram"]
    assert sum(row["count"] for row in rows) == len(durations)
    for row, after in zip(rows, rows[1:]):
        assert row["to_ns"] == after["from_ns"], rows
    for row in rows:
        inside = [ns for ns in durations if row["from_ns"] <= ns < row["to_ns"]]
        assert row["count"] == len(inside), (row, len(inside))
    some = [ns for ns in durations if ns > 0]
    is_wide = bool(some) and max(some) >= 20 * min(some)
    assert found["scale"] == ("logarithmic" if is_wide else "linear")
    assert rows[-1]["count"] > 0 and len(rows) <= 25, rows
    if is_wide:
        assert all(is_round(row["to_ns"]) for row in rows)
        assert rows[0]["count"] > 0
    else:
        assert len({row["to_ns"] - row["from_ns"] for row in rows}) == 1
        assert is_round(rows[0]["to_ns"] - rows[0]["from_ns"])


def argument_of(kind, value):
    return arg(kind, b"key", value)


def test_statistics_of_random_spans():
    rng = random.Random(1)
    values = [(INT32, 5), (INT64, 5), (UINT64, 5), (INT32, -1), (UINT32, 2**32 - 1), (STRING, b"5"),
              (STRING, b""), (DOUBLE, 5.0), (BOOL, 1), None]
    texts = [5, 5, 5, -1, 2**32 - 1, "5", "", 5.0, True, None]
    for spread in 0, 1, 3, 15:
        trace, spans = archive(), []
        for i in range(rng.choice((1, 99, 100, 101, 400))):
            ns = rng.choice((0, int(10 ** rng.uniform(0, spread)) + 1000 * (spread == 0)))
            name, kind = rng.choice((b"a1", b"a2", b"b")), rng.randrange(len(values))
            thread, begin = rng.randrange(2, 5), i * 10**16
            args = [] if values[kind] is None else [argument_of(*values[kind])]
            if args and rng.random() < 0.2:
                args.insert(0, argument_of(STRING, b"not the last"))
            span(trace, begin, begin + ns, thread, name, *args)
            if name != b"b":
                spans.append((ns, name.decode(), thread, kind, begin))
        if not spans:
            continue
        write("p.fxt", trace)
        found = report("--span", "^a", "--by-arg", "key", "p.fxt")["span"]
        durations = [ns for ns, *_ in spans]
        assert are_numbers(found, durations), found
        assert found["self_ns"] == sum(durations) and found["unfinished"] == 0
        check_histogram(found, durations)
        names = collections.Counter(name for _, name, *_ in spans)
        assert {row["name"]: row["count"] for row in found["names"]} == names
        threads = collections.defaultdict(list)
        by_value = collections.defaultdict(list)
        for ns, _, thread, kind, _ in spans:
            threads[thread].append(ns)
            by_value[repr(texts[kind])].append(ns)
        assert len(found["threads"]) == len(threads)
        assert all(are_numbers(row, threads[row["thread"]]) for row in found["threads"])
        assert len(found["by_arg"]) == len(by_value), found["by_arg"]
        for row in found["by_arg"]:
            assert are_numbers(row, by_value[repr(row["value"])]), row
        slowest = sorted(spans, key=lambda s: (-s[0], s[4]))[:10]
        assert [(row["duration_ns"], row["time_ns"], row["name"], row["thread"])
                for row in found["slowest"]] == [(s[0], s[4], s[1], s[2]) for s in slowest]


def worked_trace():
    """main has a request, for which worker does a query; see the comments for when."""
    trace = archive()
    # main (2) runs from 0 on CPU 0, worker (3) until 2 on CPU 1.
    switch(trace, 0, 0, BLOCKED, 0, 2)
    switch(trace, 1, 1, BLOCKED, 0, 3)
    switch(trace, 2, 1, BLOCKED, 3, 0)
    # main has to let 4 run from 4 to 6.
    switch(trace, 4, 0, 1, 2, 4)
    switch(trace, 6, 0, BLOCKED, 4, 2)
    # main wakes worker at 18, which runs from 19 on; main blocks at 20.
    wake(trace, 18, 0, 3, 2)
    switch(trace, 19, 1, BLOCKED, 0, 3)
    switch(trace, 20, 0, BLOCKED, 2, 0)
    # worker wakes main at 60, which runs from 65 to 100.
    wake(trace, 60, 1, 2, 3)
    switch(trace, 62, 1, BLOCKED, 3, 0)
    switch(trace, 65, 0, BLOCKED, 0, 2)
    switch(trace, 100, 0, BLOCKED, 2, 0)
    span(trace, 5, 90, 2, b"request", arg(STRING, b"table", b"users"), arg(INT32, b"n", -3))
    span(trace, 10, 20, 2, b"parse")
    span(trace, 12, 14, 2, b"skip")
    span(trace, 66, 80, 2, b"reply")
    span(trace, 19, 62, 3, b"query")
    span(trace, 30, 40, 3, b"disk")
    for time, pc in (11, 0x1000), (15, 0x1000), (70, 0x2000), (90, 0x3000), (4, 0x3000):
        trace.backtrace(time, 1, 2, pc)
    trace.backtrace(30, 1, 3, 0x4000)
    return trace


def test_the_slowest_have_what_was_in_them():
    write("p.fxt", worked_trace())
    slow, = report("--unsymbolized", "--span", "request", "p.fxt")["span"]["slowest"]
    assert (slow["time_ns"], slow["duration_ns"]) == (5, 85)
    assert (slow["self_ns"], slow["depth"], slow["unfinished"]) == (61, 0, False)
    assert slow["args"] == [{"name": "table", "value": "users"}, {"name": "n", "value": -3}]
    assert slow["children"] == [{"name": "reply", "count": 1, "total_ns": 14},
                                {"name": "parse", "count": 1, "total_ns": 10}]
    assert [slow[key + "_ns"] for key in ("run", "wait", "blocked", "unknown")] == [39, 6, 40, 0]
    assert slow["woken_by"] == [{"thread": 3, "count": 1, "blocked_ns": 40}]
    assert slow["samples"] == 3
    assert [row["samples"] for row in slow["functions"]] == [2, 1]
    text = run(FXTREPORT, "-q", "--unsymbolized", "--span", "request", "p.fxt")
    assert "85 ns, self 61 ns, at 0.000000005 s, t2[2] of app[1]\n    table=users, n=-3\n" in text
    assert ("    ran 39 ns, waited for a CPU 6 ns, was blocked 40 ns; woken by t3[3] of\n"
            "    app[1] after 40 ns\n    3 samples: 0x1000 2, 0x2000 1\n") in text, text


def test_spans_that_never_end_and_cross():
    trace = archive()
    put(trace, BEGIN, 10, 2, b"never", args=[arg(STRING, b"x", b"y")])
    span(trace, 20, 40, 2, b"a")
    span(trace, 30, 60, 2, b"a")
    span(trace, 60, 60, 2, b"none")
    write("p.fxt", trace)
    found = report("--span", "never", "p.fxt")["span"]
    assert (found["unfinished"], found["total_ns"], found["self_ns"]) == (1, 50, 10)
    slow, = found["slowest"]
    assert slow["unfinished"] and slow["args"] == [{"name": "x", "value": "y"}]
    # The second "a" is in the first one, in which it goes on for 10.
    assert slow["children"] == [{"name": "a", "count": 1, "total_ns": 20}]
    first = report("--span", "^a", "p.fxt")["span"]["slowest"][1]
    assert first["children"] == [{"name": "a", "count": 1, "total_ns": 10}]
    text = run(FXTREPORT, "-q", "--span", "never", "p.fxt")
    assert "never ended" in text
    none = report("--span", "none", "--critical-path", "p.fxt")
    assert none["instance"]["duration_ns"] == 0 and none["critical_path"] == []
    run(FXTREPORT, "-q", "--span", "none", "--critical-path", "p.fxt")
    run(FXTREPORT, "-q", "--span", "missing", "p.fxt", status=1)


def test_filters_choose_spans():
    trace = archive()
    for i in range(6):
        span(trace, 100 * i, 100 * i + 10 + i, 2 + i % 2, b"a", process=1 + i % 2)
    trace.process(2, b"other")
    write("p.fxt", trace)
    for options, expected in ((["--pid", "1"], [10, 12, 14]), (["--tid", "3"], [11, 13, 15]),
                              (["--process", "oth*"], [11, 13, 15]),
                              (["--time", "105ns-212ns"], [11, 12])):
        found = report("--span", "a", *options, "p.fxt")["span"]
        assert are_numbers(found, expected), (options, found)


# ---- The path, by hand ------------------------------------------------------------------


def path_of(*arguments):
    found = report("--critical-path", *arguments, "p.fxt")
    check_tiles(found)
    return [(step["from_ns"], step["to_ns"], step["thread"], step["state"], step["name"],
             step.get("then")) for step in found["critical_path"]]


def check_tiles(found):
    """The steps are all of the time, each once."""
    time = found["instance"]["time_ns"]
    for step in found["critical_path"]:
        assert step["from_ns"] == time and step["to_ns"] > time, found
        time = step["to_ns"]
    assert time == found["instance"]["time_ns"] + found["instance"]["duration_ns"], found


def test_wakeups_are_followed():
    write("p.fxt", worked_trace())
    assert path_of("--span", "request") == [
        (5, 6, 2, "runnable", "request", None),
        (6, 10, 2, "running", "request", None),
        (10, 12, 2, "running", "parse", None),
        (12, 14, 2, "running", "skip", None),
        (14, 18, 2, "running", "parse", "wakeup"),
        (18, 19, 3, "runnable", None, None),
        (19, 30, 3, "running", "query", None),
        (30, 40, 3, "running", "disk", None),
        (40, 60, 3, "running", "query", "wakeup"),
        (60, 65, 2, "runnable", "request", None),
        (65, 66, 2, "running", "request", None),
        (66, 80, 2, "running", "reply", None),
        (80, 90, 2, "running", "request", None)]
    text = run(FXTREPORT, "-q", "--span", "request", "--critical-path", "p.fxt")
    assert "31 ns  36.5%  running   t3[3] of app[1]  query\n" in text, text
    # A thread that waited in vain is blocked.
    assert path_of("--span", "query", "--tid", "3")[0][3] == "running"


def test_flows_are_followed():
    trace = archive()
    span(trace, 0, 60, 2, b"request")
    put(trace, FLOW_BEGIN, 10, 2, b"job", 7)
    span(trace, 20, 50, 3, b"handle")
    put(trace, FLOW_STEP, 21, 3, b"job", 7)
    put(trace, FLOW_STEP, 48, 3, b"job", 7)
    put(trace, FLOW_END, 55, 2, b"job", 7)
    # The number is used again, and by another name.
    put(trace, FLOW_END, 57, 2, b"job", 7)
    put(trace, FLOW_BEGIN, 56, 4, b"other", 7)
    put(trace, FLOW_BEGIN, 70, 3, b"job", 7)
    span(trace, 69, 75, 3, b"late")
    span(trace, 71, 80, 2, b"end")
    put(trace, FLOW_END, 72, 2, b"job", 7)
    write("p.fxt", trace)
    assert path_of("--span", "request") == [
        (0, 10, 2, "unknown", "request", "flow"),
        (10, 21, 3, "flow", "job", None),
        (21, 48, 3, "unknown", "handle", "flow"),
        (48, 55, 2, "flow", "job", None),
        (55, 60, 2, "unknown", "request", None)]
    # It was sent before the span began.
    assert path_of("--span", "end") == [(71, 80, 2, "unknown", "end", None)]


def test_operations_are_followed_and_come_back():
    trace = archive()
    span(trace, 0, 60, 2, b"request")
    put(trace, ASYNC_BEGIN, 10, 2, b"read", 1)
    span(trace, 5, 50, 3, b"io")
    put(trace, ASYNC_END, 45, 3, b"read", 1)
    # One that ends on its own thread, and one that never ends.
    put(trace, ASYNC_BEGIN, 46, 2, b"own", 1)
    put(trace, ASYNC_END, 50, 2, b"own", 1)
    put(trace, ASYNC_BEGIN, 47, 2, b"open", 1)
    write("p.fxt", trace)
    assert path_of("--span", "request") == [
        (0, 10, 2, "unknown", "request", "async"),
        (10, 45, 3, "unknown", "io", "async"),
        (45, 60, 2, "unknown", "request", None)]


def test_a_thread_that_ran_did_not_wait():
    trace = archive()
    switch(trace, 0, 0, BLOCKED, 0, 2)
    switch(trace, 1, 0, 1, 2, 4)
    switch(trace, 2, 0, BLOCKED, 4, 2)
    span(trace, 5, 60, 2, b"request")
    put(trace, FLOW_BEGIN, 10, 3, b"job", 7)
    put(trace, FLOW_END, 20, 2, b"job", 7)
    put(trace, ASYNC_BEGIN, 25, 2, b"read", 1)
    put(trace, ASYNC_END, 30, 3, b"read", 1)
    switch(trace, 70, 0, BLOCKED, 2, 0)
    switch(trace, 80, 0, BLOCKED, 0, 2)
    write("p.fxt", trace)
    assert path_of("--span", "request") == [(5, 60, 2, "running", "request", None)]


def test_the_time_chooses_a_span():
    trace = archive()
    span(trace, 0, 100, 2, b"a")
    span(trace, 10, 20, 2, b"a")
    span(trace, 10, 15, 3, b"a")
    span(trace, 200, 250, 3, b"a")
    write("p.fxt", trace)
    for time, expected in (("0ns", (0, 100, 2)), ("10ns", (10, 10, 2)), ("16ns", (10, 10, 2)),
                           ("0.000000021", (0, 100, 2)), ("250ns", (200, 50, 3))):
        found = report("--span", "a", "--critical-path", "--at", time, "p.fxt")["instance"]
        assert (found["time_ns"], found["duration_ns"], found["thread"]) == expected, found
    run(FXTREPORT, "-q", "--span", "a", "--critical-path", "--at", "300ns", "p.fxt", status=1)


# ---- The path, by every nanosecond ------------------------------------------------------


class Model:
    """A random trace, of which all is known. Scheduling is at even times; flows and
    operations are at odd ones, no two at the same."""

    def __init__(self, rng, scheduled):
        self.rng = rng
        self.length = 400
        self.trace = archive(4)
        self.threads = range(2, 6)
        self.spans = collections.defaultdict(list)
        self.waits = collections.defaultdict(list)
        self.arrivals = {}
        self.odd = rng.sample(range(1, self.length, 2), 60)
        for thread in self.threads:
            self.add_spans(thread, 0, self.length, 0)
        for i in range(8):
            self.add_flow(i)
            self.add_operation(i)
        if scheduled:
            self.add_schedule()

    def add_spans(self, thread, begin, end, depth):
        name = b"root%d" % thread if depth == 0 else b"s%d" % self.rng.randrange(3)
        span(self.trace, begin, end, thread, name)
        self.spans[thread].append((begin, end, name.decode()))
        while depth < 3 and end - begin > 8:
            first = begin + self.rng.randrange(end - begin)
            last = first + self.rng.randrange(end - first)
            self.add_spans(thread, first, last, depth + 1)
            begin = last

    def add_flow(self, number):
        times = sorted(self.odd.pop() for _ in range(4))
        kinds = [FLOW_BEGIN, FLOW_STEP, FLOW_STEP, FLOW_END]
        before = None
        for time, kind in zip(times, kinds):
            thread = self.rng.choice(self.threads)
            put(self.trace, kind, time, thread, b"flow", number)
            if before is not None and before[1] != thread:
                self.arrivals[thread, time] = ("flow", *before)
            before = (time, thread)

    def add_operation(self, number):
        begin, end = sorted(self.odd.pop() for _ in range(2))
        first, last = self.rng.choice(self.threads), self.rng.choice(self.threads)
        put(self.trace, ASYNC_BEGIN, begin, first, b"op", number)
        put(self.trace, ASYNC_END, end, last, b"op", number)
        if first != last:
            self.arrivals[first, end] = ("async", begin, last)

    def add_schedule(self):
        """Each thread has its own CPU, and all begin with a switch to them."""
        for thread in self.threads:
            time, cpu, rng = 2, thread, self.rng
            switch(self.trace, time, cpu, BLOCKED, 0, thread)
            while True:
                out = time + 2 * rng.randrange(1, 15)
                woken = out + 2 * rng.randrange(1, 15)
                time = woken + 2 * rng.randrange(4)
                if time >= self.length - 10:
                    break
                if rng.random() < 0.2:
                    switch(self.trace, out, cpu, 1, thread, 99)
                    switch(self.trace, time, cpu, BLOCKED, 99, thread)
                    self.waits[thread].append(("runnable", out, time, None))
                    continue
                waker = rng.choice(self.threads)
                switch(self.trace, out, cpu, BLOCKED, thread, 0)
                wake(self.trace, woken, cpu, thread, waker)
                switch(self.trace, time, cpu, BLOCKED, 0, thread)
                self.waits[thread].append(("blocked", out, woken, waker))
                self.waits[thread].append(("runnable", woken, time, waker))

    # ---- what is true of it ----

    def innermost(self, thread, time):
        """In the nanosecond before a time."""
        found = [(begin, -end, i, name) for i, (begin, end, name) in enumerate(self.spans[thread])
                 if begin < time <= end]
        return max(found)[3] if found else None

    def wait(self, thread, time):
        return next((w for w in self.waits[thread] if w[1] < time <= w[2]), None)

    def is_known(self, thread, time):
        waits = self.waits[thread]
        return bool(waits) and waits[0][1] < time <= waits[-1][2]

    def was_blocked(self, thread, since, time):
        return any(w[0] == "blocked" and w[1] < time and w[2] > since
                   for w in self.waits[thread])

    def walk(self, thread, begin, end):
        """(time, thread, state, name) of each nanosecond, the last one first."""
        time, returns, used = end, [], set()
        while time > begin:
            floor = returns[-1][0] if returns else begin
            if time <= floor:
                thread = returns.pop()[1]
                continue
            wait = self.wait(thread, time)
            if wait and wait[0] == "blocked" and wait[2] == time:
                if wait[3] != thread and (thread, wait) not in used:
                    used.add((thread, wait))
                    thread = wait[3]
                    continue
            state = wait[0] if wait else "running" if self.is_known(thread, time) else "unknown"
            arrival = self.arrivals.get((thread, time))
            if arrival and (thread, time) not in used and arrival[1] >= begin:
                kind, source_time, source = arrival
                waited = state in ("blocked", "unknown") or (
                    state == "running" and kind == "flow" and
                    self.was_blocked(thread, source_time, time))
                if waited:
                    used.add((thread, time))
                    if kind == "async":
                        returns.append((max(source_time, floor), thread))
                        thread = source
                        continue
                    while time > max(source_time, floor):
                        yield time, thread, "flow", "flow"
                        time -= 1
                    if source_time >= floor:
                        thread = source
                    continue
            yield time, thread, state, self.innermost(thread, time)
            time -= 1
            if wait and wait[0] == "runnable" and wait[1] == time and wait[3] not in (None, thread):
                thread = wait[3]


def test_random_paths_are_those_of_every_nanosecond():
    followed = collections.Counter()
    for seed in range(150):
        rng = random.Random(seed)
        model = Model(rng, seed % 3 > 0)
        write("p.fxt", model.trace)
        thread = rng.choice(model.threads)
        found = report("--span", "^root%d" % thread, "--critical-path", "p.fxt")
        check_tiles(found)
        steps = found["critical_path"]
        parts = [(time, step["thread"], step["state"], step["name"])
                 for step in reversed(steps)
                 for time in range(step["to_ns"], step["from_ns"], -1)]
        expected = list(model.walk(thread, 0, model.length))
        for got, wanted in zip(parts, expected):
            assert got == wanted, (seed, got, wanted)
        assert len(parts) == len(expected)
        followed.update(step.get("then") for step in steps)
    assert min(followed[kind] for kind in ("wakeup", "flow", "async")) > 50, followed


def test_paths_of_traces_that_contradict_themselves_are_whole():
    for seed in range(150):
        rng, trace = random.Random(seed), archive(4)
        for _ in range(rng.randrange(1, 120)):
            time, thread, kind = rng.randrange(60), rng.randrange(2, 6), rng.randrange(9)
            if kind < 2:
                span(trace, time, time + rng.randrange(20), thread, b"s%d" % rng.randrange(3))
            elif kind == 2:
                put(trace, rng.choice((BEGIN, END)), time, thread, b"b")
            elif kind == 3:
                put(trace, rng.choice((FLOW_BEGIN, FLOW_STEP, FLOW_END)), time, thread, b"f",
                    rng.randrange(2))
            elif kind == 4:
                put(trace, rng.choice((ASYNC_BEGIN, ASYNC_END)), time, thread, b"o",
                    rng.randrange(2))
            elif kind < 7:
                switch(trace, time, rng.randrange(2), rng.choice((1, SUSPENDED, BLOCKED)),
                       rng.choice((0, thread)), rng.randrange(2, 6))
            else:
                wake(trace, time, rng.randrange(2), thread, rng.randrange(6))
        span(trace, 5, 55, 2, b"whole")
        write("p.fxt", trace)
        check_tiles(report("--span", "whole", "--critical-path", "p.fxt"))
        report("--span", ".", "p.fxt")


# ---- Large ones -------------------------------------------------------------------------


def test_circles_come_to_an_end():
    """All at one time: each thread wakes the next one, and each sends a flow to it."""
    n, trace = 3000, archive(0)
    for i in range(n):
        switch(trace, 0, 0, BLOCKED, 0, 10 + i)
        switch(trace, 1, 0, BLOCKED, 10 + i, 0)
    for i in range(n):
        wake(trace, 50, 0, 10 + (i + 1) % n, 10 + i)
    for i in range(n):
        put(trace, FLOW_BEGIN if i == 0 else FLOW_STEP, 50, 10 + i % 7, b"f", 1)
    for i in range(n):
        switch(trace, 50, 0, BLOCKED, 0, 10 + i)
    span(trace, 0, 60, 10, b"whole")
    write("p.fxt", trace)
    check_tiles(report("--span", "whole", "--critical-path", "p.fxt"))


def test_deep_and_many_spans():
    n, trace = 400000, archive()
    for i in range(n):
        put(trace, BEGIN, i, 2, b"deep")
    for i in range(n):
        put(trace, END, n + i, 2, b"deep")
    write("p.fxt", trace)
    found = report("--span", "deep", "p.fxt")["span"]
    assert found["count"] == n and found["max_ns"] == 2 * n - 1
    assert found["p50_ns"] == sorted(2 * i + 1 for i in range(n))[math.ceil(n / 2) - 1]
    found = report("--span", "deep", "--critical-path", "p.fxt")
    check_tiles(found)
    assert len(found["critical_path"]) == 1


def test_names_are_text():
    trace = archive()
    hostile = b"\x1b[31m\n<img src=x>\xff\xe2\x80\xae\\"
    trace.thread(2, hostile, 1)
    span(trace, 0, 10, 2, hostile, arg(STRING, hostile, hostile))
    span(trace, 2, 5, 2, hostile * 9)
    span(trace, 20, 40, 2, b"")
    write("p.fxt", trace)
    views = ["--span", "."], ["--span", ".", "--critical-path"], [
        "--span", ".", "--by-arg", os.fsdecode(hostile)]
    for view in views:
        for width in 80, 120, 200:
            for locale in "C", "C.UTF-8":
                text = run(FXTREPORT, "-q", *view, "--width", width, "p.fxt", text=False,
                           env=dict(os.environ, LC_ALL=locale)).decode()
                for line in text.split("\n"):
                    columns = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
                    assert columns <= width, (view, line)
                    assert line.isprintable() and "<…>" not in line, line
        report(*view, "p.fxt")


def test_bars_are_as_wide_as_the_terminal():
    trace = archive()
    for i in range(100):
        span(trace, 1000 * i, 1000 * i + 100 + 20 * (i < 50), 2, b"a")
    write("p.fxt", trace)
    for locale, block in ("C", "#"), ("C.UTF-8", "█"):
        for width in 80, 200:
            text = run(FXTREPORT, "-q", "--span", "a", "--width", width, "p.fxt",
                       env=dict(os.environ, LC_ALL=locale))
            rows = [line for line in text.split("\n") if line.endswith(block * 20)]
            assert rows and {len(line) for line in rows} == {width}, text
            assert " 50  50.0%   50.0%  " in rows[0] and " 50  50.0%  100.0%  " in rows[1], rows


# ---- A recording ------------------------------------------------------------------------


PROGRAM = """
import os, sys, threading, time
import fxtwrite

spans, jobs, done = [], threading.Semaphore(0), threading.Semaphore(0)

def compute(name, ms):
    begin = time.monotonic_ns()
    while time.monotonic_ns() < begin + ms * 1000000:
        pass
    spans.append((begin, time.monotonic_ns(), threading.get_native_id(), name))

def work():
    for _ in range(3):
        jobs.acquire()
        compute(b"work", 40)
        done.release()

thread = threading.Thread(target=work)
thread.start()
for _ in range(3):
    begin = time.monotonic_ns()
    compute(b"prepare", 5)
    jobs.release()
    done.acquire()
    spans.append((begin, time.monotonic_ns(), threading.get_native_id(), b"request"))
thread.join()
trace = fxtwrite.archive()
for begin, end, thread, name in spans:
    trace.complete(begin, end, os.getpid(), thread, name)
open("app.fxt", "wb").write(trace.data())
"""


def test_a_recording_of_threads():
    """A program's own spans beside its threads' switches and wakeups, as fxtrecord has
    them: a request waits for the thread that works for it."""
    if not RECORDER:
        return
    done = subprocess.run([*RECORDER, "-q", "--off-cpu", "-o", "r.fxt", sys.executable, "-c",
                           PROGRAM], capture_output=True, check=False)
    if done.returncode != 0:
        print("not recorded:", done.stderr.decode().strip())
        return
    files = "app.fxt", "r.fxt"
    slow = report("--unsymbolized", "--span", "request", *files)["span"]["slowest"]
    assert len(slow) == 3 and all(row["duration_ns"] >= 45 * 10**6 for row in slow)
    found = report("--unsymbolized", "--span", "request", "--critical-path", *files)
    check_tiles(found)
    steps = found["critical_path"]
    if not all(row.get("woken_by") for row in slow):
        print("no wakeups were recorded")
        return
    assert any(step.get("then") == "wakeup" for step in steps), steps
    of_work = [step for step in steps if step["thread"] != found["instance"]["thread"]]
    assert sum(step["to_ns"] - step["from_ns"] for step in of_work) >= 35 * 10**6, steps
    assert {step["name"] for step in of_work} <= {"work", None}, steps


if __name__ == "__main__":
    main(sys.modules[__name__])
