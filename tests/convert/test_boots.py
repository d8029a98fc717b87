#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Archives of several boots, which have ids of processes and addresses of the kernel in
common: nothing of one is shown in another. Argument: the tools' build directory."""
import itertools
import json
import os
import re
import subprocess
import sys

import fxtwrite
import pprof_read
from profile_cases import FXT2FOLDED, FXT2PPROF, FXTREPORT, TOOLS, main, run, write

FXT2CHROME = os.path.join(TOOLS, "fxt2chrome", "fxt2chrome")
FXTQUERY = os.path.join(TOOLS, "fxtquery", "fxtquery")

KERNEL = 0xffffffff81000000
BOOTS = {"a": b"aaaaaaaa-53f1-4f0b-9a3e-3f1f0c1d2e4b",
         "b": b"bbbbbbbb-53f1-4f0b-9a3e-3f1f0c1d2e4b",
         "c": b"cccccccc-53f1-4f0b-9a3e-3f1f0c1d2e4b"}


def archive(name, has_samples=True):
    """Process 5 and the kernel, which have other functions at the same addresses."""
    boot = name.encode()
    trace = fxtwrite.archive()
    trace.provider(1, b"fxtrecord")
    trace.recording(1000000, BOOTS[name])
    trace.process(5, b"program-" + boot)
    trace.thread(6, b"thread-" + boot, 5)
    trace.module(5, 1, b"/lib/module-" + boot, b"\x0a\x0b" + boot)
    trace.mapping(5, 1, 0x10000, 0x1000, 0)
    trace.module(5, 2, b"[kernel.kallsyms]", b"\x0c\x0d" + boot)
    trace.mapping(5, 2, KERNEL, 0x1000, KERNEL)
    trace.functions(5, [(0x20000, 0x100, 0, b"compiled_" + boot)])
    trace.functions(0, [(KERNEL, 0x100, 0, b"kernel_" + boot)])
    trace.provider(2, b"cpu0")
    if has_samples:
        samples(trace)
    write(name + ".fxt", trace)


def samples(trace):
    trace.backtrace(9, 5, 6, KERNEL + 16, 0x10021, 0x20011)
    # Its process is in the names only.
    trace.backtrace(10, 0, 6, 0x20010)


def region(name):
    trace = fxtwrite.Trace()
    samples(trace)
    write(name, trace)


def expected(order):
    lines = []
    for number, name in enumerate(order):
        place = "" if number == 0 else f", boot {number + 1}"
        root = f"program-{name}[5{place}];thread-{name}[6{place}]"
        lines += [f"{root};compiled_{name} 1",
                  f"{root};compiled_{name};module-{name}+0x21;kernel_{name} 1"]
    return sorted(lines)


def folded(*arguments):
    return sorted(run(FXT2FOLDED, "-q", "--roots", "process,thread", *arguments).splitlines())


def test_each_boot_has_its_own_processes_and_kernel():
    for name in BOOTS:
        archive(name)
    for order in itertools.permutations(BOOTS):
        got = folded(*(name + ".fxt" for name in order))
        assert got == expected(order), got
    got = folded("a.fxt", "a.fxt", "b.fxt", "a.fxt")
    assert got == [line[:-1] + ("3" if "-a[" in line else "1") for line in expected("ab")], got


def test_profiles_have_the_ids_and_the_boot():
    archive("a")
    archive("b")
    run(FXT2PPROF, "-q", "-o", "p.pb.gz", "a.fxt", "b.fxt")
    seen = []
    for sample in pprof_read.read("p.pb.gz")["sample"]:
        labels = pprof_read.labels(sample)
        seen.append([labels.get(key) for key in
                     ("process_koid", "tid", "boot", "process_name", "thread")])
    assert sorted(seen, key=str) == [
        [5, 6, 2, "program-b", "thread-b[6, boot 2]"],
        [5, 6, 2, "program-b", "thread-b[6, boot 2]"],
        [5, 6, None, "program-a", "thread-a[6]"],
        [5, 6, None, "program-a", "thread-a[6]"]], seen


def test_reports_have_the_boot():
    archive("a")
    archive("b")
    report = json.loads(run(FXTREPORT, "-q", "--json", "a.fxt", "b.fxt"))
    for noun, number in (("process", 5), ("thread", 6)):
        rows = report["processes" if noun == "process" else "threads"]
        assert sorted((row["name"][-1], row[noun], row.get("boot")) for row in rows) == [
            ("a", number, None), ("b", number, 2)], rows
    text = run(FXTREPORT, "-q", "--by", "thread", "a.fxt", "b.fxt")
    for name, boot in ("a", ""), ("b", ", boot 2"):
        assert re.search(rf"thread-{name}\[6{boot}\] +program-{name}\[5{boot}\]\n", text), text


