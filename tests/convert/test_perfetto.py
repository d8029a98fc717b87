#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Traces of fxt2perfetto, by a strict reader of the format: what every sample, slice and
counter says, against fxt2folded and what was written into the archive.

test_perfetto.py TOOLS_DIR DATA_DIR [FXTRECORD WORKLOAD]"""
import os
import re
import shutil
import sys

import fxtrandom
import fxtwrite
import perfetto_read
import timeline_cases
from fxtwrite import arg, event, log
from profile_cases import busy_trace, main, run, write
from timeline_cases import FLOW_BEGIN, FLOW_END, FLOW_STEP, INSTANT

RECORDER = [os.path.abspath(program) for program in sys.argv[3:5]]
FORMAT = timeline_cases.Format(
    "fxt2perfetto", perfetto_read, perfetto_read.Trace, (".pftrace", ".perfetto-trace"),
    (".svg", ".pb.gz", ".speedscope.json", ".html", ".json", ".chrome.json"))
globals().update(timeline_cases.cases(FORMAT))
FXT2PERFETTO = FORMAT.tool
convert, compare = FORMAT.convert, FORMAT.compare


def slices(trace, tid):
    """Those of its track, and those that overlap them, on tracks below."""
    uuid = trace.thread_uuid(tid)
    return sorted((begin, -end, name, arguments, depth)
                  for track, name, begin, end, arguments, depth in trace.slices
                  if uuid in (track, trace.tracks[track]["parent_uuid"]))


# ---- samples ----


def test_protoc_reads_the_same():
    """Another decoder, with the same messages, finds no field that they do not have."""
    if shutil.which("protoc") is None:
        return
    with open("trace.proto", "w", encoding="utf-8") as file:
        file.write(perfetto_read.definitions())
    write("p.fxt", busy_trace())
    data = run(FXT2PERFETTO, "-q", "p.fxt", text=False)
    text = run("protoc", "--decode=Trace", "trace.proto", input=data, text=False)
    assert not re.search(rb"^\s*\d+[:{ ]", text, re.M), "a field that has another number"
    trace = perfetto_read.Trace(data)
    assert text.count(b"perf_sample {") == len(trace.samples) > 0
    assert text.count(b"callstacks {") == len(trace.interned["callstacks"])


def test_samples_have_their_times_and_cpus():
    regions = []
    for cpu in range(3):
        region = fxtwrite.Trace()
        for i in range(5):
            region.sample(10 * i + cpu, 1, 2 + i % 2, 0x2000)
        regions.append(write("cpu%d.bin" % cpu, region))
    trace = convert(*regions)
    assert [(time, sample["cpu"]) for time, _, _, sample in trace.samples] == \
        [(10 * i + cpu, cpu) for i in range(5) for cpu in range(3)]
    assert trace.defaults == {"counter": 1} and trace.clocks is None


def test_the_clock_and_the_period_are_stated():
    trace = fxtwrite.Trace()
    trace.magic()
    trace.event(INSTANT, 5_000_000, 1, 2, b"before")
    trace.backtrace(8_000_000, 1, 2, 0x1000)
    write("w.fxt", trace)
    found = convert("--start-time", "1700000000.5", "--period", "2ms", "w.fxt")
    assert found.clocks == {1: 1700000000500000000, 6: 8_000_000}, found.clocks
    assert found.defaults == {"period": 2_000_000, "counter": 1}


def test_frames_have_modules_build_ids_and_addresses_in_the_file():
    trace = fxtwrite.Trace()
    trace.magic()
    identity = bytes.fromhex("4e3d2c7b2b1a6d5c7e8f90a1b2c3d4e5f6071829")
    trace.module(1, 1, b"/usr/lib/libfoo.so", identity)
    trace.mapping(1, 1, 0x10000, 0x1000, 0x3000)
    trace.backtrace(5, 1, 2, 0xffffffff80001000, 0x10011, 0x99999)
    trace.backtrace(6, 1, 2, 0x10010)
    write("b.fxt", trace)
    found = convert("b.fxt")
    root, middle, leaf = found.frames(found.samples[0][3]["callstack_iid"])
    assert (root["rel_pc"], middle["rel_pc"], leaf["rel_pc"]) == \
        (0x99998, 0x3010, 0xffffffff80001000)
    mapping = found.interned["mappings"][middle["mapping_id"]]
    assert (mapping["start"], mapping["end"]) == (0x10000, 0x11000)
    path, = mapping["path_string_ids"]
    assert found.interned["mapping_paths"][path]["str"] == "/usr/lib/libfoo.so"
    # The bytes, and not their digits.
    assert found.interned["build_ids"][mapping["build_id"]]["str"] == identity
    # What is in no module has a mapping without a name, since older readers insist on one.
    assert set(found.interned["mappings"][root["mapping_id"]]) == {"iid"}
    # Perfetto adds up so.
    assert middle["rel_pc"] == 0x10010 - mapping["start"] + mapping["exact_offset"] + \
        mapping.get("load_bias", 0)
    assert [sample["cpu_mode"] for _, _, _, sample in found.samples] == \
        [perfetto_read.KERNEL, perfetto_read.USER]


def test_inlined_functions_are_frames_of_one_address():
    for name, options, archive in timeline_cases.inlined():
        found = convert(*options, archive)
        if os.environ.get("HAS_LIBDW") == "1" and name == "ELF_INLINES":
            assert any(len(found.frames(stack)) > 1 for stack in found.interned["callstacks"])
            assert any(frame.get("line_number") for frame in found.interned["frames"].values())
            assert found.interned["source_paths"]
        for stack in found.interned["callstacks"]:
            assert len({frame["rel_pc"] for frame in found.frames(stack)}) == 1


def test_a_recording():
    """By fxtrecord, of a program with several threads."""
    if timeline_cases.record(RECORDER) is None:
        return
    trace = compare("r.fxt")
    assert len(trace.samples) > 20
    assert trace.clocks[1] > 1.5e18 and trace.defaults["period"] > 0
    assert trace.interned["build_ids"] and trace.notes


# ---- events ----


def test_events_become_slices_and_instants():
    trace = fxtwrite.Trace()
    trace.magic()
    me = (1, 2)
    nested = [arg(6, b"path", b"/x"), arg(4, b"bytes", 2**64 - 1), arg(3, b"delta", -5),
              arg(5, b"ratio", 0.5), arg(9, b"flag", True), arg(2, b"n", 7), arg(0, b"none"),
              arg(7, b"at", 0x1234)]
    trace.add(event(4, 1000, me, b"io", b"read", nested, (3000,)))
    trace.add(event(2, 500, me, b"io", b"request", [arg(6, b"path", b"/y")]))
    trace.add(event(3, 4000, me, b"io", b"request", [arg(1, b"status", 200)]))
    trace.add(event(INSTANT, 2000, me, b"io", b"miss"))
    trace.add(log(800, me, b"hello"))
    trace.drops(4, 17, 9248, 100, 200)
    trace.drops(5, 18, 9248, 150, 300)
    write("e.fxt", trace)
    found = convert("e.fxt")
    assert slices(found, 2) == [
        (500, -4000, "request", [("path", "/y"), ("status", 200)], 0),
        (1000, -3000, "read", [("path", "/x"), ("bytes", "18446744073709551615"),
                               ("delta", -5), ("ratio", 0.5), ("flag", 1), ("n", 7),
                               ("none", "null"), ("at", 0x1234)], 1)], slices(found, 2)
    me = found.thread_uuid(2)
    assert [(name, time) for uuid, name, time, _, _ in found.instants if uuid == me] == \
        [("hello", 800), ("miss", 2000)]
    dropped = sorted((name, begin, end, dict(arguments)) for uuid, name, begin, end,
                     arguments, _ in found.slices if uuid != me)
    assert [(name, begin, end, arguments["cpu"], arguments["records"])
            for name, begin, end, arguments in dropped] == \
        [("records dropped", 100, 200, 4, 17), ("records dropped", 150, 300, 5, 18)], dropped


def test_asynchronous_events_have_a_track_for_each_name_and_id():
    write("a.fxt", timeline_cases.asynchronous())
    found = convert("a.fxt")
    assert sorted((arguments[0][1], begin, end, depth)
                  for _, name, begin, end, arguments, depth in found.slices) == \
        [("0x4d", 600, 2600, 0), ("0x4d", 750, 900, 1), ("0x4d", 2800, 2900, 0),
         ("0x4e", 700, 2700, 0)], found.slices
    (uuid, name, time, _, _), = found.instants
    assert (name, time) == ("load", 800)
    tracks = {uuid for uuid, *_ in found.slices}
    assert uuid in tracks and len(tracks) == 2
    for uuid in tracks:
        track = found.tracks[uuid]
        assert track["name"] == "load"
        assert found.tracks[track["parent_uuid"]]["process"]["pid"] == 1


def test_flows_are_instants_with_the_flows_number():
    trace = fxtwrite.Trace()
    trace.magic()
    for time, thread, kind in (700, 2, FLOW_BEGIN), (800, 3, FLOW_STEP), (900, 4, FLOW_END):
        trace.add(event(kind, time, (1, thread), b"io", b"hop", extra=(2**63 + 9,)))
    write("f.fxt", trace)
    found = convert("f.fxt")
    flows = [(found.tracks[uuid]["thread"]["tid"], time, event.get("flow_ids"),
              event.get("terminating_flow_ids"))
             for uuid, _, time, _, event in found.instants]
    flow = [1]
    assert flows == [(2, 700, flow, None), (3, 800, flow, None), (4, 900, None, flow)], flows


def test_hostile_names_are_valid_utf8():
    write("h.fxt", timeline_cases.hostile_names())
    found = convert("h.fxt")
    for i, name in enumerate(fxtrandom.NASTY_STRINGS):
        shown = name.decode("utf-8", errors="replace")
        assert found.threads[200 + i]["thread_name"] in (shown, "thread[%d]" % (200 + i))


if __name__ == "__main__":
    main(sys.modules[__name__])
