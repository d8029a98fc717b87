#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Timelines of fxt2firefox, by a strict reader of the format: what every sample, marker
and counter says, against fxt2folded and what was written into the archive.

test_firefox.py TOOLS_DIR DATA_DIR [FXTRECORD WORKLOAD]"""
import collections
import os
import subprocess
import sys

import firefox_read
import fxtrandom
import fxtwrite
import timeline_cases
from fxtwrite import arg, event, log
from profile_cases import main, write
from timeline_cases import (ASYNC_BEGIN, ASYNC_END, COUNTER, FLOW_BEGIN, FLOW_END, INSTANT)

RECORDER = [os.path.abspath(program) for program in sys.argv[3:5]]
FORMAT = timeline_cases.Format(
    "fxt2firefox", firefox_read, firefox_read.load, (".json", ".firefox.json"),
    (".svg", ".pb.gz", ".speedscope.json", ".html", ".pftrace"))
globals().update(timeline_cases.cases(FORMAT))
FXT2FIREFOX = FORMAT.tool
convert, compare = FORMAT.convert, FORMAT.compare


def thread_of(profile, tid):
    return next(t for t in profile["threads"] if t["tid"] == tid)


def marks(profile, tid):
    return firefox_read.markers(profile, thread_of(profile, tid))


# ---- samples ----


def test_inlined_functions_are_frames_of_the_same_address():
    for name, options, archive in timeline_cases.inlined():
        profile = convert(*options, archive)
        frames = profile["shared"]["frameTable"]
        user = [c["name"] for c in profile["meta"]["categories"]].index("User")
        n_inlined = sum(depth > 0 for depth in frames["inlineDepth"])
        for i, depth in enumerate(frames["inlineDepth"]):
            assert frames["category"][i] == user
            assert frames["subcategory"][i] == (depth > 0)
        if os.environ.get("HAS_LIBDW") == "1" and name == "ELF_INLINES":
            assert n_inlined > 0
            assert profile["shared"]["sources"]["length"] > 0
            assert any(line is not None for line in frames["line"])


def test_a_recording():
    """By fxtrecord, of a program with several threads."""
    if timeline_cases.record(RECORDER) is None:
        return
    profile = compare("r.fxt")
    counts = [thread["samples"]["length"] for thread in profile["threads"]]
    assert sum(counts) > 20
    # The recorder's own thread, which only has events about the recording, is not in view.
    visible = profile["meta"]["initialVisibleThreads"]
    assert all(counts[i] > 0 for i in visible), (counts, visible)
    interval = profile["meta"]["interval"]
    for thread in profile["threads"]:
        used = thread["samples"].get("threadCPUDelta", [])
        assert used[1:] == [round(interval * 1e6)] * len(used[1:])
    assert profile["meta"]["startTime"] > 1.5e12
    assert any(lib["codeId"] for lib in profile["libs"])


def test_kernel_and_jit_code_have_categories():
    trace = fxtwrite.Trace()
    trace.magic()
    trace.backtrace(1, 1, 2, 0xffffffff80001000, 0x1010, 0x7010)
    trace.functions(1, [(0x7000, 0x100, 0, b"compiled")])
    write("a.fxt", trace)
    profile = convert("a.fxt")
    (_, stack, _), = firefox_read.samples(profile, profile["threads"][0])
    frames, strings = profile["shared"]["frameTable"], profile["shared"]["stringArray"]
    names = {strings[profile["shared"]["funcTable"]["name"][func]]:
             profile["meta"]["categories"][frames["category"][i]]["name"]
             for i, func in enumerate(frames["func"])}
    assert names == {stack[0]: "JIT", stack[1]: "User", stack[2]: "Kernel"}, names
    assert stack[0] == "compiled" and profile["libs"] == []


# ---- events ----


def test_events_become_markers():
    trace = fxtwrite.Trace()
    trace.magic()
    me = (1, 2)
    nested = [arg(6, b"path", b"/x"), arg(4, b"bytes", 2**64 - 1), arg(3, b"delta", -5)]
    trace.add(event(4, 1000, me, b"io", b"read", nested, (3000,)))
    trace.add(event(2, 500, me, b"io", b"request", [arg(6, b"path", b"/y")]))
    trace.add(event(3, 4000, me, b"io", b"request", [arg(1, b"status", 200)]))
    trace.add(event(INSTANT, 2000, me, b"io", b"miss", [arg(5, b"ratio", 0.5)]))
    trace.add(event(ASYNC_BEGIN, 600, me, b"io", b"load", extra=(77,)))
    trace.add(event(ASYNC_END, 2600, (1, 3), b"io", b"load", extra=(77,)))
    trace.add(event(FLOW_BEGIN, 700, me, b"io", b"hop", extra=(9,)))
    trace.add(event(FLOW_END, 900, (1, 3), b"io", b"hop", extra=(9,)))
    trace.add(log(800, me, b"hello"))
    trace.drops(4, 17, 9248, 100, 200)
    write("e.fxt", trace)
    profile = convert("e.fxt")
    ms = 1e-6
    found = [(name, round(start / ms), round(end / ms), data)
             for name, start, end, data in marks(profile, 2)]
    flow = profile["shared"]["stringArray"].index("1")
    assert found == [
        ("request", 400, 3900, {"type": "span", "cat": "io", "path": "/y", "status": "200"}),
        ("load", 500, 2500, {"type": "async", "cat": "io", "id": "0x4d"}),
        ("hop", 600, 600, {"type": "flow", "cat": "io", "flow": flow, "id": "0x9"}),
        ("log", 700, 700, {"type": "log", "message": "hello"}),
        ("read", 900, 2900, {"type": "span", "cat": "io", "path": "/x",
                             "bytes": "18446744073709551615", "delta": "-5"}),
        ("miss", 1900, 1900, {"type": "instant", "cat": "io", "ratio": "0.5"}),
    ], found
    assert marks(profile, 3)[0][3] == {"type": "flow_end", "cat": "io", "flow": flow,
                                           "id": "0x9"}
    dropped = next(t for t in profile["threads"] if t["processName"] == "[sampler]")
    (name, start, end, data), = firefox_read.markers(profile, dropped)
    assert (name, start, end) == ("records dropped", 0, 0.0001)
    assert data == {"type": "drops", "cat": "sampler", "cpu": "4", "records": "17",
                    "bytes": "9248"}


def test_times_off_the_cpu_have_the_cpu():
    write("s.fxt", timeline_cases.scheduling())
    rows = [data for name, _, _, data in marks(convert("s.fxt"), 2) if name == "blocked"]
    assert [(row["type"], row["cpu"]) for row in rows][:1] == [("off_cpu", "0")], rows


def test_an_archive_of_events_only_is_complete():
    trace = fxtwrite.Trace()
    trace.magic()
    trace.complete(10, 20, 1, 2, b"work")
    write("e.fxt", trace)
    done = subprocess.run([FXT2FIREFOX, "e.fxt"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=True)
    assert done.stderr == b"fxt2firefox: 1 event\n", done.stderr
    profile = firefox_read.load(done.stdout)
    assert len(marks(profile, 2)) == 1
    profile = convert("--spans", "e.fxt")
    assert profile["threads"][0]["samples"]["weightType"] == "tracing-ms"
    assert firefox_read.samples(profile, profile["threads"][0]) == [(0, ("work",), 1e-5)]


def test_counters_are_written_as_differences():
    trace = fxtwrite.Trace()
    trace.magic()
    values = [(5, 10), (7, 4), (9, 4), (11, -3)]
    for time, value in values:
        trace.add(event(COUNTER, time, (1, 2), b"c", b"queue",
                        [arg(3, b"length", value), arg(5, b"load", value / 4),
                         arg(6, b"note", b"no number"), arg(5, b"nan", float("nan"))], (0,)))
    trace.add(event(COUNTER, 6, (1, 2), b"c", b"queue", [arg(3, b"length", 1)], (8,)))
    trace.add(event(COUNTER, 6, (9, 10), b"c", b"queue", [arg(4, b"length", 2**63)], (0,)))
    write("c.fxt", trace)
    profile = convert("c.fxt")
    counters = {(c["pid"], c["name"]): c["samples"] for c in profile["counters"]}
    assert set(counters) == {("1", "queue:length"), ("1", "queue:load"),
                             ("1", "queue:length [8]"), ("9", "queue:length")}, counters
    assert counters["1", "queue:length"]["count"] == [10, -6, 0, -7]
    assert counters["1", "queue:load"]["count"] == [2.5, -1.5, 0, -1.75]
    assert counters["1", "queue:length"]["time"] == [0, 2e-6, 4e-6, 6e-6]
    assert counters["9", "queue:length"]["count"] == [2.0**63]
    assert all(thread["markers"]["length"] == 0 for thread in profile["threads"])


def test_arguments_that_have_no_field_of_their_own_are_not_lost():
    trace = fxtwrite.Trace()
    trace.magic()
    hostile = [arg(6, b"type", b"t"), arg(6, b"__proto__", b"p"), arg(6, b"a b", b"\xff\n"),
               arg(6, b"x", b"1"), arg(6, b"x", b"2"), arg(0, b"none"), arg(9, b"flag", True)]
    trace.add(event(INSTANT, 1, (1, 2), b"", b"odd", hostile))
    for i in range(300):
        trace.add(event(INSTANT, 2 + i, (1, 2), b"", b"many", [arg(1, b"n%d" % i, i)]))
    write("a.fxt", trace)
    profile = convert("a.fxt")
    schema = profile["meta"]["markerSchema"][0]
    labels = {field["key"]: field["label"] for field in schema["fields"]}
    first, *rest = marks(profile, 2)
    data = {labels[key]: value for key, value in first[3].items() if key in labels}
    assert data == {"type": "t", "__proto__": "p", "a b": "\ufffd\n", "x": "1",
                    "Arguments": "x=2", "none": "null", "flag": "true"}, data
    assert len(labels) < 250
    for i, mark in enumerate(rest):
        shown = {labels[key]: value for key, value in mark[3].items() if key in labels}
        assert shown in ({"n%d" % i: str(i)}, {"Arguments": "n%d=%d" % (i, i)}), shown


# ---- what readers get wrong ----


def test_nothing_at_all_still_has_a_thread():
    trace = fxtwrite.Trace()
    trace.magic()
    write("n.fxt", trace)
    assert len(convert("n.fxt", status=1)["threads"]) == 1


def test_a_build_id_becomes_a_breakpad_id():
    trace = fxtwrite.Trace()
    trace.magic()
    identity = bytes.fromhex("4e3d2c7b2b1a6d5c7e8f90a1b2c3d4e5f6071829")
    trace.module(1, 1, b"/usr/lib/libfoo.so", identity)
    trace.mapping(1, 1, 0x10000, 0x1000, 0x3000)
    trace.module(1, 2, b"/usr/lib/libbar.so", b"")
    trace.mapping(1, 2, 0x20000, 0x1000, 2**33)
    trace.backtrace(5, 1, 2, 0x10010, 0x20021)
    write("b.fxt", trace)
    profile = convert("b.fxt")
    libs = {lib["name"]: lib for lib in profile["libs"]}
    assert libs["libfoo.so"]["breakpadId"] == "7B2C3D4E1A2B5C6D7E8F90A1B2C3D4E50"
    assert libs["libfoo.so"]["codeId"] == identity.hex()
    assert libs["libfoo.so"]["path"] == "/usr/lib/libfoo.so"
    assert libs["libbar.so"]["codeId"] is None
    # Addresses are those in the file, of callers inside the call; and have 32 bits.
    assert sorted(profile["shared"]["frameTable"]["address"]) == [-1, 0x3010]


def test_the_busiest_threads_are_in_view():
    trace = fxtwrite.Trace()
    trace.magic()
    time = 0
    for thread in range(40):
        for _ in range(1 if thread % 2 else 20 + thread):
            time += 1
            trace.backtrace(time, 1000 + thread % 3, 2000 + thread, 0x1000)
    write("t.fxt", trace)
    profile = convert("t.fxt")
    meta, threads = profile["meta"], profile["threads"]
    assert meta["initialSelectedThreads"] == [0]
    assert len(meta["initialVisibleThreads"]) == 15
    assert all(threads[i]["samples"]["length"] > 1 for i in meta["initialVisibleThreads"])
    sums = collections.Counter()
    for thread in threads:
        sums[thread["pid"]] += thread["samples"]["length"]
    order = [thread["pid"] for thread in threads if thread["isMainThread"]]
    assert [sums[pid] for pid in order] == sorted(sums.values(), reverse=True)


def test_the_start_is_a_wall_clock_time():
    trace = fxtwrite.Trace()
    trace.magic()
    trace.event(INSTANT, 5_000_000, 1, 2, b"before")
    trace.backtrace(8_000_000, 1, 2, 0x1000)
    write("w.fxt", trace)
    profile = convert("--start-time", "1700000000.5", "w.fxt")
    assert profile["meta"]["startTime"] == 1700000000500 - 3
    assert convert("w.fxt")["meta"]["startTime"] == 0


if __name__ == "__main__":
    main(sys.modules[__name__])