def test_filters_know_the_ids():
    archive("a")
    archive("b")
    for options in ("--pid", "5"), ("--tid", "6"):
        assert folded(*options, "a.fxt", "b.fxt") == expected("ab")
    assert folded("--process", "program-b", "a.fxt", "b.fxt") == expected("ab")[2:]


def test_events_of_each_boot_are_of_its_own_threads():
    for name in "ab":
        trace = fxtwrite.archive()
        trace.provider(1, b"fxtrecord")
        trace.recording(1000000, BOOTS[name])
        trace.complete(100, 200, 5, 6, b"kept-" + name.encode())
        trace.complete(100, 200, 5, 7, b"other")
        trace.complete(100, 200, 8, 9, b"other")
        trace.process(5, b"program-" + name.encode())
        write(name + ".fxt", trace)
    found = json.loads(run(FXTREPORT, "-q", "--json", "--pid", "5", "--tid", "6", "a.fxt", "b.fxt"))
    assert sorted(row["name"] for row in found["spans"]) == ["kept-a", "kept-b"], found["spans"]
    shown = json.loads(run(FXT2CHROME, "-q", "--pid", "5", "--tid", "6", "a.fxt", "b.fxt"))
    assert sorted(event["name"] for event in shown["traceEvents"] if event["ph"] in "XB") == [
        "kept-a", "kept-b"], shown
    text = run(FXTREPORT, "-q", "--spans", "--by", "thread", "a.fxt", "b.fxt")
    assert ", 4 processes, 6 threads\n" in text and all(
        f" thread[7{boot}] " in text for boot in ("", ", boot 2")), text
    if os.path.exists(FXTQUERY):
        rows = run(FXTQUERY, "-q", "--csv", "a.fxt", "b.fxt", """select slice.name, pid, process.name
            from slice join thread using (utid) join process using (upid)
            where slice.name like 'kept%' order by 1""").splitlines()
        assert rows[1:] == ["kept-a,5,program-a", "kept-b,5,program-b"], rows


def test_waits_of_each_boot_are_of_its_own_threads():
    ms = 1000000
    for name in "ab":
        trace = fxtwrite.archive()
        trace.provider(1, b"fxtrecord")
        trace.recording(1000000, BOOTS[name])
        trace.process(5, b"program-" + name.encode())
        trace.thread(6, b"sleeper-" + name.encode(), 5)
        trace.thread(7, b"waker-" + name.encode(), 5)
        for time, cpu, outgoing, incoming in ((0, 0, 0, 6), (0, 1, 0, 7), (20, 0, 6, 0),
                                              (65, 0, 0, 6), (100, 0, 6, 0), (100, 1, 7, 0)):
            trace.add(fxtwrite.context_switch(time * ms, cpu, 3, outgoing, incoming))
        trace.add(fxtwrite.thread_wakeup(60 * ms, 1, 6, [fxtwrite.arg(8, b"waker", 7)]))
        trace.complete(10 * ms, 90 * ms, 5, 6, b"span")
        write(name + ".fxt", trace)
    both = ["a.fxt", "b.fxt"]
    found = sorted(run(FXT2FOLDED, "-q", "--sched", "wakeup", *both).splitlines())
    assert found == [
        "program-a[5];sleeper-a[6];waker-a[7] 5000000",
        "program-b[5, boot 2];sleeper-b[6, boot 2];waker-b[7, boot 2] 5000000"], found
    text = " ".join(run(FXTREPORT, "-q", "--span", "span", *both).split())
    for name in "ab":
        assert ("ran 25.0 ms, waited for a CPU 5.00 ms, was blocked 40.0 ms, unknown 10.0 ms; "
                f"woken by waker-{name}[7] of program-{name}[5] after 40.0 ms") in text, text
    if os.path.exists(FXTQUERY):
        rows = run(FXTQUERY, "-q", "--csv", *both, """select thread.name, waker.name from sched
            join thread using (utid) join thread waker on waker.utid = waker_utid
            where state = 'runnable' order by 1""").splitlines()
        assert rows[1:] == ["sleeper-a,waker-a", "sleeper-b,waker-b"], rows


def test_a_region_is_of_the_archive_before_it():
    for name in "ab":
        archive(name, has_samples=False)
    for number in range(4):
        region(f"{number}.bin")
    got = folded("a.fxt", "0.bin", "1.bin", "b.fxt", "2.bin", "3.bin")
    assert got == [line[:-1] + "2" for line in expected("ab")], got


