#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Recordings of several events (docs/sampled-events.md): each is a separate value type,
which --value chooses. Argument: the tools' build directory."""
import collections
import json
import os
import subprocess
import sys

import fxtwrite
import pprof_read
from profile_cases import FXT2FOLDED, FXT2PPROF, FXTREPORT, TOOLS, main, run, write

FXT2FIREFOX = os.path.join(TOOLS, "fxt2firefox", "fxt2firefox")
FXT2PERFETTO = os.path.join(TOOLS, "fxt2perfetto", "fxt2perfetto")
FAULTS, CLOCK = "page-faults", "task-clock"


def begin(start=1, clock_first=False):
    """Page faults with weights, and a clock of 1,000 ns; or in the other order."""
    trace = fxtwrite.archive()
    trace.provider(1, b"fxtrecord")
    trace.several(start)
    events = [(b"page-faults", b"count"), (b"task-clock", b"nanoseconds", 1000)]
    for number, declared in enumerate(events[::-1] if clock_first else events):
        trace.sampled(number, *declared)
    trace.process(5, b"program")
    trace.thread(6, b"main", 5)
    trace.module(5, 1, b"/lib/module", b"\x0a\x0b")
    trace.mapping(5, 1, 0x10000, 0x10000, 0)
    trace.provider(2, b"cpu0")
    return trace


def archive(name, clock_first=False, **options):
    """In one function 70 faults, in 3 samples, and one period; in another 5 periods."""
    trace = begin(clock_first=clock_first, **options)
    faults, clock = (1, 0) if clock_first else (0, 1)
    for time, weight in (10, 40), (20, 20), (30, 10):
        trace.weighed(time, 5, 6, faults, weight, 0x10100, 0x10901)
    trace.weighed(35, 5, 6, clock, 0, 0x10100, 0x10901)
    for time in range(40, 90, 10):
        trace.weighed(time, 5, 6, clock, 0, 0x10200, 0x10901)
    return trace if name is None else write(name, trace)


FAULT_STACK = ("module+0x901", "module+0x100")
CLOCK_STACK = ("module+0x901", "module+0x200")


def folded(*arguments):
    stacks = pprof_read.read_folded(run(FXT2FOLDED, "-q", "--roots", "none", *arguments))
    return {stack: n for stack, n in stacks.items() if n != 0}


def fails(message, *command, status=2):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == status and message in done.stderr, done


def pprof(*arguments):
    run(FXT2PPROF, "-q", "-o", "out.pb", *arguments)
    return pprof_read.read("out.pb")


def types_of(profile):
    return [(kind["type"], kind["unit"]) for kind in profile["sample_type"]]


def totals(profile):
    return [sum(column) for column in zip(*(s["value"] for s in profile["sample"]))]


def test_pprof_has_a_value_type_for_each_event():
    archive("a.fxt")
    profile = pprof("a.fxt")
    assert types_of(profile) == [("samples", "count"), (FAULTS, "count"),
                                 (CLOCK, "nanoseconds")], types_of(profile)
    assert profile["default_sample_type"] == FAULTS
    assert totals(profile) == [9, 70, 6000], totals(profile)
    # A sample of one event has nothing of another.
    assert all(0 in s["value"][1:] and sum(s["value"][1:]) > 0 for s in profile["sample"])
    assert pprof_read.fold(profile, value=1) == {FAULT_STACK: 70, CLOCK_STACK: 0}
    assert pprof_read.fold(profile, value=2) == {FAULT_STACK: 1000, CLOCK_STACK: 5000}


