# SPDX-License-Identifier: BSD-2-Clause
"""Builds examples/kernel for a machine, boots it under qemu, and takes out of its memory
what its samplers have written.

The guest's memory is a file, so that it remains if the guest fails. Time goes
by instructions that were executed (-icount), not by this machine's clock, so that a loaded
machine changes nothing.
"""
import collections
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

import patience
from profile_cases import FXT2FOLDED, TOOLS, need, run, symbols

FXTDUMP = os.path.join(TOOLS, "fxtdump", "fxtdump")

MEMORY = "64M"

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(HERE, "..", "..", "examples", "kernel", "build.sh")

# load: what is subtracted from an address to find it in the memory's file.
Machine = collections.namedtuple("Machine", "qemu options load byte_order exit")

MACHINES = {
    "aarch64": Machine("qemu-system-aarch64", ["-machine", "virt", "-cpu", "cortex-a57"],
                       0x40000000, "little", 0),
    "riscv64": Machine("qemu-system-riscv64", ["-machine", "virt", "-bios", "none"],
                       0x80000000, "little", 0),
    "s390x": Machine("qemu-system-s390x", ["-machine", "s390-ccw-virtio"], 0, "big", 0),
    "x86_64": Machine("qemu-system-x86_64",
                      ["-machine", "pc", "-device",
                       "isa-debug-exit,iobase=0x501,iosize=1"],
                      0xffffffff80000000, "little", 1),
}

# As report.h has them.
Reported = collections.namedtuple(
    "Reported", "session cpu source address size n_taken n_dropped n_invalid")
MAGIC = 0x74726f7065525846
REPORT = "QQ64sQQQ"
REPORTED = "8Q"

REGIONS, FULL, RINGS, OF_USER = range(4)
TICK, WATCHDOG, PROBE, USER = range(4)


def build(machine, compiler, elf):
    """With the given compiler, or else with GCC, or Clang, whichever there is."""
    compilers = [compiler] if compiler else [machine + "-linux-gnu-gcc", "clang"]
    if machine == "s390x" and "clang" in compilers:
        compilers.remove("clang") # LLD does not link it everywhere.
    why = ""
    for name in compilers:
        done = subprocess.run([BUILD, machine, elf], env=dict(os.environ, CC=name),
                              check=False, stdout=subprocess.PIPE, text=True)
        if done.returncode != 77:
            assert done.returncode == 0, "the kernel does not build"
            return
        why += done.stdout
    print(why or "skipped: no compiler", end="")
    sys.exit(77)


# A region, as fxtdump has it.
Dump = collections.namedtuple("Dump", "samples drops others")


class Guest:
    """What a guest has left: `sources` are what its report says, with the data of each, by
    session, CPU and source."""

    def __init__(self, machine, elf, memory):
        self.machine = machine
        self.elf = elf
        self.sources = {}
        self.byte_order = MACHINES[machine].byte_order
        with open(memory, "rb") as file:
            self.read_report(file)

    def take(self, file, address, size):
        file.seek(address - MACHINES[self.machine].load)
        return file.read(size)

    def read_report(self, file):
        order = {"little": "<", "big": ">"}[self.byte_order]
        address = symbols(self.elf)["report"]
        head = self.take(file, address, struct.calcsize(order + REPORT))
        magic, done, why, pc, self.ticks_per_second, n = struct.unpack(order + REPORT, head)
        why = why.rstrip(b"\0").decode()
        assert magic == MAGIC, "the kernel did not begin"
        assert not why, "the kernel says: %s (%#x)" % (why, pc)
        assert done == 1, "the kernel did not come to its end"
        rows = self.take(file, address + len(head), n * struct.calcsize(REPORTED))
        for row in struct.iter_unpack(order + REPORTED, rows):
            source = Reported(*row)
            data = self.take(file, source.address, source.size)
            self.sources[source.session, source.cpu, source.source] = source, data

    def options(self):
        """What a region does not say of itself."""
        return ["--byte-order", self.byte_order, "--ticks-per-second",
                str(self.ticks_per_second)]

    def keys(self, session=None, cpu=None, source=None):
        """Those of the kernel, unless user mode's session is wanted."""
        wanted = (session, cpu, source)
        return [key for key in self.sources
                if all(want in (None, have) for want, have in zip(wanted, key)) and
                (key[0] != OF_USER or session == OF_USER)]

    def write(self, key):
        """A source's data as a file; its CPU is in the name."""
        name = "session%d-source%d-cpu%d.bin" % (key[0], key[2], key[1])
        with open(name, "wb") as file:
            file.write(self.sources[key][1])
        return name

    def fold(self, *keys):
        """The stacks in some regions, each as a list of functions, root first, and a
        count. Functions that the compiler has put into others are left out."""
        output = run(FXT2FOLDED, "-q", "--inlines", "off", "--roots", "none", "--elf",
                     self.elf, *self.options(), *[self.write(key) for key in keys])
        stacks = [line.rsplit(" ", 1) for line in output.splitlines()]
        return [([re.sub(r"\..*", "", name) for name in stack.split(";")], int(count))
                for stack, count in stacks]

    def dump(self, key):
        """A region's records; there is nothing in it that fxtdump could warn of."""
        output = run(FXTDUMP, "--strict", "--json", *self.options(), self.write(key))
        records = [json.loads(line) for line in output.splitlines()]
        samples = [record for record in records if record["type"] == "large_blob"]
        drops = [record for record in records if record.get("name") == "drop_stats"]
        others = [record for record in records if record not in samples + drops]
        return Dump(samples, drops, others)


def boot(machine, elf, shift=2, parallel=False):
    """Runs the kernel to its end. An instruction takes 2 ** `shift` nanoseconds; or if
    `parallel`, each CPU has a separate thread, and time is this machine's."""
    qemu, options, _, _, status = MACHINES[machine]
    need(qemu)
    clock = ["-accel", "tcg,thread=single", "-icount", "shift=%d,sleep=off" % shift, "-rtc",
             "base=2026-01-01,clock=vm"]
    if parallel:
        clock = ["-accel", "tcg,thread=multi"]
    with tempfile.TemporaryDirectory() as directory:
        # A separate file for each guest, which must find zeros in its memory.
        memory = os.path.join(directory, "memory")
        memory_option = "memory-backend-file,id=memory,size=%s,mem-path=%s,share=on"
        done = subprocess.run(
            [qemu] + options + clock +
            ["-object", memory_option % (MEMORY, memory), "-machine",
             "memory-backend=memory", "-m", MEMORY, "-smp", "2", "-nodefaults", "-display",
             "none", "-no-reboot", "-kernel", elf],
            check=False, timeout=patience.SECONDS, stdin=subprocess.DEVNULL)
        assert done.returncode == status, "%s: exit %d" % (qemu, done.returncode)
        return Guest(machine, elf, memory)