def test_a_boot_without_names_has_none_of_another_one():
    archive("a")
    trace = fxtwrite.archive()
    trace.recording(1000000, BOOTS["b"])
    trace.backtrace(9, 5, 6, KERNEL + 16)
    write("unnamed.fxt", trace)
    got = run(FXT2FOLDED, "-q", "--roots", "none", "a.fxt", "unnamed.fxt").splitlines()
    assert f"{KERNEL + 16:#x} 1" in got, got


def kernel_function():
    """The address and the name of a function of the running kernel, with no other name."""
    with open("/proc/kallsyms", encoding="ascii") as file:
        lines = [line.split() for line in file]
    for before, line, after in zip(lines, lines[1:], lines[2:]):
        start, end = int(line[0], 16), int(after[0], 16)
        if line[1] == "T" and int(before[0], 16) < start < end - 16:
            return start, line[2]
    return None


def of_this_kernel(name, start, boot, function=None):
    trace = fxtwrite.archive()
    trace.recording(1000000, boot)
    trace.module(5, 2, b"[kernel.kallsyms]", b"\x0c\x0d")
    trace.mapping(5, 2, start & ~0xfff, 0x2000, start & ~0xfff)
    if function is not None:
        trace.functions(0, [(start, 16, 0, function)])
    trace.backtrace(9, 5, 6, start + 2)
    write(name, trace)


def test_symbols_of_the_running_kernel_are_for_its_boot_only():
    known = kernel_function()
    if known is None:
        print("skipped: addresses of the kernel are hidden")
        return
    start, function = known
    unnamed = f"[kernel.kallsyms]+{start + 2:#x}"
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        boot = file.read().strip().encode()
    of_this_kernel("this.fxt", start, boot)
    of_this_kernel("other.fxt", start, BOOTS["a"])
    of_this_kernel("unknown.fxt", start, None)
    of_this_kernel("named.fxt", start, boot, b"other_name")
    for names, expected_names in (
            (["this"], [function]), (["other"], [unnamed]), (["unknown"], [unnamed]),
            (["named"], ["other_name"]), (["this", "other"], [function, unnamed]),
            (["other", "this"], [unnamed, function])):
        got = run(FXT2FOLDED, "-q", *(name + ".fxt" for name in names)).splitlines()
        # By process: that of the second boot, which has a comma, comes first.
        found = [line.split(";")[1][:-2] for line in got]
        assert sorted(found) == sorted(expected_names), (names, got)
        if len(names) == 2:
            second = next(line for line in got if "boot 2" in line)
            assert expected_names[1] in second, got
    assert unnamed in run(FXT2FOLDED, "-q", "--unsymbolized", "this.fxt")
    write_copy("kallsyms", f"{start:x} T given_name\n{start + 16:x} T next\n")
    assert "given_name" in run(FXT2FOLDED, "-q", "--kallsyms", "kallsyms", "this.fxt")
    assert "given_name" in run(FXT2FOLDED, "-q", "--kallsyms", "kallsyms", "named.fxt")


def write_copy(name, text):
    with open(name, "w", encoding="ascii") as file:
        file.write(text)


def missing(*arguments):
    done = subprocess.run([FXT2FOLDED, *arguments], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=True)
    return [line.removeprefix("fxt2folded: ") for line in done.stderr.splitlines()
            if "without its names" in line or "more such" in line]


def test_files_that_are_missing_are_listed_by_how_many_samples_lack_them():
    trace = fxtwrite.archive()
    for number in range(14):
        name = b"" if number == 5 else b"/nowhere/lib%02d.so" % number
        trace.module(5, number, name, bytes([0xab, number]))
        trace.mapping(5, number, 0x10000 * (number + 1), 0x1000, 0)
        for _ in range(number):
            trace.backtrace(9, 5, 6, 0x10000 * (number + 1), 0x10000 * (number + 1) + 8, 0x10000)
    trace.functions(5, [(0xd0000, 0x1000, 0, b"has_a_name")])
    write("t.fxt", trace)
    text = "{}: not found; {} without its names".format
    lines = [text("/nowhere/lib00.so", "91 samples"), text("/nowhere/lib13.so", "13 samples")]
    lines += [text(f"/nowhere/lib{n:02}.so", f"{n} samples") for n in (11, 10, 9, 8, 7, 6)]
    lines += [text("ab05", "5 samples"), text("/nowhere/lib04.so", "4 samples")]
    rest = [text("/nowhere/lib03.so", "3 samples"), text("/nowhere/lib02.so", "2 samples"),
            text("/nowhere/lib01.so", "1 sample")]
    assert missing("t.fxt") == lines + ["and 3 more such files"], missing("t.fxt")
    assert missing("-v", "t.fxt") == lines + rest
    assert missing("--unsymbolized", "t.fxt") == []
    assert missing("-q", "t.fxt") == []


if __name__ == "__main__":
    main(sys.modules[__name__])
