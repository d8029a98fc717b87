#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The kernel in Rust of examples/kernel-rust, booted under qemu: what its sampler leaves in
its memory, through the crate fxt-emit, read by the tools. Argument: the tools' build
directory."""
import math
import os
import re
import subprocess
import sys
import tempfile

from kernel_guest import boot
from profile_cases import main

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(HERE, "..", "..", "examples", "kernel-rust", "build.sh")
MACHINE = "x86_64"
SAMPLES = 0, 0, 0

# As src/work.rs has them.
SHARES = {"parse": 0.6, "fold": 0.3, "link": 0.1}
CALLS = {"round": ["compile", "link"], "compile": ["parse", "optimise"],
         "optimise": ["fold"], "parse": ["spin"], "fold": ["spin"], "link": ["spin"]}
ROOTS = ["kernel_main", "kernel_begin", "main"]

WORK = tempfile.TemporaryDirectory()
ELF = os.path.join(WORK.name, "kernel.elf")


def build():
    done = subprocess.run([BUILD, ELF, os.path.join(WORK.name, "target")], check=False,
                          stdout=subprocess.PIPE, text=True)
    print(done.stdout, end="")
    if done.returncode != 0:
        sys.exit(done.returncode)


def function(name):
    """The last part of a function's path, whether the tools demangle or not."""
    return re.search(r"([a-z_]+)(?:17h[0-9a-f]{16}E)?$", name).group(1)


def fold(guest):
    return [([function(name) for name in stack], count)
            for stack, count in guest.fold(SAMPLES)]


def check_stack(stack):
    """Every caller is there, up to the outermost."""
    assert stack[:len(ROOTS)] == ROOTS, stack
    for caller, callee in zip(stack[len(ROOTS):], stack[len(ROOTS) + 1:]):
        assert callee in CALLS.get(caller, []), stack


def check_guest(guest):
    stacks = [(stack, count) for stack, count in fold(guest)]
    work = [(stack, count) for stack, count in stacks if "round" in stack]
    n_work = sum(count for _, count in work)

    for stack, _ in work:
        check_stack(stack)
    # The session begins and ends outside of the work.
    assert n_work + 3 >= sum(count for _, count in stacks) >= 400, stacks
    return work, n_work


build()
GUEST = boot(MACHINE, ELF)


def test_every_sample_is_there_and_whole():
    source, found = GUEST.sources[SAMPLES][0], GUEST.dump(SAMPLES)
    assert len(found.samples) == source.n_taken >= 400
    assert source.n_dropped == source.n_invalid == 0
    assert [other["type"] for other in found.others] == ["kernel_object"]
    for sample in found.samples:
        assert (sample["process"], sample["thread"]) == (1, 100)
        # At the outermost frame.
        assert [(arg["name"], arg["value"]) for arg in sample["args"]] == [("end", 1)]
    times = [sample["time_ns"] for sample in found.samples]
    assert times == sorted(times)


def test_shares_are_those_of_the_work():
    work, n_work = check_guest(GUEST)
    for name, share in SHARES.items():
        got = sum(count for stack, count in work if name in stack) / n_work
        allowed = 4 * math.sqrt(share * (1 - share) / n_work) + 0.03
        print("# %s %.3f of %d, expected %.3f" % (name, got, n_work, share))
        assert abs(got - share) < allowed
    n_leaf = sum(count for stack, count in work if stack[-1] == "spin")
    assert n_leaf > 0.6 * n_work


def test_another_run_leaves_the_same_bytes():
    assert boot(MACHINE, ELF).sources == GUEST.sources


def test_any_speed_will_do():
    for shift in 3, 4:
        check_guest(boot(MACHINE, ELF, shift=shift))


def test_functions_of_the_library_are_in_the_kernel():
    """Not those of a header: the crate calls libfxtemit."""
    symbols = subprocess.run(["nm", ELF], check=True, stdout=subprocess.PIPE,
                             text=True).stdout
    for name in "fxt_emit_stack", "fxt_gate_enter", "fxt_unwind_walk_why":
        assert re.search(r" [Tt] %s$" % name, symbols, re.M), name


main(sys.modules[__name__])