def test_value_chooses_an_event_and_the_first_is_the_default():
    archive("a.fxt")
    archive("b.fxt", clock_first=True)
    for name, default in ("a.fxt", FAULTS), ("b.fxt", CLOCK):
        assert folded("--value", FAULTS, name) == {FAULT_STACK: 70}
        assert folded("--value", CLOCK, name) == {FAULT_STACK: 1000, CLOCK_STACK: 5000}
        assert folded("--value", "time", name) == folded("--value", CLOCK, name)
        assert folded("--value", "samples", name) == {FAULT_STACK: 4, CLOCK_STACK: 5}
        assert folded(name) == folded("--value", default, name)
    assert "page-faults" in run(FXT2FOLDED, "-q", "--format", "svg", "a.fxt")
    scope = json.loads(run(FXT2FOLDED, "-q", "--format", "speedscope", "--value", CLOCK,
                           "a.fxt"))
    assert scope["profiles"][0]["unit"] == "nanoseconds"
    assert sum(scope["profiles"][0]["weights"]) == 6000
    report = json.loads(run(FXTREPORT, "-q", "--json", "--value", FAULTS, "a.fxt"))
    assert "page-faults" in json.dumps(report)
    assert "3 samples in 70 ns, 70 page-faults" in run(FXTREPORT, "-q", "a.fxt")


def test_an_unknown_name_is_refused_with_those_that_there_are():
    archive("a.fxt")
    message = ("--value cycles: there is no such value in the input, which has samples, "
               "page-faults and task-clock")
    for tool in FXT2FOLDED, FXTREPORT, FXT2FIREFOX, FXT2PERFETTO:
        fails(message, tool, "--value", "cycles", "-o", "out", "a.fxt")
        assert not os.path.exists("out")


def test_timelines_show_one_event():
    archive("a.fxt")
    for value, weights in ((FAULTS, [40, 20, 10]), (CLOCK, None), ("samples", 9)):
        run(FXT2FIREFOX, "-q", "--value", value, "-o", "out.json", "a.fxt")
        with open("out.json", encoding="utf-8") as file:
            tables = [t["samples"] for t in json.load(file)["threads"]
                      if t["samples"]["length"] > 0]
        assert len(tables) == 1
        if weights is None:
            assert tables[0]["length"] == 6 and tables[0]["weight"] is None
        elif weights == 9:
            assert tables[0]["length"] == 9
        else:
            assert tables[0]["weight"] == weights, tables[0]
    sizes = []
    for value in CLOCK, "samples":
        run(FXT2PERFETTO, "-q", "--value", value, "-o", "out.pftrace", "a.fxt")
        sizes.append(os.path.getsize("out.pftrace"))
    assert sizes[0] < sizes[1]


def test_values_add_up_to_what_was_counted():
    """The samples stand for 140 faults, as a half was lost; there were 147."""
    trace = archive(None)
    trace.provider(1, b"fxtrecord")
    trace.sampled_end(0, counted=147, sampled=140, lost=3)
    trace.sampled_end(1, counted=12000, sampled=6000)
    write("a.fxt", trace)
    profile = pprof("a.fxt")
    assert totals(profile)[0] == 9 and abs(totals(profile)[1] - 73.5) <= 0.5
    assert totals(profile)[2] == 12000
    assert any("3 samples of page-faults lost" in c for c in profile["comment"])
    # Another archive of the same recording has the counts of both.
    more = archive(None)
    more.provider(1, b"fxtrecord")
    more.sampled_end(0, counted=280, sampled=140)
    write("b.fxt", more)
    assert totals(pprof("a.fxt", "b.fxt"))[1] == 280
    # And one of another recording has its own.
    more = archive(None, start=2)
    more.provider(1, b"fxtrecord")
    more.sampled_end(0, counted=273, sampled=140)
    write("c.fxt", more)
    assert totals(pprof("a.fxt", "c.fxt"))[1] == 140 * (147 + 273) // 280


def test_samples_whose_value_is_rounded_to_0_are_of_their_event():
    """Ten samples of ten stacks, which stand for five faults."""
    trace = begin()
    for i in range(10):
        trace.weighed(10 + 10 * i, 5, 6, 0, 1, 0x10100 + 16 * i, 0x10901)
    trace.weighed(200, 5, 6, 1, 0, 0x10300, 0x10901)
    trace.provider(1, b"fxtrecord")
    trace.sampled_end(0, counted=5, sampled=10)
    write("a.fxt", trace)
    assert sum(folded("--value", FAULTS, "a.fxt").values()) == 5
    report = run(FXTREPORT, "-q", "--value", FAULTS, "a.fxt")
    assert "10 samples" in report and "5 page-faults" in report, report
    assert "11 samples" in run(FXTREPORT, "-q", "--value", "samples", "a.fxt")
    assert "1 sample " in run(FXTREPORT, "-q", "--value", CLOCK, "a.fxt")
    run(FXT2FIREFOX, "-q", "--value", FAULTS, "-o", "out.json", "a.fxt")
    with open("out.json", encoding="utf-8") as file:
        tables = [t["samples"] for t in json.load(file)["threads"]]
    assert sum(t["length"] for t in tables) == 10, tables
    assert sum(sum(t["weight"] or []) for t in tables) == 5, tables


