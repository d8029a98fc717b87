#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Spans of random traces as stacks, checked by an independent implementation: it looks at
every stretch between two times separately, and asks which spans are open then. Argument:
the tools' build directory."""
import os
import random
import subprocess
import sys
from collections import Counter

import fxtwrite
import patience
from profile_cases import FXT2FOLDED, FXTREPORT, TOOLS, main, run, write

FXT2PERFETTO = os.path.join(TOOLS, "fxt2perfetto", "fxt2perfetto")
RATES = (1000000000, 1000, 2496000000, 3)


def ns(ticks, rate):
    return ticks * 10 ** 9 // rate


def matched(events, rate):
    """The spans (start, end, place, name) of one thread's events, in any order."""
    events = sorted(events, key=lambda e: (ns(e[1], rate), e[0]))
    times = [ns(e[1], rate) for e in events]
    times += [ns(e[3], rate) for e in events if e[2] == "complete"]
    spans, stack = [], []
    for place, time, kind, end, name in events:
        if kind == "complete":
            spans.append((ns(time, rate), ns(end, rate), place, name))
        elif kind == "begin":
            stack.append((ns(time, rate), place, name))
        elif stack:
            start, begun, what = stack.pop()
            spans.append((start, ns(time, rate), begun, what))
    spans += [(start, max(times), place, name) for start, place, name in stack]
    return spans


def folded(threads, rate, window=None):
    """The lines, from events by thread."""
    counts = Counter()
    for thread, events in threads.items():
        spans = matched(events, rate)
        spans.sort(key=lambda s: (s[0], -s[1], s[2]))
        edges = sorted({s[0] for s in spans} | {s[1] for s in spans})
        for start, end in zip(edges, edges[1:]):
            stack = [s[3] for s in spans if s[0] <= start and s[1] >= end]
            if window:
                start, end = max(start, window[0]), min(end, window[1])
            if stack and end > start:
                counts[";".join(["thread[%d]" % thread] + stack)] += end - start
    return sorted("%s %d" % line for line in counts.items())


def put(trace, thread, event):
    _, time, kind, end, name = event
    if kind == "complete":
        trace.complete(time, end, 1, thread, name.encode())
    elif kind == "begin":
        trace.begin(time, 1, thread, name.encode())
    else:
        trace.end(time, 1, thread)


def random_events(rng, n, n_threads, n_times):
    threads = {}
    for place in range(n):
        thread = rng.randrange(n_threads) + 1
        time = rng.randrange(n_times)
        kind = rng.choice(("complete", "begin", "end"))
        end = time + rng.choice((0, 1, rng.randrange(n_times)))
        name = rng.choice("abcdefgh")
        threads.setdefault(thread, []).append((place, time, kind, end, name))
    return threads


def in_order(threads):
    return sorted((event, thread) for thread, events in threads.items()
                  for event in events)


def check(trace, threads, rate, *options, window=None):
    write("t.fxt", trace)
    lines = folded(threads, rate, window)
    out = run(FXT2FOLDED, "-q", "--spans", "--roots", "thread", *options, "t.fxt",
              status=0 if any(e[2] != "end" for t in threads.values() for e in t) else 1)
    assert out.splitlines() == lines, (out, lines, threads)


def test_random_spans():
    for seed in range(150):
        rng = random.Random(seed)
        rate = rng.choice(RATES)
        threads = random_events(rng, rng.randrange(60), rng.randrange(1, 4),
                                rng.choice((5, 30, 10 ** 6)))
        trace = fxtwrite.archive()
        trace.init(rate)
        for event, thread in in_order(threads):
            put(trace, thread, event)
        check(trace, threads, rate)


def test_random_times_of_spans():
    for seed in range(60):
        rng = random.Random(seed)
        threads = random_events(rng, rng.randrange(1, 40), 2, 40)
        first = rng.randrange(40)
        last = first + rng.randrange(60)
        trace = fxtwrite.archive()
        for event, thread in in_order(threads):
            put(trace, thread, event)
        write("t.fxt", trace)
        window = "%dns-%dns" % (first, last)
        out = run("sh", "-c", '"$0" -q --spans --roots thread --time $1 t.fxt || true',
                  FXT2FOLDED, window)
        assert out.splitlines() == folded(threads, 10 ** 9, (first, last)), seed


