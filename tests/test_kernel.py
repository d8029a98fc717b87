#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The kernels of examples/kernel, booted under qemu: what their samplers leave in their
memory, read by the tools. Arguments: the tools' build directory, a machine, and a compiler
if it is not GCC."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import kernel_stacks
from kernel_guest import (FULL, MACHINES, PROBE, REGIONS, RINGS, TICK, WATCHDOG, boot, build)
from profile_cases import FXT2FOLDED, FXT2PPROF, TOOLS, main, run

FXTDUMP = os.path.join(TOOLS, "fxtdump", "fxtdump")
MACHINE = sys.argv[2]
COMPILER = sys.argv[3] if len(sys.argv) > 3 else None

# Of the work in work.h, on each CPU.
SHARES = [{"parse": 6, "fold": 3, "link": 1}, {"parse": 2, "fold": 1, "link": 7}]
ROOTS = ["kernel_main", "kernel_secondary"]
# What a region does not say of itself.
INPUT = ["--byte-order", MACHINES[MACHINE].byte_order]

work = tempfile.TemporaryDirectory()
elf = os.path.join(work.name, "kernel.elf")
build(MACHINE, COMPILER, elf)
guest = boot(MACHINE, elf, os.path.join(work.name, "memory"))


def write_region(key):
    """A source's data as a file; its CPU is in the name."""
    name = "session%d-source%d-cpu%d.bin" % (key[0], key[2], key[1])
    with open(name, "wb") as file:
        file.write(guest.sources[key][1])
    return name


def fold(*names, options=()):
    """The stacks in some regions, each as a list of functions, root first, and a count."""
    output = run(FXT2FOLDED, "-q", "--inlines", "off", "--roots", "none", "--elf", elf,
                 *INPUT, *options, *names)
    stacks = []
    for line in output.splitlines():
        stack, count = line.rsplit(" ", 1)
        stacks.append(([re.sub(r"\..*", "", name) for name in stack.split(";")], int(count)))
    return stacks


def stacks_of(*keys):
    return fold(*[write_region(key) for key in keys])


def total(stacks):
    return sum(count for _, count in stacks)


def count_with(stacks, function):
    return sum(count for stack, count in stacks if function in stack)


def dump(name):
    done = subprocess.run([FXTDUMP, "--json", *INPUT, name], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def keys(session=None, source=None):
    return [key for key in guest.sources
            if session in (None, key[0]) and source in (None, key[2])]


def test_every_stack_is_whole_and_nothing_else():
    for key in keys(source=TICK) + keys(source=WATCHDOG):
        stacks = stacks_of(key)
        assert total(stacks) > 50, key
        for stack, _ in stacks:
            kernel_stacks.check(MACHINE, stack, key[2] == WATCHDOG)
            assert stack[0] == ROOTS[key[1]], stack


def test_a_probe_begins_at_its_caller():
    for key in keys(source=PROBE):
        for stack, _ in stacks_of(key):
            kernel_stacks.check(MACHINE, stack, False)
            assert stack[-3:] == ["work_round", "compile", "optimise"], stack


main(sys.modules[__name__])
