#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Profiles of scheduling records, against random schedules of which all waits are known.
Argument: the tools' build directory."""
import json
import os
import random
import subprocess
import sys
from collections import Counter

import fxtsched
import fxtwrite as w
import patience
import pprof_read
from profile_cases import FXT2FOLDED, FXT2PPROF, main, run, symbols, write

KINDS = ("legacy", "zircon", "linux")
STATES = {fxtsched.BLOCKED: "[blocked]", fxtsched.SUSPENDED: "[suspended]"}


def lines(text):
    found = {}
    for line in text.splitlines():
        stack, _, count = line.rpartition(" ")
        assert stack not in found, stack
        found[stack] = int(count)
    return found


def folded(*args):
    return lines(run(FXT2FOLDED, "-q", *args, timeout=patience.SECONDS))


def parts(waits, min_ns=0, window=None):
    """What each wait consists of: thread, state, time and whether it counts."""
    for koid, start, woken, end, state, _, _ in waits:
        if end - start < min_ns:
            continue
        blocked = state in STATES
        runnable = woken if blocked and woken else start if not blocked else end
        pieces = []
        if blocked:
            pieces.append((STATES[state], start, runnable, 1))
        if not blocked or woken:
            pieces.append(("[runnable]", runnable, end, 0 if blocked else 1))
        for name, first, last, n in pieces:
            if window:
                n = n if window[0] <= first <= window[1] else 0
                first, last = max(first, window[0]), min(last, window[1])
            if n or last > first:
                yield koid, name, max(last - first, 0), n


def off_cpu(schedule, **kwargs):
    times = Counter()
    counts = Counter()
    for koid, name, ns, n in parts(schedule.waits, **kwargs):
        stack = f"process[7];t{koid}[{koid}];{name}"
        times[stack] += ns
        counts[stack] += n
    return ({key: ns for key, ns in times.items() if ns},
            {key: n for key, n in counts.items() if n})


def wakeups(schedule, min_ns=0):
    times = Counter()
    for koid, _, woken, end, _, waker, is_open in schedule.waits:
        if woken and not is_open and end - woken >= min_ns:
            by = f"t{waker}[{waker}]" if waker else "[unknown waker]"
            times[f"process[7];t{koid}[{koid}];{by}"] += end - woken
    return {key: ns for key, ns in times.items() if ns}


def schedules(seed, rounds, n_events):
    rng = random.Random(seed)
    for i in range(rounds):
        yield fxtsched.Schedule(rng, KINDS[i % 3], rng.randrange(1, 6), rng.randrange(3, 12),
                                rng.randrange(100, n_events))


def switch(time, cpu, outgoing, incoming, state=3):
    return w.context_switch(time, cpu, state, outgoing, incoming)


def switch_out(time, process, thread, *pcs, end=None):
    args = [w.arg(2, b"end", end)] if end is not None else []
    payload = b"".join(pc.to_bytes(8, "little") for pc in pcs)
    return w.large_blob(time, (process, thread), b"sched", b"switch_out", payload, args)


def waiting(time, process, thread, *pcs, state=3, woken=None, waker=None, cpu=0, since=1):
    args = [w.arg(2, b"cpu", cpu), w.arg(2, b"state", state), w.arg(4, b"since", since)]
    args += [w.arg(4, b"woken", woken)] if woken is not None else []
    args += [w.arg(8, b"waker", waker)] if waker is not None else []
    payload = b"".join(pc.to_bytes(8, "little") for pc in pcs)
    return w.large_blob(time, (process, thread), b"sched", b"waiting", payload, args)


def trace_of(*records):
    trace = w.archive()
    for record in records:
        trace.add(record)
    return trace


# ---- Tests ----


def test_off_cpu_time_is_that_of_the_schedule():
    for schedule in schedules(1, 20, 1500):
        write("t.fxt", schedule.trace())
        times, counts = off_cpu(schedule)
        assert folded("--sched", "off-cpu", "t.fxt") == times
        assert folded("--sched", "off-cpu", "--value", "waits", "t.fxt") == counts


def test_wakeup_latency_is_that_of_the_schedule():
    for schedule in schedules(2, 20, 1500):
        write("t.fxt", schedule.trace())
        assert folded("--sched", "wakeup", "t.fxt") == wakeups(schedule)