def test_the_order_of_nested_spans_in_the_input_does_not_matter():
    """Writers of complete events have them in the order of their ends, others in that of
    their starts, and those of several threads' buffers in none."""
    rng = random.Random(1)
    spans = []

    def nest(start, end, depth):
        at = start
        while depth > 0 and at + 2 < end:
            last = rng.randrange(at + 2, end)
            spans.append((at + 1, last, rng.choice("abc")))
            nest(at + 1, last, depth - 1)
            at = last
    nest(0, 10000, 6)
    assert len(spans) > 20
    outputs = set()
    for order in (sorted(spans), sorted(spans, key=lambda s: s[1]),
                  rng.sample(spans, len(spans))):
        trace = fxtwrite.archive()
        for start, end, name in order:
            trace.complete(start, end, 1, 2, name.encode())
        write("t.fxt", trace)
        outputs.add(run(FXT2FOLDED, "-q", "--spans", "t.fxt"))
    assert len(outputs) == 1 and outputs.pop()


def test_depth_is_bounded_and_all_time_is_kept():
    depth = 20000
    trace = fxtwrite.archive()
    for i in range(depth):
        trace.begin(i, 1, 2, b"f%d" % i)
    for i in range(depth):
        trace.end(depth + i, 1, 2)
    write("t.fxt", trace)
    lines = run(FXT2FOLDED, "--spans", "--roots", "none", "t.fxt").splitlines()
    assert sum(int(line.rsplit(" ")[-1]) for line in lines) == 2 * depth - 1
    assert max(line.count(";") for line in lines) + 1 == 1024


def said(*command):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=True)
    return done.stderr.decode()


def test_spans_without_length_are_not_lost_silently():
    trace = fxtwrite.archive()
    for i in range(3):
        trace.complete(10 * i, 10 * i, 1, 2, b"point")
    write("p.fxt", trace)
    message = "all values of time are 0: --value shows spans"
    for tool in FXT2FOLDED, FXTREPORT:
        assert message in said(tool, "--spans", "p.fxt")
        assert "all values" not in said(tool, "--spans", "--value", "spans", "p.fxt")
    assert message in said(FXT2FOLDED, "--spans", "-o", "p.svg", "p.fxt")


def test_times_that_are_too_large_are_counted():
    for rate, late, long in ((10**9, 0, 1), (1000, 3, 1), (2 * 10**9, 0, 0)):
        trace = fxtwrite.archive()
        trace.init(rate)
        trace.complete(0, 2**64 - 1, 1, 2, b"all")
        trace.complete(2**63 + 7, 2**63 + 9, 1, 2, b"late")
        trace.backtrace(2**64 - 1, 1, 2, 0x10)
        write("p.fxt", trace)
        found = said(FXT2FOLDED, "--spans", "p.fxt")
        assert ("%d times of 2^64 ns or more" % late in found) == (late > 0), found
        assert ("%d span of 2^63 ns or more" % long in found) == (long > 0), found
        found = said(FXT2PERFETTO, "-o", "p.pftrace", "p.fxt")
        # The samples' times, too.
        assert ("%d times of 2^64 ns or more" % (late + 1) in found) == (late > 0), found
        assert ("times of 2^63 ns or more are cut off" in found) == (rate <= 10**9), found
        found = said(FXTREPORT, "-o", "p.html", "--spans", "p.fxt")
        assert ("the duration is cut off" in found) == (rate <= 10**9), found


def test_spans_that_overlap_cost_no_more_than_nested_ones():
    n = 200000
    trace = fxtwrite.archive()
    for i in range(n):
        trace.complete(i, n + i, 1, i % 3, b"x")
    write("t.fxt", trace)
    out = run(FXT2FOLDED, "--spans", "--roots", "none", "t.fxt", timeout=patience.SECONDS)
    assert sum(int(line.rsplit(" ")[-1]) for line in out.splitlines()) >= 3 * n


if __name__ == "__main__":
    main(sys.modules[__name__])
