#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""An archive as Fuchsia's profiler writes it, and in which points the profile is better
than the one that Fuchsia's own exporter makes of the same. Each test is one point.
Argument: the tools' build directory."""
import os
import subprocess
import sys

import fxtwrite
import pprof_read
from profile_cases import FXT2FOLDED, FXT2PPROF, HAS_LINES, main, run, symbols, write
from readelf import build_id, code_segment

ELF = os.environ["ELF_PIE"]
BASES = {4001: 0x1f5500000000, 4002: 0x2b7700000000}
N_SAMPLES = 60
AT = symbols(ELF)


def archive():
    """A magic number and a clock, and no provider; a process or a thread is named where it
    is first seen, without saying whose thread it is; and all modules come at the end, with
    the time of the first sample."""
    trace = fxtwrite.archive()
    trace.init(1000000000)
    seen = set()
    for i in range(N_SAMPLES):
        process = 4001 + i % 2
        thread = 10 * process + i % 3
        if process not in seen:
            trace.process(process, b"app-%d.cm" % process)
        if thread not in seen:
            trace.thread(thread, b"initial-thread" if i % 3 == 0 else b"")
        seen |= {process, thread}
        pcs = (AT["leaf"] + i // 6 % 2, AT["middle.end"], AT["main.end"])
        trace.backtrace(5000000 * (i + 1), process, thread,
                        *(BASES[process] + pc for pc in pcs))
    # One in nothing that is mapped, and one that had no room.
    trace.backtrace(400000000, 4001, 40010, 0x10)
    trace.drops(1, 7, 840, 390000000, 395000000)
    vaddr, size = code_segment(ELF)
    for number, process in enumerate(BASES):
        trace.module(process, number, ELF.encode(), bytes.fromhex(build_id(ELF)))
        trace.mapping(process, number, BASES[process] + vaddr, size, vaddr, 5, 5000000)
    return trace


def profile(*options):
    write("p.fxt", archive())
    run(FXT2PPROF, "-q", "-o", "p.pb.gz", *options, "p.fxt")
    return pprof_read.read("p.pb.gz")


def test_it_is_compressed():
    profile()
    with open("p.pb.gz", "rb") as file:
        assert file.read(2) == b"\x1f\x8b"


def test_equal_samples_are_one():
    p = profile()
    assert sum(s["value"][0] for s in p["sample"]) == N_SAMPLES + 1
    # Of each process three threads, with two stacks each.
    assert len(p["sample"]) == 2 * 3 * 2 + 1, len(p["sample"])


def test_no_frame_is_made_up():
    """For a process and a thread there are labels and not frames at addresses of nowhere."""
    p = profile()
    for stack in pprof_read.fold(p):
        assert stack in (("main", "middle", "leaf"), ("0x10",)), stack
    ranges = [(m["memory_start"], m["memory_limit"]) for m in p["mapping"]]
    assert all(any(a <= loc["address"] < b for a, b in ranges) or loc["address"] == 0x10
               for loc in p["location"])


def test_a_label_is_a_string_or_a_number_with_a_unit():
    p = profile()
    for sample in p["sample"]:
        for label in sample["label"]:
            assert (label["str"] != "") != (label["num_unit"] != ""), label


def test_processes_and_threads_have_their_names():
    found = {(l["process_name"], l["process_koid"], l["thread"], l["tid"])
             for l in map(pprof_read.labels, profile()["sample"])}
    assert ("app-4001.cm", 4001, "initial-thread[40010]", 40010) in found, found
    assert ("app-4002.cm", 4002, "thread[40021]", 40021) in found, found


def test_it_is_reported_what_ran_in_programs():
    """And nothing of an unknown address."""
    modes = [pprof_read.labels(s).get("execution_mode") for s in profile()["sample"]]
    assert sorted(modes, key=str) == [None] + 12 * ["user"], modes


def test_what_is_mapped_is_there_by_its_build_id():
    """Once, though both processes have it, and where the first one has it."""
    p = profile("--unsymbolized")
    vaddr, size = code_segment(ELF)
    base = BASES[min(BASES)]
    assert [(m["memory_start"], m["memory_limit"], m["filename"], m["build_id"])
            for m in p["mapping"]] == [(base + vaddr, base + vaddr + size, ELF, build_id(ELF))]
    # pprof may still find the functions itself.
    assert not any(m["has_functions"] for m in p["mapping"])
    assert all(loc["mapping_id"] > 0 for loc in p["location"] if loc["address"] != 0x10)
    assert all(m["has_functions"] for m in profile()["mapping"])


def test_there_is_time_too():
    p = profile("--period", "5ms", "--start-time", "1700000000")
    assert [(t["type"], t["unit"]) for t in p["sample_type"]] == [
        ("samples", "count"), ("cpu", "nanoseconds")]
    assert p["default_sample_type"] == "cpu"
    assert (p["period_type"][0]["type"], p["period"]) == ("cpu", 5000000)
    assert p["time_nanos"] == 1700000000 * 10 ** 9
    assert p["duration_nanos"] == 395000000
    assert all(s["value"][1] == 5000000 * s["value"][0] for s in p["sample"])


def test_a_function_is_one_wherever_it_was_sampled():
    """Its line is where it begins, and not one for each line that was seen."""
    p = profile()
    names = [f["name"] for f in p["function"]]
    assert len(names) == len(set(names)) == 4, names
    if HAS_LINES:
        leaf = next(f for f in p["function"] if f["name"] == "leaf")
        lines = {line["line"] for loc in p["location"] for line in loc["line"]
                 if line["function_id"] == leaf["id"]}
        assert leaf["start_line"] > 0 and all(line >= leaf["start_line"] for line in lines)
        assert leaf["filename"].endswith("program.c")
    assert all(f["system_name"] != "" for f in p["function"])


def test_callers_are_looked_up_where_they_call():
    """What returns to the end of a function was not called by the next one."""
    assert ("main", "middle", "leaf") in pprof_read.fold(profile())


def test_what_is_unknown_is_there_by_its_address():
    p = profile()
    assert pprof_read.fold(p)[("0x10",)] == 1


def test_what_is_not_in_it_is_reported():
    comments = profile()["comment"]
    assert any(c.startswith("7 records dropped by the sampler") for c in comments), comments
    assert any(c.startswith("# fxt2pprof -q -o p.pb.gz") for c in comments), comments
    cut = archive().data()[:-4]
    with open("cut.fxt", "wb") as file:
        file.write(cut)
    run(FXT2PPROF, "-q", "-o", "cut.pb.gz", "cut.fxt", status=1)
    assert any("1 error in the input" in c for c in pprof_read.read("cut.pb.gz")["comment"])


def test_the_same_archive_is_the_same_profile():
    write("p.fxt", archive())
    first, second = (run(FXT2PPROF, "-q", "p.fxt", text=False) for _ in range(2))
    assert first == second


def test_a_symbolizer_can_still_be_asked():
    """With the markup that Fuchsia's symbolizer reads."""
    write("p.fxt", archive())
    text = subprocess.run([FXT2FOLDED, "-q", "--format", "markup", "p.fxt"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    assert text.count("{{{reset}}}") == 2 and build_id(ELF) in text


if __name__ == "__main__":
    main(sys.modules[__name__])
