#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Traces of fxt2chrome, by a strict reader of the format: what every sample, event and
counter says, against fxt2folded and what was written into the archive, and that they are
those of fxt2firefox and fxt2perfetto.

test_chrome.py TOOLS_DIR DATA_DIR [FXTRECORD WORKLOAD]"""
import collections
import os
import random
import re
import sys

import chrome_read
import firefox_read
import fxtrandom
import fxtwrite
import perfetto_read
import timeline_cases
from fxtwrite import arg, event, log
from profile_cases import busy_trace, main, run, write
from timeline_cases import COUNTER, FLOW_BEGIN, FLOW_END, FLOW_STEP, INSTANT

RECORDER = [os.path.abspath(program) for program in sys.argv[3:5]]
FORMAT = timeline_cases.Format(
    "fxt2chrome", chrome_read, chrome_read.load, (".json", ".chrome.json"),
    (".svg", ".pb.gz", ".speedscope.json", ".html", ".pftrace"))
globals().update(timeline_cases.cases(FORMAT))
convert, compare = FORMAT.convert, FORMAT.compare
# The other timelines, with their readers.
OTHERS = [
    timeline_cases.Format("fxt2firefox", firefox_read, firefox_read.load, (), ()),
    timeline_cases.Format("fxt2perfetto", perfetto_read, perfetto_read.Trace, (), ())]


def events(document, phases):
    return [e for e in chrome_read.in_order(document) if e["ph"] in phases]


def agree(name):
    """All that timelines say is the same in all of them."""
    found = FORMAT.view(name)
    for other in OTHERS:
        expected = other.view(name)
        for key in "names", "shown", "counters":
            assert getattr(found, key) == getattr(expected, key), (other.tool, key)
        for key in "samples", "spans", "asyncs", "instants", "flows":
            assert sorted(getattr(found, key)) == sorted(getattr(expected, key)), \
                (other.tool, key)
    return found


# ---- samples ----


def test_stacks_share_their_frames():
    trace = fxtwrite.archive()
    for i in range(1000):
        trace.backtrace(i, 1, 2, 0x1000 + 16 * (i % 3), *range(0x5000, 0x5640, 16))
    write("s.fxt", trace)
    document = convert("s.fxt")
    assert len(document["stackFrames"]) == 100 + 3
    assert len(document["samples"]) == 1000


def test_frames_have_their_module_file_and_line():
    for name, options, archive in timeline_cases.inlined():
        frames = list(convert(*options, archive)["stackFrames"].values())
        assert any("parent" in frame for frame in frames) or name != "ELF_INLINES" or \
            os.environ.get("HAS_LIBDW") != "1"
        if os.environ.get("HAS_LIBDW") == "1" and name == "ELF_INLINES":
            assert all(frame["file"].endswith(".c") for frame in frames), frames
            assert any(frame["line"] > 0 for frame in frames)
    write("p.fxt", busy_trace())
    frames = convert("p.fxt")["stackFrames"].values()
    assert {frame["category"] for frame in frames} == {"app", "libc.so", ""}


def test_samples_have_their_cpus_and_weights():
    regions = []
    for cpu in range(3):
        region = fxtwrite.Trace()
        for i in range(5):
            region.sample(10 * i + cpu, 1, 2 + i % 2, 0x2000)
        regions.append(write("cpu%d.bin" % cpu, region))
    samples = convert(*regions)["samples"]
    assert [(s["ts"] * 1000, s["cpu"], s["weight"], s["name"]) for s in samples] == \
        [(10 * i + cpu, cpu, 1, "samples (count)") for i in range(5) for cpu in range(3)]
    write("s.fxt", timeline_cases.scheduling())
    weights = [s for s in convert("--sched", "off-cpu", "s.fxt")["samples"] if s["tid"] == 2]
    assert sorted((s["weight"], s["name"]) for s in weights) == \
        [(30, "time (nanoseconds)"), (50, "time (nanoseconds)")], weights


def test_names_of_events_are_data():
    trace = fxtwrite.archive()
    trace.provider(1, b"fxtrecord")
    trace.several()
    trace.sampled(0, b'a"b\\</c>', b"count")
    trace.weighed(10, 5, 6, 0, 3, 0x1000)
    write("n.fxt", trace)
    assert [s["name"] for s in convert("n.fxt")["samples"]] == ['a"b\\</c> (count)']


def test_what_is_known_of_the_recording():
    trace = fxtwrite.archive()
    trace.event(INSTANT, 5_000_000, 1, 2, b"before")
    trace.backtrace(8_000_000, 1, 2, 0x1000)
    write("w.fxt", trace)
    others = convert("--start-time", "1700000000.5", "--period", "2ms", "w.fxt")["otherData"]
    assert others["start_clock_ns"] == "5000000"
    assert others["start_unix_ns"] == "1700000000497000000"
    assert others["period_ns"] == "2000000"
    assert not {"start_unix_ns", "period_ns"} & set(convert("w.fxt")["otherData"])
    assert any(note.startswith("# fxt2chrome -q") for note in others.values()), others


def test_a_recording():
    """By fxtrecord, of a program with several threads."""
    if timeline_cases.record(RECORDER) is None:
        return
    document = compare("r.fxt")
    assert len(document["samples"]) > 20
    assert int(document["otherData"]["start_unix_ns"]) > 1.5e18
    agree("r.fxt")


# ---- events ----


def test_arguments_keep_their_digits_and_types():
    trace = fxtwrite.archive()
    args = [arg(6, b"path", b"/x"), arg(4, b"bytes", 2**64 - 1), arg(3, b"delta", -5),
            arg(5, b"ratio", 0.5), arg(9, b"flag", True), arg(2, b"n", 7), arg(0, b"none"),
            arg(7, b"at", 0x1234), arg(8, b"koid", 2**53 + 1), arg(3, b"low", -2**53 - 1),
            arg(4, b"whole", 2**53), arg(5, b"inf", float("inf"))]
    trace.add(event(4, 1000, (1, 2), b"io", b"read", args, (3000,)))
    trace.add(log(1500, (1, 2), b"hello"))
    write("e.fxt", trace)
    complete, = events(convert("e.fxt"), "X")
    assert complete == {
        "ph": "X", "pid": 1, "tid": 2, "ts": 0, "dur": 2, "name": "read", "cat": "io",
        "args": {"path": "/x", "bytes": "18446744073709551615", "delta": -5, "ratio": 0.5,
                 "flag": True, "n": 7, "none": None, "at": "0x1234",
                 "koid": "9007199254740993", "low": "-9007199254740993", "whole": 2**53,
                 "inf": "inf"}}, complete
    instant, = events(convert("e.fxt"), "i")
    assert (instant["name"], instant["cat"], instant["s"]) == ("hello", "log", "t"), instant


def test_counters_have_all_digits():
    """They are numbers even where a reader that takes all for doubles rounds them."""
    trace = fxtwrite.archive()
    trace.add(event(COUNTER, 1, (1, 2), b"c", b"n", [arg(4, b"most", 2**64 - 1),
                                                     arg(3, b"least", -2**63)], (1,)))
    write("e.fxt", trace)
    counter, = events(convert("e.fxt"), "C")
    assert counter["args"] == {"most": 2**64 - 1, "least": -2**63}, counter


def test_arguments_of_one_name_are_all_there():
    """Names that differ only in what is not UTF-8 become equal; one may have a quote, or
    look like what another becomes."""
    trace = fxtwrite.archive()
    names = [b"x", b"x", b"x (2)", b"", b"\xff", b"\xfe", b'y"x', b"x"]
    trace.add(event(INSTANT, 1, (1, 2), b"", b"odd",
                    [arg(1, name, i) for i, name in enumerate(names)]))
    trace.add(event(COUNTER, 2, (1, 2), b"", b"c",
                    [arg(1, name, i) for i, name in enumerate(names)], (0,)))
    write("a.fxt", trace)
    expected = {"x": 0, "x (2)": 1, "x (2) (2)": 2, "": 3, "\ufffd": 4, "\ufffd (2)": 5,
                'y"x': 6, "x (3)": 7}
    for found in events(convert("a.fxt"), "iC"):
        assert found["args"] == expected, found


def test_asynchronous_events_of_one_id_nest():
    write("a.fxt", timeline_cases.asynchronous())
    document = convert("a.fxt")
    rows = [(begin["args"]["id"], begin["ts"] * 1000, depth)
            for begin, _, depth in chrome_read.pair(events(document, "be"))]
    assert sorted(rows) == [("0x4d", 0, 0), ("0x4d", 150, 1), ("0x4d", 2200, 0),
                            ("0x4e", 100, 0)], rows
    instant, = events(document, "n")
    assert instant["id"] in {e["id"] for e in events(document, "b")
                             if e["args"]["id"] == "0x4d"}


def test_ids_of_one_process_are_not_those_of_another():
    """Readers take equal ids and categories for one slice, in all processes."""
    trace = fxtwrite.archive()
    for process in 1, 2:
        trace.add(event(5, process, (process, 9 + process), b"io", b"load", extra=(2**63,)))
        trace.add(event(7, 10 - process, (process, 9 + process), b"io", b"load",
                        extra=(2**63,)))
    write("a.fxt", trace)
    assert sorted(FORMAT.view("a.fxt").asyncs) == \
        [(1, "0x8000000000000000", 0, 8, "load"), (2, "0x8000000000000000", 1, 7, "load")]


def test_begins_without_ends_are_whole():
    """A complete event needs no end."""
    trace = fxtwrite.archive()
    trace.begin(10, 1, 2, b"never ends")
    trace.complete(20, 90, 1, 2, b"last")
    trace.end(5, 1, 2)
    write("b.fxt", trace)
    document = convert("b.fxt")
    assert not events(document, "BEbe")
    assert FORMAT.view("b.fxt").spans_of((1, 2)) == [(0, -80, "never ends"), (10, -80, "last")]


def test_an_arrow_has_a_slice_around_it():
    trace = fxtwrite.archive()
    trace.complete(0, 100, 1, 2, b"around")
    for time, thread, kind in ((50, 2, FLOW_BEGIN), (50, 3, FLOW_STEP), (100, 2, FLOW_STEP),
                               (200, 2, FLOW_END)):
        trace.add(event(kind, time, (1, thread), b"io", b"hop", extra=(2**64 - 1,)))
    write("f.fxt", trace)
    document = convert("f.fxt")
    rows = [(e["ph"], e["tid"], e["ts"] * 1000, e["id"]) for e in events(document, "stf")]
    assert rows == [("s", 2, 50, "0x" + "f" * 16), ("t", 3, 50, "0x" + "f" * 16),
                    ("t", 2, 100, "0x" + "f" * 16), ("f", 2, 200, "0x" + "f" * 16)], rows
    # Also where another slice is around, which readers may have closed.
    assert [(e["tid"], e["ts"] * 1000) for e in events(document, "X") if e["name"] == "hop"] == \
        [(2, 50), (3, 50), (2, 100), (2, 200)]


def test_tracks_are_in_the_order_of_their_use():
    trace = fxtwrite.archive()
    for i in range(60):
        process = (1, 2, 2, 3, 3, 3)[i % 6]
        trace.backtrace(i, process, 10 * process + i % 2, 0x1000)
    write("t.fxt", trace)
    places = {e["pid"]: e["args"]["sort_index"] for e in convert("t.fxt")["traceEvents"]
              if e["name"] == "process_sort_index"}
    assert sorted(places, key=places.get) == [3, 2, 1], places


def test_all_timelines_say_the_same():
    write("p.fxt", busy_trace())
    agree("p.fxt")
    write("k.fxt", timeline_cases.large_ids()[0])
    agree("k.fxt")
    kinds = collections.Counter()
    for seed in range(20):
        rng = random.Random(seed)
        trace = timeline_cases.random_samples(rng)
        for i in range(100):
            thread = (rng.randrange(3), rng.randrange(5))
            kind = rng.choice((INSTANT, COUNTER, 2, 3, 4, 5, 6, 7, 8, 9, 10))
            extra = () if kind in (INSTANT, 2, 3) else (
                rng.randrange(500, 700) if kind == 4 else rng.randrange(3),)
            trace.add(event(kind, rng.randrange(500), thread, b"c", b"e%d" % rng.randrange(3),
                            [arg(1, b"n", i)], extra))
        write("r.fxt", trace)
        found = agree("r.fxt")
        for key in "spans", "asyncs", "instants", "flows", "counters":
            kinds[key] += len(getattr(found, key))
    assert len(kinds) == 5 and min(kinds.values()) > 40, kinds


def test_an_archive_of_events_only_has_no_samples():
    """A viewer would choose them, and show nothing."""
    trace = fxtwrite.archive()
    trace.complete(10, 20, 1, 2, b"work")
    write("e.fxt", trace)
    assert "samples" not in convert("e.fxt") and "stackFrames" not in convert("e.fxt")


def test_other_tools_know_the_format():
    write("p.fxt", busy_trace())
    run(FORMAT.tool, "-q", "-o", "p.chrome.json", "p.fxt")
    done = run(FORMAT.tool, "-q", "-o", "x.json", "p.chrome.json", status=2)
    assert done == "" and not os.path.exists("x.json")


if __name__ == "__main__":
    main(sys.modules[__name__])
