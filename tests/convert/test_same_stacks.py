#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Whatever the input and the options: the stacks of fxt2pprof's profile are those that
fxt2folded prints, and so are those of its other formats.

test_same_stacks.py TOOLS_DIR [FXTRECORD WORKLOAD]"""
import collections
import json
import os
import sys

import fxtwrite
import pprof_read
import speedscope_read
import timeline_cases
from profile_cases import FXT2FOLDED, FXT2PPROF, busy_trace, main, run, symbols, write

RECORDER = [os.path.abspath(program) for program in sys.argv[2:4]]
INLINES = [["--inlines", how] for how in ("lines", "frames", "off")]


def profile_stacks(*arguments):
    run(FXT2PPROF, "-q", "-o", "p.pb.gz", *arguments)
    return pprof_read.fold(pprof_read.read("p.pb.gz"), lambda l: [l["thread"]],
                           int("--spans" in arguments))


def speedscope_stacks(*arguments):
    run(FXT2FOLDED, "-q", "--roots", "thread", "-o", "p.speedscope.json", *arguments)
    with open("p.speedscope.json", encoding="utf-8") as file:
        document = json.load(file)
    stacks = collections.Counter()
    for name, intervals in speedscope_read.stacks(document).items():
        for stack, weight in intervals:
            # Others are gaps.
            if stack:
                stacks[(name, *stack)] += weight
    return stacks


def compare(*arguments, value="samples"):
    """All of them; returns the stacks."""
    folded = pprof_read.read_folded(run(FXT2FOLDED, "-q", "--roots", "thread", "--value",
                                        value, *arguments))
    assert len(folded) > 0, arguments
    for found in profile_stacks(*arguments), speedscope_stacks("--value", value, *arguments):
        assert +found == folded, (arguments, set(found.items()) ^ set(folded.items()))
    return folded


def sweep(elf, function):
    """A stack at each address of a function, in a caller that is in the middle of it."""
    at = symbols(elf)
    trace = fxtwrite.Trace()
    middle = (at[function] + at[function + ".end"]) // 2
    for i, pc in enumerate(range(at[function], at[function + ".end"])):
        (trace.backtrace if i % 2 else trace.sample)(i, 1, 2 + i % 3, pc, middle, 0x10)
    return write("p.bin", trace)


FILTERS = ([], ["--fold-recursion"], ["--skip-above", "^main$"], ["--skip-below", "^main$"],
           ["--skip-above", "mix|count", "--skip-below", "main"],
           ["--idle", "hide", "--idle-function", "^mix$"], ["--tid", "3"])


def test_inlined_functions():
    for name in "ELF_INLINES", "ELF_INLINES_5", "ELF_CPLUSPLUS":
        if name not in os.environ:
            continue
        elf = os.environ[name]
        sweep(elf, "main")
        for how in INLINES:
            for options in FILTERS:
                compare("--elf", elf, *how, *options, "p.bin")
        compare("--unsymbolized", "p.bin")


def test_a_kernel():
    if "ELF_KERNEL" in os.environ:
        sweep(os.environ["ELF_KERNEL"], "kernel_main")
        for how in INLINES:
            compare("--elf", os.environ["ELF_KERNEL"], *how, "p.bin")


def test_processes_and_modules():
    write("p.fxt", busy_trace())
    for options in ([], ["--pid", "1045"], ["--time", "1.2ms-"], ["--fold-recursion"],
                    ["--skip-above", "libc"]):
        compare(*options, "p.fxt")


def test_spans():
    trace = fxtwrite.archive()
    for thread in range(5):
        trace.begin(0, 1, thread, b"main")
        for i in range(50):
            trace.complete(10 * i, 10 * i + thread + 3, 1, thread, b"step %d" % (i % 7))
            trace.complete(10 * i + 1, 10 * i + 2, 1, thread, b"inner<%d>" % (i % 3))
        trace.end(700, 1, thread)
    write("s.fxt", trace)
    for options in ([], ["--skip-above", "step"], ["--tid", "2,3"], ["--time", "50ns-300ns"]):
        compare("--spans", *options, "s.fxt", value="time")


def test_a_recording():
    """By fxtrecord, of a program that runs."""
    if timeline_cases.record(RECORDER) is None:
        return
    for how in INLINES:
        for options in FILTERS[:4]:
            stacks = compare(*how, *options, "r.fxt")
            assert sum(stacks.values()) > 20
    # It says how far apart samples are, and so what time they are.
    profile = pprof_read.read("p.pb.gz")
    assert profile["period"] > 100000 and profile["default_sample_type"] == "cpu"
    assert profile["time_nanos"] > 1700000000 * 10 ** 9 and profile["duration_nanos"] > 0
    for sample in profile["sample"]:
        assert sample["value"][1] == sample["value"][0] * profile["period"]
    time = run(FXT2FOLDED, "-q", "--roots", "none", "--value", "time", "r.fxt")
    assert sum(pprof_read.read_folded(time).values()) % profile["period"] == 0


if __name__ == "__main__":
    main(sys.modules[__name__])
