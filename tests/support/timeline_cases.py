# SPDX-License-Identifier: BSD-2-Clause
"""What all timelines have to show, whatever their format. A module of tests has a Format,
and takes the cases of it:

    globals().update(timeline_cases.cases(FORMAT))
"""
import collections
import glob
import json
import os
import random
import subprocess
import sys

import fxtrandom
import fxtwrite
import speedscope_read
from fxtwrite import arg, event, log
from profile_cases import FXT2FOLDED, TOOLS, busy_trace, run, symbols, write
from timeline_view import self_and_total

INSTANT, COUNTER, ASYNC_BEGIN, ASYNC_INSTANT, ASYNC_END = 0, 1, 5, 6, 7
FLOW_BEGIN, FLOW_STEP, FLOW_END = 8, 9, 10


class Format:
    """The tool of a format, its reader (a module with `view`), whose `load` makes something
    of bytes, and the suffixes of its files; `others` are those that are refused."""

    def __init__(self, tool, reader, load, suffixes, others):
        self.tool = os.path.join(TOOLS, tool, tool)
        self.reader, self.load = reader, load
        self.suffixes, self.others = suffixes, others

    def convert(self, *arguments, status=0):
        return self.load(run(self.tool, "-q", *arguments, status=status, text=False))

    def view(self, *arguments, status=0):
        return self.reader.view(self.convert(*arguments, status=status))

    def compare(self, *arguments):
        """The stacks of each thread are those of fxt2folded."""
        loaded = self.convert(*arguments)
        expected = folded(*arguments)
        found = self.reader.view(loaded).fold()
        assert found == expected, (arguments, found, expected)
        for key, stacks in found.items():
            assert self_and_total(stacks) == self_and_total(expected[key])
        return loaded


def folded(*arguments, status=0):
    """The same as View.fold, of fxt2folded's profiles for speedscope, whose names are
    quoted for JSON, too."""
    document = json.loads(run(FXT2FOLDED, "-q", "--format", "speedscope", *arguments,
                              status=status))
    return speedscope_read.fold(document)


# ---- archives ----


def random_samples(rng, big_endian=False):
    """Samples, and names and mappings that change in between."""
    trace = fxtwrite.Trace(big_endian)
    trace.magic()
    trace.init(rng.choice((10**9, 1000, 24000000)))
    for i in range(300):
        pick = rng.randrange(30)
        thread = rng.randrange(5)
        if pick == 0:
            trace.thread(thread, b"t%d" % i, rng.choice((None, 1, 2)))
        elif pick == 1:
            trace.process(rng.randrange(3), b"p%d" % i)
        elif pick == 2:
            trace.module(1, 1, b"m%d" % rng.randrange(3), bytes([i % 256]) * 20)
            trace.mapping(1, 1, 0x1000 * rng.randrange(4), 0x1000, 0,
                          time=rng.randrange(1000))
        else:
            trace.backtrace(rng.randrange(1000), rng.randrange(3), thread,
                            *(rng.randrange(0x4000) for _ in range(rng.randrange(1, 5))))
    return trace


def large_ids():
    """Two threads each of processes whose ids are equal in 31 or 32 bits: (archive, the
    processes' koids)."""
    trace = fxtwrite.Trace()
    trace.magic()
    koids = [7, 2**31 + 7, 2**32 + 7, 2**63 + 7, 2**64 - 1]
    for i, process in enumerate(koids):
        trace.process(process, b"p")
        for thread in 8, process + 1 if process < 2**64 - 1 else 1:
            trace.backtrace(i, process, thread, 0x1000)
    return trace, koids


def scheduling():
    """A thread that is blocked from 100 on, runnable from 150 on and runs from 180 on."""
    trace = fxtwrite.Trace()
    trace.magic()
    trace.thread(2, b"worker", 1)
    trace.complete(90, 120, 1, 2, b"work")
    trace.add(fxtwrite.context_switch(100, 0, 3, 2, 3))
    trace.add(fxtwrite.thread_wakeup(150, 0, 2))
    trace.add(fxtwrite.context_switch(180, 0, 0, 3, 2))
    trace.backtrace(190, 1, 2, 0x1000)
    return trace