def test_samples_have_the_weight_of_their_time_where_names_change():
    """Samples are moved to the name that their thread had: with event and weight."""
    trace = archive(None)
    trace.thread(6, b"worker", 5, since=37)
    write("a.fxt", trace)
    stacks = collections.Counter()
    for line in run(FXT2FOLDED, "-q", "--roots", "thread", "--value", CLOCK,
                    "a.fxt").splitlines():
        stacks[line.partition("[")[0]] += int(line.rpartition(" ")[2])
    assert stacks == {"main": 1000, "worker": 5000}, stacks


def test_recordings_without_events_are_shown_beside_those_that_have_some():
    archive("a.fxt")
    trace = fxtwrite.archive()
    trace.provider(1, b"fxtrecord")
    trace.recording(250)
    trace.provider(2, b"cpu0")
    for time in range(4):
        trace.sample(time, 5, 6, 0x10300)
    write("plain.fxt", trace)
    for order in ("a.fxt", "plain.fxt"), ("plain.fxt", "a.fxt"):
        profile = pprof(*order)
        assert types_of(profile)[1:] == [(FAULTS, "count"), (CLOCK, "nanoseconds"),
                                         ("cpu", "nanoseconds")]
        assert totals(profile) == [13, 70, 6000, 1000], totals(profile)
        assert any(c.startswith("4 samples of another recording") for c in
                   profile["comment"]), profile["comment"]
    assert types_of(pprof("plain.fxt")) == [("samples", "count"), ("cpu", "nanoseconds")]


def test_hostile_declarations_are_counted():
    trace = begin()
    for number in range(2, 40):
        trace.sampled(number, b"event-%d" % number, b"count", 1)
    trace.sampled(2, b"a;b \xff\n\"<", b"bananas", (1 << 64) - 1)
    trace.weighed(10, 5, 6, 2, (1 << 64) - 1, 0x10100)
    trace.weighed(20, 5, 6, 2, 1 << 62, 0x10100)
    trace.weighed(30, 5, 6, 2, 1 << 62, 0x10100)
    trace.weighed(40, 5, 6, 200, 1, 0x10100)
    trace.weighed(50, 5, 6, 0xffffffff, 1, 0x10100)
    trace.sampled_end(1, counted=(1 << 64) - 1, sampled=1)
    trace.sampled_end(99, counted=1, sampled=1)
    write("a.fxt", trace)
    profile = pprof("a.fxt")
    names = [kind["type"] for kind in profile["sample_type"]]
    # The last of 16 events has no room: there were 16 names before it.
    assert len(names) == 17 and names[16] == "event-15", names
    assert totals(profile)[0] == 5
    comments = " ".join(profile["comment"])
    assert "27 declarations of an event ignored" in comments, comments
    assert "2 samples of an event that the recording does not declare" in comments
    # A name is shown without what would be something else in a format.
    trace = begin()
    trace.sampled(0, b"a b\xff\n", b"bananas", 3)
    trace.weighed(10, 5, 6, 0, 0, 0x10100)
    trace.weighed(10, 5, 6, 0, 1 << 63, 0x10100)
    trace.weighed(10, 5, 6, 0, 1 << 63, 0x10100)
    write("b.fxt", trace)
    assert types_of(pprof("b.fxt"))[3] == ("a_b__", "count")
    assert totals(pprof("b.fxt"))[3] == (1 << 63) - 1


if __name__ == "__main__":
    main(sys.modules[__name__])
