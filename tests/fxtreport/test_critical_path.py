#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtreport --critical-path: traces worked out by hand, and random ones against an
implementation of the rules of fxtreport(1) that looks at every nanosecond.

test_critical_path.py TOOLS_DIR [FXTRECORD]"""
import collections
import math
import os
import random
import subprocess
import sys

from profile_cases import FXTREPORT, main, run, write
from span_traces import (ASYNC_BEGIN, ASYNC_END, BEGIN, BLOCKED, END, FLOW_BEGIN, FLOW_END,
                         FLOW_STEP, SUSPENDED, archive, put, report, span, switch, wake,
                         worked_trace)

RECORDER = [os.path.abspath(program) for program in sys.argv[2:3]]


# ---- By hand ----------------------------------------------------------------------------


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


# ---- By every nanosecond ----------------------------------------------------------------


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
