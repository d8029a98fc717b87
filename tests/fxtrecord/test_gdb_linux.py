#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtrecord --gdb on Debian's kernels under qemu, which have no frame pointers: stacks by
the ORC tables and names that are in their memory, judged by the guest's own symbols and by
its code. Arguments: the tools' build directory, fxtrecord."""
import bisect
import json
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile

import boot_linux
import patience
import told_apart
from profile_cases import FXT2FOLDED, TOOLS, run, without_copies

HERE = os.path.dirname(os.path.abspath(__file__))
FXTRECORD = os.path.abspath(sys.argv[2])
MODULES = ["brd", "af_alg", "algif_hash"]
CAPTURES = 100

# Where kernel threads and CPUs begin; system calls, interrupts and exceptions enter the
# kernel in a separate section.
ROOTS = re.compile("ret_from_fork(_asm)?|secondary_startup_64(_no_verify)?|"
                   "common_startup_64|rewind_stack_and_make_dead")


class Memory:
    """A client of the stub that reads the guest's memory."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.left = b""

    def byte(self):
        while not self.left:
            self.left = self.socket.recv(65536)
            assert self.left
        byte, self.left = self.left[:1], self.left[1:]
        return byte

    def ask(self, command):
        self.socket.sendall(b"$%s#%02x" % (command, sum(command) & 0xff))
        # That the connection has stopped the guest is reported, too.
        while (reply := self.receive()).startswith(b"T"):
            pass
        return reply

    def receive(self):
        while self.byte() != b"$":
            pass
        data = bytearray()
        while (byte := self.byte()) != b"#":
            if byte == b"*":
                data += data[-1:] * (self.byte()[0] - 29)
            else:
                data += byte
        self.byte(), self.byte()
        self.socket.sendall(b"+")
        return bytes(data)

    def read(self, address, size):
        """The bytes as some CPU sees them; None if none does."""
        for cpu in range(1, 5):
            self.ask(b"Hg%x" % cpu)
            reply = self.ask(b"m%x,%x" % (address, size))
            if not reply.startswith(b"E"):
                return bytes.fromhex(reply.decode())
        return None


class Symbols:
    """The guest's symbols, as it says itself."""

    def __init__(self, text):
        named, self.of_modules = {}, set()
        for line in text.decode().splitlines():
            address, kind, name, *module = line.split()
            if kind in "tTwW":
                named.setdefault(int(address, 16), set()).add(name)
                if module:
                    self.of_modules.add(without_copies(name))
        self.named = named
        self.sorted = sorted(named)
        self.address = {name: pc for pc, names in named.items() for name in names}

    def names(self, pc):
        return self.named[self.sorted[bisect.bisect_right(self.sorted, pc) - 1]]

    def is_entry(self, pc):
        return (self.address["__entry_text_start"] <= pc < self.address["__entry_text_end"]
                or any(ROOTS.fullmatch(name) for name in self.names(pc)))

    def may_be_called(self, callee, pc):
        """Though no call is before the PC: the first switch to a new task returns to where
        that begins."""
        return ({"ret_from_fork", "ret_from_fork_asm"} & self.named.get(pc, set())
                or self.is_entry(callee) or self.is_entry(callee - 1))


def is_user(pc):
    return pc < 1 << 63


def stacks(path):
    tool = os.path.join(TOOLS, "fxtdump", "fxtdump")
    for line in run(tool, "--json", "--strict", path).splitlines():
        record = json.loads(line)
        if "pcs" in record:
            yield [int(str(pc), 0) for pc in record["pcs"]]


def is_whole(pcs, symbols):
    """Whether the kernel's outermost frame is one that nothing calls."""
    kernel = [pc for pc in pcs if not is_user(pc)]
    if not kernel:
        return len(pcs) > 0
    # What returns to the end of a function was called by it.
    return symbols.is_entry(kernel[-1]) or symbols.is_entry(kernel[-1] - 1)


def follows_call(read, pc):
    """E8 and 4 bytes, or FF with a register or memory."""
    code = read(pc - 8, 8)
    return code is not None and (
        code[3] == 0xe8 or any(code[8 - n] == 0xff and code[9 - n] >> 3 & 7 == 2
                               for n in range(2, 8)))


def judge_lengths(version, all_stacks, is_whole, one_of):
    """One of so many stacks may be cut."""
    assert len(all_stacks) == 4 * CAPTURES
    cut = [pcs for pcs in all_stacks if not is_whole(pcs)]
    deep = sum(len(pcs) > 3 for pcs in all_stacks)
    print("%s: %d of %d stacks are not whole, %d have more than 3 frames" % (
        version, len(cut), len(all_stacks), deep))
    assert len(cut) <= len(all_stacks) // one_of, [list(map(hex, pcs)) for pcs in cut]
    assert deep > len(all_stacks) // 4


def judge_returns(all_stacks, guest, follows, may_be_called):
    """Every frame's PC is after a call, except where an interrupt or exception came."""
    memory = Memory(guest.gdb)
    known = {}
    for pcs in all_stacks:
        for callee, pc in zip(pcs, pcs[1:]):
            if pc not in known:
                known[pc] = is_user(pc) or follows(memory.read, pc)
            assert known[pc] or may_be_called(callee, pc), (hex(callee), hex(pc))


