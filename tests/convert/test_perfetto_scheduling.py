#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Scheduling in traces of fxt2perfetto: what Perfetto makes of it (perfetto_sched.py) is
what fxtdump --stats adds up.

test_perfetto_scheduling.py TOOLS_DIR [FXTRECORD WORKLOAD]"""
import collections
import json
import os
import random
import subprocess
import sys

import fxtsched
import fxtwrite
import perfetto_read
import timeline_view
from fxtwrite import arg
from profile_cases import TOOLS, main, run, write

FXT2PERFETTO = os.path.join(TOOLS, "fxt2perfetto", "fxt2perfetto")
FXTDUMP = os.path.join(TOOLS, "fxtdump", "fxtdump")
RECORDER = [os.path.abspath(program) for program in sys.argv[2:4]]
STATES = {"Running": "run_ns", "R": "wait_ns", "S": "blocked_ns", "T": "blocked_ns",
          "N": "unknown_ns"}


def converted(*arguments, status=0):
    return perfetto_read.Trace(run(FXT2PERFETTO, "-q", *arguments, status=status, text=False))


def koids(trace):
    """Those of threads, by the ids that Perfetto gets."""
    return {tid: timeline_view.koid(tid, thread["thread_name"])
            for tid, thread in trace.threads.items()}


def check(*names, status=0):
    """Returns the trace. What is not known of a thread after it has exited, and between
    several traces, has no time in fxtdump."""
    stats = json.loads(run(FXTDUMP, "-q", "--stats", "--json", *names,
                           status=status))["scheduling"]
    trace = converted(*names, status=status)
    tables, koid_of = trace.scheduling, koids(trace)
    found = collections.defaultdict(collections.Counter)
    unknown = {tid for tid, name in tables.names.items() if name == "[unknown]"} - set(koid_of)
    for tid, states in tables.by_thread().items():
        for state, time in states.items():
            if tid not in unknown and state != "X":
                found[koid_of[tid]][STATES[state]] += time
    expected = {row["thread"]: +collections.Counter({key: row[key] for key in STATES.values()})
                for row in stats["threads"]}
    for koid in set(expected) | set(found):
        assert found[koid]["unknown_ns"] >= expected.get(koid, {}).get("unknown_ns", 0)
        del found[koid]["unknown_ns"]
        expected.get(koid, {}).pop("unknown_ns", None)
        assert +found[koid] == expected.get(koid, {}), (koid, found[koid], expected.get(koid))
    cpus = tables.by_cpu()
    for row in stats["cpus"]:
        ran = cpus.pop(row["cpu"])
        assert ran.pop(0, 0) == row["idle_ns"], row
        unknown_ns = sum(ran.pop(tid, 0) for tid in unknown)
        assert unknown_ns == row["unknown_ns"] or unknown, row
        assert sum(ran.values()) == row["busy_ns"], (row, ran)
    # Those that threads were to run on of which nothing is known then.
    assert not any(ran[tid] for ran in cpus.values() for tid in set(ran) - unknown), cpus
    return trace


def test_schedules_of_all_kinds():
    for seed in range(45):
        rng = random.Random(seed)
        schedule = fxtsched.Schedule(rng, ("legacy", "zircon", "linux")[seed % 3],
                                     rng.randrange(1, 9), rng.randrange(1, 20),
                                     rng.randrange(10, 600))
        write("s.fxt", schedule.trace())
        trace = check("s.fxt")
        expected = collections.Counter()
        for koid, _, woken, _, _, waker, is_open in schedule.waits:
            if woken:
                expected[koid, woken, waker] += 1
        koid_of = koids(trace)
        found = collections.Counter(
            (koid_of[row.tid], row.begin, koid_of.get(row.waker, 0))
            for row in trace.scheduling.states if row.waker is not None)
        assert found == expected, (found - expected, expected - found)
        assert all(row.of_interrupt == (row.waker == 0) for row in trace.scheduling.states
                   if row.waker is not None)
        assert "[unknown]" not in trace.scheduling.names.values()


def test_switches_that_were_not_recorded():
    for seed in range(60):
        rng = random.Random(seed)
        schedule = fxtsched.Schedule(rng, ("legacy", "zircon", "linux")[seed % 3],
                                     rng.randrange(1, 9), rng.randrange(1, 20), 300)
        write("s.fxt", schedule.trace(keep=rng.choice((0.5, 0.9, 0.99))))
        check("s.fxt")


def worker():
    trace = fxtwrite.Trace()
    trace.magic()
    trace.thread(2, b"worker", 1)
    return trace


def test_the_events_are_those_of_the_archive():
    trace = worker()
    trace.add(fxtwrite.context_switch(100, 3, 3, 2, 0))
    trace.add(fxtwrite.thread_wakeup(150, 3, 2, [arg(8, b"waker", 5)]))
    trace.add(fxtwrite.context_switch(180, 3, 1, 0, 2))
    trace.add(fxtwrite.context_switch(200, 3, 2, 2, 0))
    trace.add(fxtwrite.thread_wakeup(210, 3, 2))
    trace.add(fxtwrite.context_switch(220, 3, 1, 0, 2))
    trace.add(fxtwrite.context_switch(230, 3, 5, 2, 0))
    write("s.fxt", trace)
    found = check("s.fxt").scheduling
    assert [(row.begin, row.end, row.state, row.waker, row.of_interrupt)
            for row in found.states if row.tid == 2 and row.begin != row.end] == \
        [(100, 150, "S", None, None), (150, 180, "R", 5, False),
         (180, 200, "Running", None, None), (200, 210, "T", None, None),
         (210, 220, "R", 0, True), (220, 230, "Running", None, None),
         (230, None, "X", None, None)]
    assert [(row.begin, row.end, row.cpu, row.tid, row.end_state) for row in found.slices
            if row.begin not in (row.end, 230)] == \
        [(100, 180, 3, 0, "R"), (180, 200, 3, 2, "T"), (200, 220, 3, 0, "R"),
         (220, 230, 3, 2, "X")]
    assert found.names == {0: "swapper", 2: "worker"}, found.names


def test_large_ids_are_those_of_samples_and_events():
    trace = fxtwrite.Trace()
    trace.magic()
    large = [2**31 + 7, 2**32 + 7, 2**63 + 7]
    for i, koid in enumerate(large):
        trace.process(koid + 1, b"p")
        trace.thread(koid, b"t", koid + 1)
        trace.backtrace(10 * i + 5, koid + 1, koid, 0x1000)
        trace.complete(10 * i + 4, 10 * i + 6, koid + 1, koid, b"span")
        trace.add(fxtwrite.context_switch(10 * i, 0, 1, large[i - 1], koid))
    trace.add(fxtwrite.context_switch(40, 0, 3, large[-1], 0))
    write("k.fxt", trace)
    found = check("k.fxt")
    ran = {row.tid for row in found.scheduling.states if row.state == "Running"}
    assert ran == {tid for _, tid, _, _ in found.samples} == set(found.threads)
    assert len(ran) == 3


def test_waits_that_began_before_the_trace():
    trace = worker()
    waiting = [arg(2, b"cpu", 1), arg(2, b"state", 3), arg(4, b"since", 50)]
    trace.add(fxtwrite.large_blob(100, (1, 2), b"sched", b"waiting", b"", waiting))
    trace.add(fxtwrite.context_switch(100, 1, 1, 4, 4))
    trace.add(fxtwrite.thread_wakeup(150, 1, 2, [arg(8, b"waker", 4)]))
    trace.add(fxtwrite.context_switch(170, 1, 1, 4, 2))
    write("w.fxt", trace)
    check("w.fxt")


def test_one_trace_after_the_other():
    """Nothing is known of the time between them, but where the next begins at once."""
    for gap in 0, 1000:
        names = []
        for i in range(3):
            trace = worker()
            at = i * (300 + gap)
            trace.add(fxtwrite.context_switch(at, 0, 1, 2, 2))
            trace.add(fxtwrite.context_switch(at + 100, 0, 3, 2, 3))
            trace.add(fxtwrite.thread_wakeup(at + 150, 0, 2, [arg(8, b"waker", 3)]))
            trace.add(fxtwrite.context_switch(at + 200, 0, 1, 3, 2))
            trace.add(fxtwrite.context_switch(at + 300, 0, 1, 2, 2))
            names.append(write("t%d.fxt" % i, trace))
        names_of_threads = check(*names).scheduling.names.values()
        assert ("[unknown]" in names_of_threads) == (gap > 0), names_of_threads


def test_filters():
    trace = worker()
    for i in range(10):
        trace.add(fxtwrite.context_switch(100 * i, 0, 1, 2 + (i + 1) % 2, 2 + i % 2))
    write("f.fxt", trace)
    found = converted("--tid", "2", "f.fxt").scheduling
    assert set(found.by_thread()) == {2} and found.by_thread()[2] == {"Running": 500, "R": 400}
    assert set(found.by_cpu()[0]) == {0, 2}
    found = converted("--time", "250ns-450ns", "f.fxt").scheduling
    assert [(row.begin, row.end) for row in found.slices if row.tid in (2, 3)
            and row.begin != row.end] == [(200, 300), (300, 400), (400, 500)]


def test_cpus_that_perfetto_refuses():
    trace = worker()
    for cpu in 0, 1023, 1024, 65535:
        trace.add(fxtwrite.context_switch(100, cpu, 1, 0, 10 + cpu))
        trace.add(fxtwrite.context_switch(200, cpu, 1, 10 + cpu, 0))
    write("c.fxt", trace)
    found = converted("c.fxt")
    assert {row.cpu for row in found.scheduling.slices} == {0, 1023}
    assert any("1024" in note for note in found.notes), found.notes


def test_names_are_cut_as_the_kernel_cuts_them():
    trace = worker()
    trace.thread(2, ("\u00e9" * 10000).encode(), 1)
    for i in range(2000):
        trace.add(fxtwrite.context_switch(100 * i, 0, 3, 2, 3))
        trace.add(fxtwrite.context_switch(100 * i + 50, 0, 3, 3, 2))
    write("n.fxt", trace)
    run(FXT2PERFETTO, "-q", "-o", "n.pftrace", "n.fxt")
    with open("n.pftrace", "rb") as file:
        data = file.read()
    assert len(data) < 10**6
    assert perfetto_read.Trace(data).scheduling.names[2] == "\u00e9" * 7


def test_embedded_packets_leave_scheduling_to_the_archive():
    """Perfetto reads it there: it would be there twice."""
    trace = worker()
    trace.add(fxtwrite.context_switch(100, 0, 3, 2, 3))
    trace.backtrace(150, 1, 2, 0x1000)
    write("s.fxt", trace)
    run(FXT2PERFETTO, "-q", "--into-fxt", "-o", "i.fxt", "s.fxt")
    with open("i.fxt", "rb") as file:
        assert b"swapper" not in file.read()


def test_a_recording():
    if not RECORDER:
        return
    fxtrecord, workload = RECORDER
    for how in "--trace", "--off-cpu":
        done = subprocess.run([fxtrecord, "-q", how, "-o", "r.fxt", workload, "-n", "50", "-j",
                               "3"], check=False, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            print("left out: nothing can be recorded here:", done.stderr.strip())
            return
        assert check("r.fxt").scheduling.states


if __name__ == "__main__":
    main(sys.modules[__name__])