def asynchronous():
    """Events that nest, and some of another thread and of another id."""
    trace = fxtwrite.Trace()
    trace.magic()
    for time, thread, kind, ident in (
            (600, 2, ASYNC_BEGIN, 77), (700, 3, ASYNC_BEGIN, 78), (750, 3, ASYNC_BEGIN, 77),
            (800, 2, ASYNC_INSTANT, 77), (900, 2, ASYNC_END, 77), (2600, 3, ASYNC_END, 77),
            (2700, 3, ASYNC_END, 78), (2800, 2, ASYNC_BEGIN, 77), (2900, 2, ASYNC_END, 77)):
        trace.add(event(kind, time, (1, thread), b"io", b"load", extra=(ident,)))
    return trace


def inlined():
    """Samples of every address of a function with inlined ones, for each of several ELF
    files: (its variable's name, the options that name it, the archive)."""
    for name in "ELF_INLINES", "ELF_INLINES_5", "ELF_CPLUSPLUS":
        if name not in os.environ:
            continue
        at = symbols(os.environ[name])
        trace = fxtwrite.Trace()
        for i, pc in enumerate(range(at["main"], at["main.end"])):
            trace.backtrace(i, 1, 2 + i % 3, pc)
        yield name, ["--elf", os.environ[name]], write("p.bin", trace)


def hostile_names():
    trace = fxtwrite.Trace()
    trace.magic()
    for i, name in enumerate(fxtrandom.NASTY_STRINGS):
        me = (100 + i, 200 + i)
        trace.process(me[0], name)
        trace.thread(me[1], name, me[0])
        trace.module(me[0], 1, name, b"\1" * 20)
        trace.mapping(me[0], 1, 0x1000, 0x1000, 0)
        trace.backtrace(i, *me, 0x1010)
        trace.add(event(INSTANT, i, me, name, name, [arg(6, name, name)]))
        trace.add(event(COUNTER, i, me, name, name, [arg(1, name, 1)], (1,)))
        trace.add(log(i, me, name))
    return trace


def record(recorder):
    """The archive of a program with several threads, recorded by fxtrecord; None where
    nothing can be recorded."""
    if not recorder:
        return None
    fxtrecord, workload = recorder
    done = subprocess.run([fxtrecord, "-q", "-o", "r.fxt", workload, "-n", "200", "-j", "3"],
                          check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True)
    if done.returncode != 0:
        print("left out: nothing can be recorded here:", done.stderr.strip())
        return None
    return "r.fxt"