def test_waits_below_the_minimum_are_left_out_and_counted():
    (schedule,) = schedules(3, 1, 1500)
    write("t.fxt", schedule.trace())
    for ns in (1, 1000, 20000, 300000):
        assert folded("--sched", "off-cpu", "--min-wait", f"{ns}ns", "t.fxt") == (
            off_cpu(schedule, min_ns=ns)[0])
        assert folded("--sched", "wakeup", "--min-wait", f"{ns}ns", "t.fxt") == (
            wakeups(schedule, min_ns=ns))
    done = subprocess.run([FXT2FOLDED, "--sched", "off-cpu", "--min-wait", "20us", "t.fxt"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    short = [wait for wait in schedule.waits if wait[3] - wait[1] < 20000]
    assert f"{len(short)} waits left out: shorter" in done.stderr.decode(), done.stderr
    total = sum(wait[3] - wait[1] for wait in short)
    assert total < 10**6
    assert f"{total / 1000:g} us of waits left out: shorter" in done.stderr.decode(), done.stderr


def test_only_some_times_threads_and_processes():
    (schedule,) = schedules(4, 1, 1500)
    write("t.fxt", schedule.trace())
    first, last = schedule.last // 3, schedule.last // 2
    assert folded("--sched", "off-cpu", "--time", f"{first}ns-{last}ns", "t.fxt") == (
        off_cpu(schedule, window=(first, last))[0])
    times = off_cpu(schedule)[0]
    assert folded("--sched", "off-cpu", "--tid", "101", "t.fxt") == {
        stack: ns for stack, ns in times.items() if ";t101[" in stack}
    assert folded("--sched", "off-cpu", "--pid", "7", "t.fxt") == times


def test_pprof_and_svg_have_the_same_times():
    (schedule,) = schedules(5, 1, 800)
    write("t.fxt", schedule.trace())
    times, counts = off_cpu(schedule)
    run(FXT2PPROF, "-q", "--sched", "off-cpu", "-o", "t.pb.gz", "t.fxt")
    profile = pprof_read.read("t.pb.gz")
    assert [kind["type"] for kind in profile["sample_type"]] == ["waits", "time"]
    assert pprof_sums(profile, 1) == sum(times.values())
    assert pprof_sums(profile, 0) == sum(counts.values())
    run(FXT2FOLDED, "-q", "--sched", "wakeup", "-o", "t.svg", "t.fxt")
    with open("t.svg", encoding="utf-8") as file:
        assert "[unknown waker]" in file.read()
    run(FXT2FOLDED, "-q", "--sched", "off-cpu", "-o", "t.speedscope.json", "t.fxt")
    with open("t.speedscope.json", encoding="utf-8") as file:
        profiles = json.load(file)["profiles"]
    assert sum(sum(one["weights"]) for one in profiles) == sum(times.values())


def pprof_sums(profile, index):
    return sum(sample["value"][index] for sample in profile["sample"])


def test_the_stack_at_the_switch_is_that_of_the_wait():
    write("t.fxt", trace_of(
        switch_out(1000, 7, 5, 0x1010, 0x1021, 0x1031),
        switch(1000, 0, 5, 6), switch(1500, 0, 6, 0), w.thread_wakeup(3000, 0, 5),
        switch_out(1500, 7, 6, 0x2010, end=3),
        switch(3100, 0, 0, 5), switch(5000, 0, 5, 0),
        # Of another time, another thread, and a second one.
        switch_out(5001, 7, 5, 0x3010), switch_out(5000, 7, 9, 0x3020),
        switch_out(1000, 7, 5, 0x3030), switch(6000, 0, 0, 6)))
    assert folded("--sched", "off-cpu", "--unsymbolized", "t.fxt") == {
        "process[7];thread[5];0x1031;0x1021;0x1010;[blocked]": 2000,
        "process[7];thread[5];0x1031;0x1021;0x1010;[runnable]": 100,
        "process[7];thread[5];[blocked]": 1000,
        "process[7];thread[6];[cut: no unwind table];0x2010;[blocked]": 4500,
    }
    # None of them is a sample.
    assert run(FXT2FOLDED, "t.fxt", status=1) == ""


def test_threads_that_wait_when_a_trace_begins_have_stacks_and_wakers():
    write("t.fxt", trace_of(
        waiting(5000, 7, 5, 0x1010, 0x1021), waiting(5000, 7, 6, woken=4000, waker=8),
        switch(5000, 0, 0, 0, state=1), switch(5200, 0, 0, 6), switch(6000, 0, 6, 5),
        # Not usable: no CPU, a wakeup in the future, no thread.
        waiting(5000, 7, 15, cpu=0x10000), waiting(5000, 7, 16, woken=5001),
        waiting(5000, 7, 0)))
    assert folded("--sched", "off-cpu", "--unsymbolized", "t.fxt") == {
        "process[7];thread[5];0x1021;0x1010;[blocked]": 1000,
        "process[7];thread[6];[runnable]": 200,
    }
    assert folded("--sched", "wakeup", "t.fxt") == {
        "process[7];thread[6];thread[8]": 1200}


def test_functions_have_names():
    elf = os.environ["ELF_KERNEL"]
    at = symbols(elf)
    # The leaf is an instruction, a caller a return address: the function's end.
    pcs = at["idle_loop"], at["timer_tick.end"]
    write("t.fxt", trace_of(
        switch(1000, 0, 5, 6), switch_out(1000, 7, 5, *pcs), switch(2000, 0, 6, 5)))
    assert folded("--sched", "off-cpu", "--roots", "none", "--elf", elf, "t.fxt") == {
        "timer_tick;idle_loop;[blocked]": 1000}


def test_an_address_means_what_was_mapped_there_at_the_switch():
    trace = trace_of(
        switch(1000, 0, 5, 6), switch_out(1000, 7, 5, 0x10010), switch(2000, 0, 6, 5),
        switch(8000, 0, 5, 6), switch_out(8000, 7, 5, 0x10010), switch(8500, 0, 6, 5))
    for ident, name, time in (1, b"a.so", 100), (2, b"b.so", 5000):
        trace.module(7, ident, name, bytes([ident]) * 20)
        trace.mapping(7, ident, 0x10000, 0x1000, 0, time=time)
    write("t.fxt", trace)
    found = folded("--sched", "off-cpu", "--roots", "none", "t.fxt")
    assert found == {"a.so+0x10;[blocked]": 1000, "b.so+0x10;[blocked]": 500,
                     "[blocked]": 6000}, found


def test_several_archives_are_separate_traces_and_regions_are_not():
    first, second = (switch(10, 0, 5, 0),), (switch(40, 1, 0, 5), switch(50, 1, 5, 0))
    write("a.fxt", trace_of(*first))
    write("b.fxt", trace_of(*second))
    assert folded("--sched", "off-cpu", "--value", "waits", "a.fxt", "b.fxt") == {
        "process[0];thread[5];[blocked]": 2}
    both = trace_of(*first)
    both.pieces += trace_of(*second).pieces
    write("both.fxt", both)
    assert folded("--sched", "off-cpu", "--value", "waits", "both.fxt") == {
        "process[0];thread[5];[blocked]": 2}
    for name, records in ("a.bin", first), ("b.bin", second):
        trace = trace_of(*records)
        trace.pieces.pop(0)
        write(name, trace)
    assert folded("--sched", "off-cpu", "a.bin", "b.bin") == {
        "process[0];thread[5];[blocked]": 30}


def test_what_is_missing_is_reported():
    write("t.fxt", trace_of(
        switch(10, 0, 5, 0), switch(20, 0, 6, 5), switch(30, 0, 5, 6), switch(40, 0, 6, 0),
        w.provider_event(0, 0), w.scheduling(9, 0, [1, 2])))
    done = subprocess.run([FXT2FOLDED, "--sched", "off-cpu", "t.fxt"], capture_output=True,
                          check=True)
    report = done.stderr.decode()
    for part in ("1 scheduling record contradicting", "1 scheduling record ignored",
                 "1 buffer that was full", "waits without a wakeup"):
        assert part in report, report


def test_a_pc_that_looks_like_a_name_is_none():
    write("t.fxt", trace_of(
        switch(10, 0, 5, 0), switch_out(10, 7, 5, 0x7fff << 48, (0x7fff << 48) + 1, 0x1010),
        switch(20, 0, 0, 5)))
    assert folded("--sched", "off-cpu", "--roots", "none", "t.fxt") == {
        "0x1010;0x0;0x0;[blocked]": 10}


def test_wall_clock_time_has_waits_and_samples():
    """The samples of a thread between its waits, each of which stands for 1,000 ns."""
    for schedule in schedules(7, 3, 1500):
        trace = schedule.trace()
        trace.add(w.event(0, 0, (1, 1), b"fxtrecord", b"recording",
                          [w.arg(4, b"period_ns", 1000)]))
        for time in range(50):
            trace.sample(time, 7, 3, 0x1010, 0x2011)
        write("t.fxt", trace)
        times, counts = off_cpu(schedule)
        stack = "process[7];thread[3];0x2011;0x1010"
        assert folded("--sched", "wall", "t.fxt") == {**times, stack: 50000}
        assert folded("--sched", "wall", "--value", "samples", "t.fxt") == {**counts, stack: 50}
        assert folded("--sched", "wall", "--min-wait", "20us", "t.fxt") == {
            **off_cpu(schedule, min_ns=20000)[0], stack: 50000}
        assert folded("--sched", "off-cpu", "t.fxt") == times
        run(FXT2PPROF, "-q", "--sched", "wall", "-o", "out.pb", "t.fxt")
        assert sum(pprof_read.fold(pprof_read.read("out.pb"), value=1).values()) == (
            sum(times.values()) + 50000)


def test_wall_clock_time_has_only_samples_that_stand_for_time():
    def trace(*declarations):
        trace = trace_of(switch(10, 0, 5, 0), switch(20, 0, 0, 5))
        for declare in declarations:
            declare(trace)
        trace.weighed(30, 7, 5, 0, 0, 0x1010)
        trace.weighed(40, 7, 5, 1, 5, 0x2020)
        # It looks like a name.
        trace.weighed(50, 7, 5, 0, 0, (0x7fff << 48) + 1)
        write("t.fxt", trace)

    def wall():
        done = subprocess.run([FXT2FOLDED, "--sched", "wall", "--roots", "none", "t.fxt"],
                              capture_output=True, check=True)
        return lines(done.stdout.decode()), done.stderr.decode()

    trace(lambda t: t.several(), lambda t: t.sampled(0, b"task-clock", b"nanoseconds", 300),
          lambda t: t.sampled(1, b"page-faults", b"count"))
    stacks, report = wall()
    assert stacks == {"[blocked]": 10, "0x1010": 300, "0x0": 300}, stacks
    assert "1 sample left out: of an event that is no time" in report, report
    # Both clocks measure the same time.
    for first, second in (b"task-clock", b"cpu-clock"), (b"cpu-clock", b"task-clock"):
        trace(lambda t: t.several(), lambda t: t.sampled(0, first, b"nanoseconds", 300),
              lambda t: t.sampled(1, second, b"nanoseconds"))
        stacks, report = wall()
        assert stacks == {"[blocked]": 10, "0x1010": 300, "0x0": 300}, stacks
        assert "1 sample left out: of an event that is no time, of a second clock" in report
    trace()
    stacks, report = wall()
    assert stacks == {"[blocked]": 10}, stacks
    assert "3 samples left out: of an event that is no time" in report, report
    # Where the trace does not state the period, it can be given.
    write("t.fxt", trace_of(switch(10, 0, 5, 0), switch(20, 0, 0, 5),
                            w.backtrace(30, (7, 5), [0x1010])))
    assert folded("--sched", "wall", "--roots", "none", "--period", "2us", "t.fxt") == {
        "[blocked]": 10, "0x1010": 2000}


def test_wall_clock_time_without_switches_is_that_of_samples_and_says_so():
    trace = trace_of(w.event(0, 0, (1, 1), b"fxtrecord", b"recording",
                             [w.arg(4, b"period_ns", 1000)]))
    trace.sample(10, 7, 3, 0x1010)
    write("t.fxt", trace)
    done = subprocess.run([FXT2FOLDED, "--sched", "wall", "--roots", "none", "t.fxt"],
                          capture_output=True, check=True)
    assert done.stdout == b"0x1010 1000\n", done
    assert b"no context switches" in done.stderr and b"--off-cpu" in done.stderr, done


def test_damaged_traces_are_read_to_their_end():
    rng = random.Random(6)
    for i, schedule in enumerate(schedules(7, 60, 200)):
        data = bytearray(schedule.trace().data())
        for _ in range(rng.randrange(1, 40)):
            data[rng.randrange(8, len(data))] ^= 1 << rng.randrange(8)
        with open("t.fxt", "wb") as file:
            file.write(data)
        for what in ("off-cpu", "wakeup"):
            done = subprocess.run([(FXT2FOLDED, FXT2PPROF)[i % 2], "-q", "--resync",
                                   "--archive", "--sched", what, "-o", "out", "t.fxt"],
                                  stderr=subprocess.PIPE, check=False,
                                  timeout=patience.SECONDS)
            assert done.returncode in (0, 1), done


def test_options_without_meaning_are_refused():
    write("t.fxt", trace_of(switch(10, 0, 5, 0)))
    for args in (["--sched", "on-cpu"], ["--min-wait", "1ms"], ["--sched", "off-cpu", "--spans"],
                 ["--sched", "wakeup", "--cpus", "1"], ["--sched", "off-cpu", "--period", "1ms"],
                 ["--sched", "off-cpu", "--format", "markup"],
                 ["--sched", "off-cpu", "--format", "json"]):
        run(FXT2FOLDED, *args, "t.fxt", status=2)


if __name__ == "__main__":
    main(sys.modules[__name__])