def fold(path, *arguments):
    """The lines of folded stacks, and their frames but for the CPU."""
    lines = run(FXT2FOLDED, "-q", "--roots", "cpu", *arguments, path).splitlines()
    return lines, {frame for line in lines for frame in line.rsplit(" ", 1)[0].split(";")[1:]}


class Program:
    """The code of the init, an ELF file."""

    def __init__(self, path):
        self.data = boot_linux.read(path)
        start, = struct.unpack_from("<Q", self.data, 32)
        size, n = struct.unpack_from("<HH", self.data, 54)
        self.segments = [struct.unpack_from("<IIQQQQ", self.data, start + i * size)
                         for i in range(n)]

    def code(self, address, size):
        for kind, _, offset, start, _, n in self.segments:
            if kind == 1 and start <= address and address + size <= start + n:
                at = offset + address - start
                return self.data[at:at + size]
        return None


def judge_users(path, all_stacks, program, follows):
    """Users' stacks, by the init's tables: where its code was interrupted or has called
    the kernel, and returns from calls. The processes that exit have no memory any more."""
    users = [user for user in ([pc for pc in pcs if is_user(pc)] for pcs in all_stacks) if user]
    for user in users:
        assert program.code(user[0], 1) is not None, hex(user[0])
        for pc in user[1:]:
            assert follows(program.code, pc), list(map(hex, user))
    lines, _ = fold(path, "--elf", "init")
    whole = [line for line in lines if line.split(";")[1] == "_start"]
    n = sum(int(line.rsplit(" ", 1)[1]) for line in whole)
    print("%d of %d stacks of users begin in _start" % (n, len(users)))
    assert n > len(users) * 3 // 4, lines
    assert all(line.split(" ")[0].split(";")[4] == "main" for line in whole
               if line.count(";") > 5), whole


def judge_names(path, all_stacks, symbols):
    _, frames = fold(path)
    frames = {told_apart.own_name(frame) for frame in frames}
    bare = {frame for frame in frames if re.search(r"^0x|\+0x", frame)}
    seen = frames - bare
    real = set()
    for pcs in all_stacks:
        for pc in pcs:
            if not is_user(pc):
                real |= symbols.names(pc) | symbols.names(pc - 1)
    real = {without_copies(name) for name in real}
    assert len(seen) > 50 and seen <= real, seen - real
    # The user's code has no names; the modules' has.
    assert {frame.split("+")[0] for frame in bare} == {"[user]"}, bare
    assert seen & symbols.of_modules, seen
    print("%d functions, of which %d are modules'" % (len(seen), len(seen & symbols.of_modules)))


def record(guest, output, *arguments):
    """Standard error."""
    done = subprocess.run(
        [FXTRECORD, "--gdb", guest.gdb, "--samples", str(CAPTURES), "--interval", "5ms",
         "-o", output, *arguments], stderr=subprocess.PIPE, text=True, check=False,
        timeout=patience.SECONDS)
    print(done.stderr, end="")
    assert done.returncode == 0, done.stderr
    return done.stderr


def judge(image, init, directory):
    version = image[0]
    with boot_linux.Guest(image, init, MODULES, directory) as guest:
        guest.wait_for(b"The load runs.")
        err = record(guest, "t.fxt", "--elf", init)
        old = [int(n) for n in version.split(".")[:2]] < [6, 3]
        form = "4.14 to 6.2" if old else "6.4 to 7.0"
        assert re.search(r"Linux %s: \d+ ORC entries, in the format of %s, \d+ symbols and "
                         r"%d modules" % (re.escape(version), form, len(MODULES)),
                         err), err
        symbols = Symbols(boot_linux.read(guest.port))
        all_stacks = list(stacks("t.fxt"))
        # Of many runs together 0.2 %; four CPUs are often in the same place.
        judge_lengths(version, all_stacks, lambda pcs: is_whole(pcs, symbols), 50)
        judge_returns(all_stacks, guest, follows_call, symbols.may_be_called)
        judge_users("t.fxt", all_stacks, Program(init), follows_call)
        judge_names("t.fxt", all_stacks, symbols)


def judge_images(architecture, compiler, qemu, judge):
    """Each kernel of Debian's architecture, with an init that is compiled for it."""
    for program in compiler, qemu:
        boot_linux.need(program)
    images = boot_linux.find_images(architecture)
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        done = subprocess.run(
            [compiler, "-D_GNU_SOURCE", "-std=c11", "-Wall", "-Wextra", "-O1", "-static", "-o",
             "init", os.path.join(HERE, "linux_load.c")],
            stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            boot_linux.skip("there is no C library for %s: %s" % (architecture, done.stderr))
        for image in images:
            with tempfile.TemporaryDirectory() as guest:
                judge(image, "init", guest)
        os.chdir("/")


def main():
    if os.uname().machine != "x86_64":
        boot_linux.skip("the guest's init is one for x86-64")
    judge_images("amd64", "gcc", "qemu-system-x86_64", judge)


if __name__ == "__main__":
    main()