def captures():
    """Captures of two CPUs' stacks, as a debugger made them; None where they cannot be
    read."""
    if os.environ.get("HAS_CJSON") == "0":
        return None
    with open("c.json", "w", encoding="utf-8") as file:
        json.dump({"stack_traces": [{"0": ["leaf", "root"], "1": ["main"]},
                                    {"0": ["leaf", "root"]}]}, file)
    done = subprocess.run([FXT2FOLDED, "-q", "c.json"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=False)
    return None if b"libcjson" in done.stderr else "c.json"


# ---- samples ----


def stacks_are_those_of_fxt2folded(form):
    write("p.fxt", busy_trace())
    for options in ([], ["--pid", "1045"], ["--tid", "2078,2079"], ["--time", "1.2ms-2ms"],
                    ["--fold-recursion"], ["--skip-above", "libc"], ["--period", "1ms"],
                    ["--skip-below", "libc"], ["--process", "sh*"],
                    ["--idle", "hide", "--idle-function", "libc"]):
        form.compare(*options, "p.fxt")
    for name in "region.bin", "regions.bin":
        form.compare(os.path.join(data_directory(), name))


def inlined_functions_are_frames(form):
    for _, options, name in inlined():
        for how in "lines", "frames", "off":
            form.compare(*options, "--inlines", how, name)


def random_samples_are_those_of_fxt2folded(form):
    for seed in range(40):
        rng = random.Random(seed)
        write("r.fxt", random_samples(rng, seed % 3 == 0))
        form.compare(*rng.choice(([], ["--fold-recursion"], ["--tid", "1,2"], ["--pid", "1"])),
                     "r.fxt")


def any_archive_makes_a_valid_file(form):
    names = glob.glob(os.path.join(data_directory(), "*.fxt"))
    for seed in range(60):
        names.append("r%d.fxt" % seed)
        with open(names[-1], "wb") as file:
            file.write(fxtrandom.Generator(seed, seed % 2 == 0).archive(80))
    for name in names:
        done = subprocess.run([form.tool, "-q", name], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        assert done.returncode in (0, 1), done
        if not done.stdout:
            continue
        status = subprocess.run([FXT2FOLDED, "-q", name], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, check=False).returncode
        assert form.reader.view(form.load(done.stdout)).fold() == folded(name, status=status), \
            name


def samples_are_at_their_times(form):
    """Also those of regions, those of two clocks, and those that other samples equal."""
    trace = fxtwrite.Trace()
    trace.magic()
    trace.init(1000)
    times = [7, 3, 3, 250, 12, 12, 12, 99]
    for i, time in enumerate(times):
        trace.backtrace(time, 1, 2, 0x1000 + 16 * (i % 2))
    write("a.fxt", trace)
    expected = sorted(((time - 3) * 10**6, (1, 2), ("0x%x" % (0x1000 + 16 * (i % 2)),), 1)
                      for i, time in enumerate(times))
    assert sorted(form.view("a.fxt").samples) == expected
    regions = []
    for cpu in range(3):
        region = fxtwrite.Trace()
        for i in range(5):
            region.sample(10 * i + cpu, 1, 2 + i % 2, 0x2000)
        regions.append(write("cpu%d.bin" % cpu, region))
    assert sorted(row[:2] for row in form.view(*regions).samples) == \
        sorted((10 * i + cpu, (1, 2 + i % 2)) for i in range(5) for cpu in range(3))


def no_nanosecond_is_lost(form):
    """Of times that no double has whole, and of distances that are as large as a day."""
    trace = fxtwrite.Trace()
    trace.magic()
    first, day = 2**62 + 1, 86400 * 10**9
    for distance in 0, 1, 999, 10**9 + 1, day - 1, day:
        trace.backtrace(first + distance, 1, 2, 0x1000)
        trace.complete(first + distance, first + distance + 1, 1, 3, b"s")
    write("a.fxt", trace)
    found = form.view("a.fxt")
    assert [row[0] for row in found.samples] == [0, 1, 999, 10**9 + 1, day - 1, day]
    assert found.spans_of((1, 3)) == [(d, -d - 1, "s")
                                      for d in (0, 1, 999, 10**9 + 1, day - 1, day)]


def a_thread_has_its_last_name(form):
    """Samples are separated and merged after their times were logged."""
    trace = fxtwrite.Trace()
    trace.magic()
    trace.thread(2, b"one", 1)
    for i in range(40):
        if i == 20:
            trace.thread(2, b"two", 1)
        trace.backtrace(10 * i, 0 if i % 4 == 0 else 1, 2, 0x1010 + 16 * (i % 3))
    trace.module(1, 1, b"old", b"\1" * 20)
    trace.mapping(1, 1, 0x1000, 0x1000, 0, time=0)
    trace.module(1, 1, b"new", b"\2" * 20)
    trace.mapping(1, 1, 0x1000, 0x1000, 0, time=195)
    write("a.fxt", trace)
    found = form.view("a.fxt")
    assert [name for _, name in found.names.values()] == ["two"]
    assert found.samples == \
        [(10 * i, (1, 2), ("%s+0x%x" % ("old" if i < 20 else "new", 16 + 16 * (i % 3)),), 1)
         for i in range(40)]
    form.compare("--skip-above", "nothing", "a.fxt")


# ---- events ----


def spans_are_matched_as_fxt2folded_matches_them(form):
    """The time of all spans with no other inside is the same."""
    for seed in range(30):
        rng = random.Random(seed)
        trace = fxtwrite.Trace()
        trace.magic()
        for i in range(60):
            time, thread = rng.randrange(50), rng.randrange(1, 3)
            kind = rng.randrange(3)
            if kind == 0:
                trace.complete(time, time + rng.randrange(20), 1, thread, b"c%d" % (i % 4))
            elif kind == 1:
                trace.begin(time, 1, thread, b"b%d" % (i % 4))
            else:
                trace.end(time, 1, thread)
        write("s.fxt", trace)
        found = form.view("s.fxt")
        spans = folded("--spans", "s.fxt")
        own = form.view("--spans", "s.fxt").fold()
        assert {key: +stacks for key, stacks in own.items()} == spans, seed
        for thread in found.names:
            total, counted = collections.Counter(), collections.Counter()
            for begin, end, name in found.spans_of(thread):
                total[name] += -end - begin
            for stack, time in spans.get(thread, {}).items():
                for name in stack:
                    counted[name] += time
            assert +total == +counted, (seed, thread, total, counted)


def overlapping_spans_are_whole(form):
    trace = fxtwrite.Trace()
    trace.magic()
    rows = [(0, 10, "outer"), (2, 5, "inner"), (4, 8, "beside"), (9, 20, "after"),
            (10, 10, "empty"), (10, 20, "next")]
    for begin, end, name in rows:
        trace.complete(begin, end, 1, 2, name.encode())
    for cpu in range(3):
        trace.drops(cpu, 1, 8, cpu, 10 + cpu)
    write("o.fxt", trace)
    found = form.view("o.fxt")
    assert found.spans_of((1, 2)) == sorted((begin, -end, name) for begin, end, name in rows)
    assert sorted(row[1:3] for row in found.spans if row[3] == "records dropped") == \
        [(cpu, 10 + cpu) for cpu in range(3)]


def asynchronous_events_have_ids(form):
    write("a.fxt", asynchronous())
    assert sorted(form.view("a.fxt").asyncs) == \
        [(1, "0x4d", 0, 2000, "load"), (1, "0x4d", 150, 300, "load"),
         (1, "0x4d", 2200, 2300, "load"), (1, "0x4e", 100, 2100, "load")]


def asynchronous_events_without_ends_are_whole(form):
    """An end is of the last begin with its id and name in the process; a begin without one
    lasts until the last such event."""
    for seed in range(40):
        rng = random.Random(seed)
        trace = fxtwrite.Trace()
        trace.magic()
        rows, last, begun = [], {}, collections.defaultdict(list)
        for time in range(60):
            process, name = rng.randrange(1, 3), rng.choice((b"load", b"parse"))
            thread = 10 * process + rng.randrange(3)
            kind = rng.choice((ASYNC_BEGIN, ASYNC_BEGIN, ASYNC_END)) if time else ASYNC_BEGIN
            trace.add(event(kind, time, (process, thread), b"io", name, extra=(7,)))
            last[process, name] = time
            if kind == ASYNC_BEGIN:
                begun[process, name].append(len(rows))
                rows.append([process, "0x7", time, None, name.decode()])
            elif begun[process, name]:
                rows[begun[process, name].pop()][3] = time
        for row in rows:
            if row[3] is None:
                row[3] = last[row[0], row[4].encode()]
        write("a.fxt", trace)
        assert sorted(form.view("a.fxt").asyncs) == \
            sorted(tuple(row) for row in rows if row[2] != row[3]), seed


def times_off_the_cpu_are_of_their_thread(form):
    write("s.fxt", scheduling())
    found = form.view("s.fxt")
    assert found.spans_of((1, 2))[:3] == [(0, -30, "work"), (10, -60, "blocked"),
                                          (60, -90, "runnable")], found.spans_of((1, 2))
    assert found.names[1, 2][1] == "worker"
    # In place of samples, each counts as its time.
    waits = form.view("--sched", "off-cpu", "s.fxt").fold()
    assert waits[1, 2] == {("[blocked]",): 50, ("[runnable]",): 30}, waits


def flows_have_ids(form):
    trace = fxtwrite.Trace()
    trace.magic()
    trace.complete(650, 750, 1, 2, b"around")
    for time, thread, kind in (700, 2, FLOW_BEGIN), (800, 3, FLOW_STEP), (900, 4, FLOW_END):
        trace.add(event(kind, time, (1, thread), b"io", b"hop", extra=(2**63 + 9,)))
    write("f.fxt", trace)
    found = form.view("f.fxt")
    assert found.flows == [((1, 2), 50, 2**63 + 9, False), ((1, 3), 150, 2**63 + 9, False),
                           ((1, 4), 250, 2**63 + 9, True)], found.flows
    assert found.spans == [((1, 2), 0, 100, "around")], found.spans


def flows_are_of_an_id_a_name_and_a_category(form):
    """And of no process: a flow goes from one to others."""
    trace = fxtwrite.Trace()
    trace.magic()
    for time, process, kind, category, name in [
            (10, 1, FLOW_BEGIN, b"io", b"read"), (11, 1, FLOW_BEGIN, b"io", b"write"),
            (12, 1, FLOW_BEGIN, b"net", b"read"), (20, 2, FLOW_STEP, b"io", b"write"),
            (30, 2, FLOW_END, b"net", b"read"), (31, 2, FLOW_END, b"io", b"read"),
            (32, 3, FLOW_END, b"io", b"write")]:
        trace.add(event(kind, time, (process, 4), category, name, extra=(7,)))
    write("o.fxt", trace)
    found = form.view("o.fxt")
    assert sorted((time, ident) for _, time, ident, _ in found.flows) == \
        [(time, 7) for time in (0, 1, 2, 10, 20, 21, 22)], found.flows
    times = collections.defaultdict(list)
    for (_, time, _, _), key in zip(found.flows, found.flow_keys):
        times[key].append(time)
    assert sorted(map(sorted, times.values())) == [[0, 21], [1, 10, 22], [2, 20]], times


def counters_have_their_values(form):
    trace = fxtwrite.Trace()
    trace.magic()
    values = [(5, 10), (7, 4), (9, 4), (11, -3)]
    for time, value in values:
        trace.add(event(COUNTER, time, (1, 2), b"c", b"queue",
                        [arg(3, b"length", value), arg(5, b"load", value / 4),
                         arg(6, b"note", b"no number"), arg(5, b"nan", float("nan"))], (0,)))
    trace.add(event(COUNTER, 6, (1, 2), b"c", b"queue", [arg(3, b"length", 1)], (8,)))
    trace.add(event(COUNTER, 6, (9, 10), b"c", b"queue", [arg(4, b"length", 2**63)], (0,)))
    trace.add(event(COUNTER, 6, (9, 10), b"c", b"words", [arg(6, b"note", b"none")], (0,)))
    write("c.fxt", trace)
    found = form.view("c.fxt")
    assert dict(found.counters) == {
        (1, "queue:length"): [(t - 5, v) for t, v in values],
        (1, "queue:load"): [(t - 5, v / 4) for t, v in values],
        (1, "queue:length [8]"): [(1, 1)], (9, "queue:length"): [(1, 2.0**63)]}, found.counters
    assert not found.instants


def events_of_filters(form):
    trace = fxtwrite.Trace()
    trace.magic()
    for thread in 2, 3:
        for i in range(10):
            trace.event(INSTANT, 100 * i, thread - 1, thread, b"tick")
            trace.backtrace(100 * i, thread - 1, thread, 0x1000)
    write("e.fxt", trace)
    done = subprocess.run([form.tool, "--pid", "1", "--time", "0.2us-0.5us", "e.fxt"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    assert b"16 events left out: of other times, processes or threads" in done.stderr, done
    assert form.reader.view(form.load(done.stdout)).instants == \
        [((1, 2), 100 * i, "tick") for i in range(4)]


def providers_have_tables_of_their_own(form):
    trace = fxtwrite.Trace()
    trace.magic()
    for provider, name in (1, b"first"), (2, b"second"):
        trace.provider(provider, b"provider")
        trace.add(fxtwrite.string(1, name))
        trace.add(event(INSTANT, provider, (1, 10), b"", 1))
    trace.section(1)
    trace.add(event(INSTANT, 3, (1, 10), b"", 1))
    write("p.fxt", trace)
    assert form.view("p.fxt").instants == \
        [((1, 10), 0, "first"), ((1, 10), 1, "second"), ((1, 10), 2, "first")]


# ---- what readers get wrong ----


def ids_above_31_bits_do_not_fall_together(form):
    """Perfetto cuts them, and shows cut ones as one thread."""
    trace, koids = large_ids()
    write("k.fxt", trace)
    form.compare("k.fxt")
    found = form.view("k.fxt")
    assert len(found.names) == len({tid for _, tid in found.shown.values()}) == 9
    assert all(0 <= number < 2**31 for ids in found.shown.values() for number in ids)
    names = {process for process, _ in found.names.values()}
    assert names == {"p", *("p[%d]" % koid for koid in koids[1:])}, names


def hostile_names_are_valid_text(form):
    write("h.fxt", hostile_names())
    found = form.view("h.fxt")
    n = len(fxtrandom.NASTY_STRINGS)
    assert len(found.names) == len(found.counters) == n and len(found.instants) == 2 * n


def what_has_nothing_is_an_empty_file(form):
    trace = fxtwrite.Trace()
    trace.magic()
    write("n.fxt", trace)
    found = form.view("n.fxt", status=1)
    assert not found.samples and not found.spans
    heap = os.path.join(data_directory(), "heap_v1.bin")
    done = subprocess.run([form.tool, "-q", "--archive", heap], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    assert done.returncode in (1, 2), done


# ---- files ----


def the_name_decides_on_compression(form):
    write("p.fxt", busy_trace())
    plain = form.view("p.fxt").samples
    for suffix in *form.suffixes, "", *(s + ".gz" for s in form.suffixes), ".gz":
        name = "a" + suffix
        run(form.tool, "-q", "-o", name, "p.fxt")
        with open(name, "rb") as file:
            data = file.read()
        assert (data[:2] == b"\x1f\x8b") == name.endswith(".gz"), name
        assert form.reader.view(form.load(data)).samples == plain, name
    for suffix in form.others:
        run(form.tool, "-q", "-o", "a" + suffix, "p.fxt", status=2)


def captures_are_one_after_the_other(form):
    if captures() is None:
        return
    found = form.view("--period", "10ms", "c.json")
    assert sorted(name for _, name in found.names.values()) == ["CPU 0", "CPU 1"]
    assert [(time, stack) for time, thread, stack, _ in found.samples
            if found.names[thread][1] == "CPU 0"] == \
        [(0, ("root", "leaf")), (10**7, ("root", "leaf"))]


def data_directory():
    return os.path.abspath(sys.argv[2])


CASES = (
    stacks_are_those_of_fxt2folded, inlined_functions_are_frames,
    random_samples_are_those_of_fxt2folded, any_archive_makes_a_valid_file,
    samples_are_at_their_times, no_nanosecond_is_lost, a_thread_has_its_last_name,
    spans_are_matched_as_fxt2folded_matches_them, overlapping_spans_are_whole,
    asynchronous_events_have_ids, asynchronous_events_without_ends_are_whole,
    times_off_the_cpu_are_of_their_thread, flows_have_ids,
    flows_are_of_an_id_a_name_and_a_category, counters_have_their_values,
    events_of_filters, providers_have_tables_of_their_own,
    ids_above_31_bits_do_not_fall_together, hostile_names_are_valid_text,
    what_has_nothing_is_an_empty_file, the_name_decides_on_compression,
    captures_are_one_after_the_other,
)


def cases(form):
    """Functions for profile_cases.main."""
    def of(case):
        return lambda: case(form)
    return {"test_" + case.__name__: of(case) for case in CASES}
