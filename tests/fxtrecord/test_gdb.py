#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtrecord --gdb: against a stub with made-up stacks and every fault, and against real
ones: qemu's, gdbserver's. Arguments: the tools' build directory, fxtrecord."""
import concurrent.futures
import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import gdb_stub
import linux_memory
import patience
from gdb_stub import Stub, put_words, put_zeros
from profile_cases import FXT2FOLDED, TOOLS, main, run

FXTRECORD = os.path.abspath(sys.argv[2])
KERNEL = 0xffffffff80000000


def command(address, *arguments, samples=3, output="t.fxt"):
    return [FXTRECORD, "--gdb", address, "--samples", str(samples), "--interval", "1ms",
            *(("-o", output) if output else ()), *arguments]


def record(stub, *arguments, status=0, **how):
    """Standard error of a recording of a stub."""
    done = subprocess.run(command(stub.address, *arguments, **how), stderr=subprocess.PIPE,
                          check=False, timeout=patience.SECONDS)
    err = done.stderr.decode()
    # A stub that no client connects to waits for ever.
    stub.join(patience.SECONDS if done.returncode == status or stub.socket else 5)
    if stub.error:
        raise stub.error
    assert done.returncode == status, (done.returncode, err)
    return err


def dump(*files):
    tool = os.path.join(TOOLS, "fxtdump", "fxtdump")
    return [json.loads(line) for line in run(tool, "--json", "--strict", *files).splitlines()]


def folded(*files, roots="cpu", status=0):
    out = run(FXT2FOLDED, "-q", "--roots", roots, *files, status=status)
    return dict(line.rsplit(" ", 1) for line in out.splitlines())


def stack(cpu, *pcs):
    """A line of fxt2folded's, from PCs leaf first."""
    return ";".join(["cpu%d" % cpu] + ["0x%x" % pc for pc in reversed(pcs)])


def x86_thread(memory, cpu, pcs, base=None):
    """A thread with these PCs on its stack, leaf first; frames stand far apart, and in
    more than one page."""
    base = base or 0xffff800000010ff0 + 0x100000 * cpu
    frame = base
    for pc in pcs[1:]:
        put_words(memory, frame, frame + 0x310, pc)
        frame += 0x310
    put_words(memory, frame, 0, 0)
    put_zeros(memory, base & ~4095, (frame & ~4095) + 4096)
    return {"rip": pcs[0], "rbp": base, "rsp": base - 0x40, "name": "CPU#%d [running]" % cpu}


def two_cpus():
    memory = {}
    stacks = [[KERNEL + 0x1000 * cpu + 16 * i for i in range(1, 20)] for cpu in (0, 1)]
    threads = {"0%d" % (cpu + 1): x86_thread(memory, cpu, pcs)
               for cpu, pcs in enumerate(stacks)}
    return threads, memory, {stack(cpu, *pcs) for cpu, pcs in enumerate(stacks)}


def check(status=0, captures=3, arguments=(), **how):
    threads, memory, expected = two_cpus()
    stub = Stub(threads=threads, memory=memory, **how)
    err = record(stub, *arguments, status=status, samples=captures)
    assert folded("t.fxt") == {line: str(captures) for line in expected}
    assert "%d samples in t.fxt; %d capture" % (2 * captures, captures) in err, err
    return stub, err


# ---- What is recorded ----


def test_stacks_of_two_cpus():
    stub, err = check()
    assert re.search(r"ms stopped for each, \d+\.\d\d ms at the median", err), err
    assert stub.commands[-1] == "D" and stub.commands.count("\x03") >= 3
    records = dump("t.fxt")
    names = {r["name"] for r in records if r["type"] == "kernel_object"}
    assert names == {stub.address, "CPU#0", "CPU#1"}, names
    assert folded("t.fxt", roots="process,thread").keys() == {
        "%s[4194304];CPU#%d[%d];%s" % (stub.address, cpu, cpu + 1,
                                       line.split(";", 1)[1])
        for cpu, line in enumerate(sorted(two_cpus()[2]))}


def test_memory_is_read_in_few_pieces():
    stub, _ = check()
    reads = [c for c in stub.commands if c.startswith("m")]
    assert len(reads) <= 3 * 2 * 9, len(reads)


def test_regions_and_backtraces():
    threads, memory, expected = two_cpus()
    for arguments in ((), ("--backtraces",)):
        stub = Stub(threads=threads, memory=memory)
        record(stub, "--regions", "dir", *arguments, output=None)
        assert sorted(os.listdir("dir")) == ["cpu0.bin", "cpu1.bin", "names.fxt"]
        assert folded("dir/names.fxt", "dir/cpu0.bin", "dir/cpu1.bin") == dict.fromkeys(
            expected, "3")
    stub = Stub(threads=threads, memory=memory)
    # What one stop takes is written before the next.
    err = record(stub, "--buffer-size", "400")
    assert "a region was full" not in err, err
    assert folded("t.fxt") == dict.fromkeys(expected, "3")
    err = record(Stub(threads=threads, memory=memory), "--buffer-size", "64")
    assert "a region was full" in err and "6 dropped" in err, err


def test_aarch64_with_signed_return_addresses():
    memory = {}
    pcs = [KERNEL + 16 * i for i in range(6)]
    base = 0xffff000000001000
    for i, pc in enumerate(pcs[1:]):
        put_words(memory, base + 64 * i, base + 64 * (i + 1), pc & ~(0x7f << 48) | i << 48)
    put_words(memory, base + 64 * 5, 0, 0)
    put_zeros(memory, base, base + 4096)
    thread = {"pc": pcs[0], "x29": base, "sp": base, "name": "CPU#3 [running]"}
    record(Stub(gdb_stub.AARCH64, {"1": thread}, memory))
    assert folded("t.fxt") == {stack(3, *pcs): "3"}


def test_riscv64_whose_leaves_keep_no_return_address():
    memory = {}
    pcs = [0x80200000 + 16 * i for i in range(6)]
    base = 0x80400100
    frames = [base + 64 * i for i in range(6)]
    for frame, caller, pc in zip(frames, frames[1:], pcs[1:]):
        put_words(memory, frame - 16, caller, pc)
    put_words(memory, frames[5] - 16, 0, 0)
    put_zeros(memory, base & ~4095, (base & ~4095) + 4096)
    thread = {"pc": pcs[0], "fp": base, "sp": base - 64, "ra": 0x1234567, "name": "CPU#0"}
    record(Stub(gdb_stub.RISCV64, {"1": thread}, memory))
    assert folded("t.fxt") == {stack(0, *pcs): "3"}
    put_words(memory, base - 16, 0xdead, frames[1])
    record(Stub(gdb_stub.RISCV64, {"1": thread}, memory))
    assert folded("t.fxt") == {stack(0, pcs[0], 0x1234567, *pcs[2:]): "3"}


def test_stacks_of_interrupts():
    """The interrupt's stack is above that of what it interrupted; and a ring of frames."""
    memory, pcs = {}, [KERNEL + 16 * i for i in range(1, 7)]
    interrupted = x86_thread(memory, 0, pcs[3:])
    upper = 0xffff800000080000
    put_words(memory, upper, upper + 32, pcs[1])
    put_words(memory, upper + 32, interrupted["rbp"], pcs[3])
    put_zeros(memory, upper, upper + 4096)
    thread = {"rip": pcs[0], "rbp": upper, "rsp": upper, "name": "CPU#0"}
    record(Stub(threads={"1": thread}, memory=memory))
    assert folded("t.fxt") == {stack(0, pcs[0], pcs[1], pcs[3], *pcs[4:]): "3"}
    put_words(memory, interrupted["rbp"], upper, pcs[4])
    record(Stub(threads={"1": thread}, memory=memory))
    assert folded("t.fxt") == {stack(0, pcs[0], pcs[1], pcs[3], pcs[4]): "3"}


def test_registers_that_lead_nowhere():
    memory = {}
    put_words(memory, 0x5000, 0x5010, 0x1234)
    for thread in ({"rbp": 0x123, "rsp": 0x100}, {"rbp": 0x7000, "rsp": 0x6000},
                   {"rbp": 0x5000, "rsp": 0x6000}, {"rbp": (1 << 64) - 8, "rsp": 0},
                   {"rbp": 0, "rsp": 0}, {"rbp": 0x5000, "rsp": 0x5000}):
        record(Stub(threads={"1": {"rip": KERNEL, "name": "CPU#9", **thread}},
                    memory=memory))
        assert folded("t.fxt") == {stack(9, KERNEL): "3"}


def test_threads_of_a_process():
    memory = {}
    threads = {"p1.%x" % tid: x86_thread(memory, i, [0x401000 + i, 0x402000 + i],
                                         0x7ffff000 + 0x10000 * i)
               for i, tid in enumerate((0x4d2, 0x4d3, 0x4d4, 0x4d5))}
    for tid in threads:
        threads[tid]["name"] = "worker " + tid
    record(Stub(threads=threads, memory=memory))
    assert folded("t.fxt", roots="thread").keys() == {
        "worker p1.%x[%d];0x%x;0x%x" % (1234 + i, 1234 + i, 0x402000 + i, 0x401000 + i)
        for i in range(4)}


# ---- Linux ----


def put_bytes(memory, address, data):
    for i, byte in enumerate(data):
        memory[address + i] = byte


def linux_guest(**options):
    """CPU 0 is in a system call, CPU 1 in a thread of the kernel, in a module, and CPU 2 in
    a user's program; how their stacks are shown."""
    kernel, memory = linux_memory.Kernel(**options), {}
    for address, data in kernel.memory:
        put_bytes(memory, address, data)
    end = max(kernel.image[0] + len(kernel.image[1]), linux_memory.OFFSETS)
    put_zeros(memory, kernel.image[0] & ~4095, (end | 4095) + 1)
    put_zeros(memory, linux_memory.BASE, linux_memory.BASE + 0x10000)
    put_zeros(memory, linux_memory.MODULE, linux_memory.MODULE + 4096)
    stack = 0xffffc90000010000
    put_zeros(memory, stack, stack + 0x4000)
    function = linux_memory.function
    # The frames of functions 0, 1 and 2 have 8, 16 and 24 bytes; 20 has all registers.
    put_words(memory, stack + 0x3e00, function(1) + 5, 0, function(2) + 5, 0, 0,
              function(20) + 5)
    put_words(memory, stack + 0x3e30 + 128, 0x401234, 0x33)
    # It goes on at the end of the stack, past which nothing is mapped.
    put_words(memory, stack + 0x3fe8, linux_memory.MODULE_TEXT + 70, function(0) + 5,
              function(21) + 5)
    threads = {
        "1": {"rip": function(0) + 4, "rsp": stack + 0x3e00, "name": "CPU#0 [running]"},
        "2": {"rip": function(3) + 4, "rsp": stack + 0x3fe8, "name": "CPU#1 [running]"},
        "3": {"rip": 0x405678, "rsp": 0x7ffff000, "name": "CPU#2 [running]"},
    }
    return threads, memory, {
        "cpu0;[user]+0x401234;func20;func2;func1;func0",
        "cpu1;func21;func0;gadget_work;func3",
        "cpu2;[user]+0x405678"}


def test_a_kernel_of_linux():
    """Its stacks have no frame pointers: by what is in its memory, in each order."""
    for options, form in (({"is_older": True, "has_sequence": False, "is_old_orc": True},
                           "4.14 to 6.2"),
                          ({"is_older": True}, "6.4 to 7.0"), ({}, "6.4 to 7.0")):
        threads, memory, expected = linux_guest(**options)
        stub = Stub(threads=threads, memory=memory)
        err = record(stub, samples=20)
        assert ("Linux 6.9.0-made-up: 308 ORC entries, in the format of %s, 311 symbols "
                "and 1 module were read" % form) in err, err
        assert "stacks" not in err, err
        assert folded("t.fxt") == dict.fromkeys(expected, "20"), folded("t.fxt")
        # Of each stack that is in a kernel there is one packet, and none of the others.
        last = "\n".join(stub.commands).split("\nc\n")[-2].split("\n")
        assert [c[0] for c in last].count("m") == 2, last


def test_few_round_trips():
    """qemu takes commands while it answers others: all registers are one request, which
    stops the machine, and so is what is next of all stacks."""
    for guest, rounds in (two_cpus, 9), (linux_guest, 1):
        threads, memory, expected = guest()
        stub = Stub(threads=threads, memory=memory, qemu=True)
        record(stub, samples=20)
        assert folded("t.fxt") == dict.fromkeys(expected, "20"), folded("t.fxt")
        resumed = [i + 1 for i, command in enumerate(stub.commands) if command == "c"]
        # Threads are listed in each 16th capture, and a kernel is looked for in the first 8.
        start, end = resumed[9], resumed[16]
        n = sum(start <= at < end for at in stub.reads)
        assert n <= 7 * (2 + rounds), n
    last = stub.commands[resumed[15]:end]
    assert last == ["\x03", "Hg1", "g", "Hg2", "g", "Hg3", "g", "Hg1",
                    "mffffc90000013e00,200", "Hg2", "mffffc90000013fe8,18", "c"], last


def test_a_kernel_of_linux_that_is_starting():
    threads, memory, expected = linux_guest()
    stub = Stub(threads=threads, memory=memory)
    stub.read_memory = lambda address, size, read=stub.read_memory: (
        b"E14" if address >= KERNEL and stub.commands.count("c") < 4 else read(address, size))
    record(stub, samples=20)
    counts = folded("t.fxt")
    assert all(int(counts[line]) >= 17 for line in expected), counts


def test_a_module_of_linux_that_is_loaded_later():
    threads, memory, expected = linux_guest()
    stub = Stub(threads=threads, memory=memory)
    modules = linux_memory.Kernel().modules
    stub.read_memory = lambda address, size, read=stub.read_memory: (
        modules.to_bytes(8, "little").hex().encode()
        if address == modules and stub.commands.count("c") < 8 else read(address, size))
    err = record(stub, samples=40)
    assert "and 0 modules were read" in err, err
    counts = folded("t.fxt")
    # They are read again in each 16th capture.
    assert all(int(counts[line]) >= 20 for line in expected), counts


def test_kernels_of_linux_that_are_damaged():
    """What does not agree is reported, and stacks are by frame pointers."""
    def change(memory, address, data):
        assert address in memory
        put_bytes(memory, address, data)

    kernel = linux_memory.Kernel()
    place = {name[1:]: address for name, address in kernel.places.items()}
    names = kernel.image[0] + 8
    for address, data, why in (
            (names, b"\xff\xff", "no Linux kernel with symbols was found"),
            (place["__start_orc_unwind"] + 10, b"\xff\xff", "of an unknown format"),
            (place["__start_orc_unwind_ip"] + 20, b"\0\0\0\x80", "are not sorted")):
        threads, memory, _ = linux_guest()
        change(memory, address, data)
        err = record(Stub(threads=threads, memory=memory), samples=20)
        assert why in err and "60 of 60 stacks have one frame" in err, err
        assert folded("t.fxt").keys() == {
            stack(0, threads["1"]["rip"]), stack(1, threads["2"]["rip"]),
            "cpu2;[user]+0x405678"}, folded("t.fxt")


def test_stacks_of_linux_that_are_cut():
    threads, memory, _ = linux_guest()
    for address in range(0xffffc90000013e00, 0xffffc90000013e00 + 0x200):
        del memory[address]
    err = record(Stub(threads=threads, memory=memory), samples=5)
    assert "10 of 15 stacks end within the kernel, at memory that cannot be read" in err, err


# ---- Stubs ----


def test_what_stubs_do():
    for how in ({"greets": True}, {"split": True, "packet_size": 200},
                {"bad_sums": True}, {"naks": True}, {"no_acks": False}, {"repeat": True},
                {"piece": 7}, {"packet_size": 100}, {"packet_size": 1 << 30},
                {"hidden": ("rip", "rbp")}, {"tcp": True}, {"talks": True},
                {"notices": True}, {"qemu": True}, {"qemu": True, "packet_size": 200},
                {"qemu": True, "repeat": True, "split": True},
                {"qemu": True, "hidden": ("rip", "rbp")},
                {"greets": True, "split": True, "repeat": True, "bad_sums": True,
                 "naks": True, "notices": True, "talks": True, "packet_size": 200}):
        check(**how)


def test_signals_are_passed_on():
    stub, _ = check(signals=[11, 5, 2, 14])
    resumed = [c for c in stub.commands if c[0] in "cC"]
    assert resumed[1:5] == ["C0b", "c", "c", "C0e"], resumed


def test_stubs_that_say_little():
    threads, memory, expected = two_cpus()
    del threads["02"]
    stub = Stub(threads=threads, memory=memory, no_threads=True, no_description=True)
    err = record(stub, "--architecture", "x86-64")
    assert "does not describe" not in err
    line = min(expected)
    assert folded("t.fxt") == {line: "3"}
    stub = Stub([("eax eip", 32)], threads, memory)
    err = record(stub, status=1)
    assert "not those of an x86-64, aarch64 or riscv64" in err


def test_a_thread_that_is_gone():
    threads, memory, expected = two_cpus()
    threads["03"] = {"name": "CPU#2"}
    stub = Stub(threads=threads, memory=memory, hidden=("rip",))
    stub.reply = lambda command, reply=stub.reply: (
        b"E22" if command == "Hg03" else reply(command))
    assert "3 threads could not be read" in record(stub)
    assert folded("t.fxt") == dict.fromkeys(expected, "3")


def test_a_target_that_goes_away_at_any_packet():
    n = 0
    for vanish in range(1, 200, 3):
        threads, memory, expected = two_cpus()
        stub = Stub(threads=threads, memory=memory, vanish=vanish, seed=vanish)
        done = subprocess.run(command(stub.address), stderr=subprocess.PIPE, check=False,
                              timeout=patience.SECONDS)
        err = done.stderr.decode()
        if done.returncode == 0:
            break
        assert done.returncode == 1 and "Sanitizer" not in err, err
        if "was lost after" not in err:
            assert n == 0 and not os.path.exists("t.fxt")
            continue
        n = int(err.split("lost after ")[1].split()[0])
        dump("t.fxt")
        if n > 0:
            counts = folded("t.fxt")
            assert counts.keys() <= expected
            assert all(int(count) in (n, n + 1) for count in counts.values())
    assert n >= 2, n


def test_a_target_that_ends():
    threads, memory, expected = two_cpus()
    err = record(Stub(threads=threads, memory=memory, exits=40), samples=1000)
    assert "lost" not in err and "the target ended before 1000 captures" in err
    assert folded("t.fxt").keys() == expected


def test_hostile_stubs():
    rng = random.Random(1)
    for _ in range(30):
        garbage = b"".join(
            rng.choice((bytes(rng.randrange(256) for _ in range(9)), b"+", b"-", b"$",
                        gdb_stub.packet(b"OK"), gdb_stub.packet(b"m1,2,3"),
                        gdb_stub.packet(b"T05"), gdb_stub.packet(b""),
                        gdb_stub.packet(b"PacketSize=ffffffffffffffffff"),
                        gdb_stub.packet(b"l<reg name='rip' bitsize='99999999999'"),
                        gdb_stub.packet(b"0* 0*~"), b"$x*#00", b"%a#61"))
            for _ in range(rng.randrange(60)))
        record(Stub(garbage=garbage), status=1)
    record(Stub(garbage=b"$" + b"a" * (1 << 22) + b"#00"), status=1)


# ---- Users ----


def interrupt(stub, output, *arguments, seconds=0.5):
    with subprocess.Popen(command(stub.address, *arguments, samples=10 ** 6, output=output),
                          stderr=subprocess.PIPE) as process:
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=patience.SECONDS)
        return process.returncode, err.decode()


def test_an_interrupt_ends_it():
    threads, memory, expected = two_cpus()
    stub = Stub(threads=threads, memory=memory)
    status, err = interrupt(stub, "t.fxt")
    while status == -signal.SIGINT:  # It had not begun.
        stub = Stub(threads=threads, memory=memory)
        status, err = interrupt(stub, "t.fxt", seconds=5)
    assert status == 0, err
    stub.join(patience.SECONDS)
    assert stub.commands[-1] == "D"
    assert folded("t.fxt").keys() == expected
    status, err = interrupt(Stub(mute=True), "u.fxt")
    assert status in (1, -signal.SIGINT) and not os.path.exists("u.fxt")


def test_stubs_that_never_cease_to_speak():
    """It does not wait for them to be silent. All at once: some are given ten seconds."""
    noises = (b"+", b"junk", b"$a", b"%Stop:T05#d2", b"$O41#b4")
    babbles = (b"+", gdb_stub.packet(b"O41"))
    with concurrent.futures.ThreadPoolExecutor(len(noises) + len(babbles)) as pool:
        interrupted = [pool.submit(interrupt, Stub(noise=noise), "u%d.fxt" % i, seconds=1)
                       for i, noise in enumerate(noises)]
        lost = [pool.submit(record, Stub(babble=babble), status=1, output="t%d.fxt" % i)
                for i, babble in enumerate(babbles)]
    for i, done in enumerate(interrupted):
        assert done.result()[0] in (1, -signal.SIGINT) and not os.path.exists("u%d.fxt" % i)
    for done in lost:
        assert "lost after 0 captures of 3" in done.result()


def test_what_cannot_be():
    for arguments in (("--gdb", "x", "true"), ("--gdb", "x", "-a"), ("--samples", "3", "true"),
                      ("--gdb", "x", "--samples", "0"), ("--gdb", "x", "-F", "100"),
                      ("--elf", "x", "true"), ("--gdb", "x", "--interval", "x"),
                      ("--gdb", "x", "--with-gdb", "--elf", "y", "--elf", "z"),
                      ("--gdb", "x", "--with-gdb", "--regions", "d"),
                      ("--gdb", "x", "--with-gdb", "-o", "x.svg"), ("--gdb", "x", "-o", "x.pb"),
                      ("--gdb", "x", "--architecture", "vax")):
        done = subprocess.run([FXTRECORD, *arguments], stderr=subprocess.PIPE, check=False)
        assert done.returncode == 2 and done.stderr, arguments
    for address in ("no/such/socket", ":1", "nohost.invalid:1", "x" * 200):
        done = subprocess.run([FXTRECORD, "--gdb", address], stderr=subprocess.PIPE,
                              check=False)
        assert done.returncode == 1 and done.stderr.count(b"\n") == 1, done


def test_what_cannot_be_written():
    """It is reported before a capture is taken, and before a command is run."""
    os.mkdir("dir")
    stub = Stub()
    for arguments in (["--gdb", stub.address], ["--gdb", stub.address, "--with-gdb"],
                      ["touch", "t"]):
        for output in ("no/such/t", "dir"):
            done = subprocess.run([FXTRECORD, "-o", output, *arguments],
                                  stderr=subprocess.PIPE, check=False, timeout=patience.SECONDS)
            assert done.returncode == 1 and done.stderr.count(b"\n") == 1, done
    assert not stub.commands and not os.path.exists("t") and not os.listdir("dir")


# ---- Real stubs ----

SPIN = """
#include <signal.h>
#include <sys/prctl.h>
#include <sys/time.h>
volatile unsigned long n;
__attribute__((noinline)) void inner(void) { for (int i = 0; i < 1000; i++) n++; }
__attribute__((noinline)) void middle(void) { for (int i = 0; i < 1000; i++) inner(); }
__attribute__((noinline)) void outer(void) { for (;;) middle(); }
static void ignore(int number) { (void)number; }
int main(void)
{
    struct itimerval often = {{0, 20000}, {0, 20000}};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGALRM, ignore);
    setitimer(ITIMER_REAL, &often, 0);
    outer();
}
"""


def build_spin(compiler="gcc", *options):
    if shutil.which(compiler) is None:
        return None
    with open("spin.c", "w", encoding="ascii") as file:
        file.write(SPIN)
    run(compiler, "-O1", "-g", "-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer"
        if "riscv" not in compiler else "-g", "-fno-optimize-sibling-calls", *options, "-o",
        "spin", "spin.c")
    return os.path.abspath("spin")


def is_listening(path):
    """A socket has its name before it takes connections, and a stub takes only one."""
    with open("/proc/net/unix", encoding="utf-8", errors="replace") as file:
        sockets = [line.split(maxsplit=7) for line in file]
    return any(len(fields) == 8 and int(fields[3], 16) & 0x10000 and
               os.path.basename(fields[7].strip()) == os.path.basename(path)
               for fields in sockets[1:]) and os.path.exists(path)


def await_socket(process, path):
    while not is_listening(path):
        assert process.poll() is None
        time.sleep(0.02)


def is_spinning(line):
    """Whether a stack is one of the program's: a function that is in its first or last
    instructions hides its caller. The program may have been interrupted to do nothing."""
    names = line.split(";<signal handler called>")[0].split(";")
    path = ["main", "outer", "middle", "inner"]
    return (names[-1] in path and
            [n for n in names if n in path] in
            (path, path[:3], path[:2], path[:1] + path[2:], path[:2] + path[3:],
             path[:1] + path[3:]))


def check_spinning(counts):
    """A machine that is busy with other things may not have come far."""
    assert any(is_spinning(line) for line in counts), counts


def loses_signals(qemu):
    """Version 10.0 of qemu's user mode now and then misses a signal, and with it all
    later ones: the program runs on, and the stub answers no more."""
    return " version 10." in run(qemu, "--version")


def record_program(qemu, machine, elf, samples):
    """Records it under qemu; returns false if qemu has lost it."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(machine)
    with subprocess.Popen([qemu, "-g", os.path.abspath(machine), elf]) as process:
        try:
            await_socket(process, machine)
            done = subprocess.run(command("./" + machine, samples=samples), check=False,
                                  stderr=subprocess.PIPE, timeout=patience.SECONDS)
        finally:
            process.kill()
    is_lost = loses_signals(qemu) and done.stderr.count(b"there was no answer") == 1
    assert done.returncode == 0 or is_lost, done
    return done.returncode == 0


def test_programs_under_qemu():
    """Its stub notices no client while a program runs, in old versions, unless a signal
    comes; which the program must still get."""
    n = 0
    for machine in ("x86_64", "aarch64", "riscv64"):
        qemu = shutil.which("qemu-" + machine)
        compiler = "gcc" if machine == os.uname().machine else machine + "-linux-gnu-gcc"
        elf = build_spin(compiler, "-static")
        if qemu is None or elf is None:
            print("left out:", machine)
            continue
        samples = 10 if loses_signals(qemu) else 20
        assert any(record_program(qemu, machine, elf, samples) for _ in range(10)), machine
        check_spinning(folded("--elf", elf, "t.fxt"))
        n += 1
    print(n, "machines")


def gdbserver(elf):
    """A running gdbserver, and its address."""
    process = subprocess.Popen(  # pylint: disable=consider-using-with
        ["gdbserver", "--once", "127.0.0.1:0", elf], stderr=subprocess.PIPE)
    for line in process.stderr:
        if b"Listening on port" in line:
            return process, ":%d" % int(line.split()[-1])
    process.wait()
    return None, None


def with_gdbserver(action):
    elf = build_spin("gcc", "-static")
    if shutil.which("gdbserver") is None or elf is None:
        print("left out: there is no gdbserver, or no compiler")
        return
    process, address = gdbserver(elf)
    if process is None:
        print("left out: gdbserver may not trace")
        return
    try:
        action(elf, address, process)
    finally:
        process.kill()  # And, by that, the program.
        process.stderr.close()
        process.wait()


def test_gdbserver():
    def action(elf, address, _):
        run(*command(address, "--interval", "20ms", samples=20), timeout=patience.SECONDS)
        records = dump("t.fxt")
        assert any(r["type"] == "kernel_object" and r["name"] == address for r in records)
        check_spinning(folded("--elf", elf, "t.fxt"))
    with_gdbserver(action)


def test_a_gdb_process():
    if shutil.which("gdb") is None:
        print("left out: there is no gdb")
        return

    def action(elf, address, process):
        # The program is to be beyond its loader in most of the captures.
        done = subprocess.run(command(address, "--with-gdb", "--elf", elf, "--interval",
                                      "100ms", output="t.log", samples=5),
                              stderr=subprocess.PIPE, timeout=patience.SECONDS, check=False)
        assert done.returncode == 0 and b"5 captures" in done.stderr, done
        with open("t.log", encoding="utf-8") as file:
            assert file.read().count("-<!OSDK_PROF_BT_ROUND!>-\n") == 5
        counts = folded("t.log")
        assert sum(int(n) for n in counts.values()) == 5
        # Where it is stopped is chance: gdb takes long, and the program gets signals.
        assert any(is_spinning(line) for line in counts), counts
    with_gdbserver(action)


def test_a_gdb_process_that_fails():
    for program, address, what in (("no-such-gdb", ":1", b"it has ended"),
                                   ("false", ":1", b"it has ended"),
                                   ("gdb", "no/such/socket", b"no/such/socket")):
        if program == "gdb" and shutil.which("gdb") is None:
            continue
        done = subprocess.run(command(address, "--with-gdb=" + program, output="t.log"),
                              stderr=subprocess.PIPE, timeout=patience.SECONDS, check=False)
        assert done.returncode == 1 and what in done.stderr, done
        assert not os.path.exists("t.log")


def test_an_interrupt_ends_a_gdb_that_only_talks():
    with open("talker", "w", encoding="ascii") as file:
        file.write("#!/bin/sh\nexec yes\n")
    os.chmod("talker", 0o755)
    status, err = interrupt(Stub(mute=True), "t.log", "--with-gdb=./talker", seconds=1)
    assert status == -signal.SIGINT or (status == 1 and "it was interrupted" in err), err
    assert not os.path.exists("t.log")


ROOTS = (("cpu0", "kernel_main", "kernel_secondary"),
         ("cpu1", "kernel_secondary", "kernel_main"))


def record_kernel(arguments, seconds):
    """The stacks of kernel.elf, which ends on its own, sooner or later."""
    is_log = "--with-gdb" in arguments
    with subprocess.Popen(
            ["qemu-system-x86_64", "-machine", "pc", "-device",
             "isa-debug-exit,iobase=0x501,iosize=1", "-accel", "tcg,thread=single",
             "-icount", "shift=3,sleep=off", "-m", "64M", "-smp", "2", "-nodefaults",
             "-display", "none", "-no-reboot", "-kernel", "kernel.elf", "-S", "-gdb",
             "unix:gdb.socket,server,nowait"]) as process:
        try:
            await_socket(process, "gdb.socket")
            subprocess.run(command("./gdb.socket", *arguments, "-d", seconds,
                                   samples=1000, output="out"),
                           stderr=subprocess.PIPE, timeout=patience.SECONDS, check=False)
        finally:
            process.kill()
    with contextlib.suppress(FileNotFoundError): # qemu 10 has removed it.
        os.unlink("gdb.socket")
    elf = () if is_log else ("--elf", "kernel.elf")
    return [line.split(";") for line in folded(*elf, "out")]


def is_met(lines, cpu, *functions):
    return any(names[0] == cpu and set(functions) <= set(names) for names in lines)


def build_kernel(*options):
    """Makes kernel.elf of examples/kernel, whose first CPU begins in kernel_main and the
    second in kernel_secondary. Returns whether it could."""
    build = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples",
                         "kernel", "build.sh")
    compiler = "gcc" if os.uname().machine == "x86_64" else "x86_64-linux-gnu-gcc"
    if not all(map(shutil.which, (compiler, "qemu-system-x86_64"))) or not os.path.exists(build):
        print("left out: there is no kernel, no compiler, or no qemu-system-x86_64")
        return False
    with open("compiler", "w", encoding="ascii") as file:
        file.write('#!/bin/sh\nexec %s "$@" %s\n' % (compiler, " ".join(options)))
    os.chmod("compiler", 0o755)
    run(build, "x86_64", "kernel.elf", env=dict(os.environ, CC="./compiler"))
    return True


def check_kernel(arguments, *functions):
    # On a busy machine the first captures may be all of a kernel that still boots.
    for seconds in ("20", "60", "240"):
        lines = record_kernel(arguments, seconds)
        if all(is_met(lines, cpu, root, *functions) for cpu, root, _ in ROOTS):
            break
    else:
        raise AssertionError(lines)
    for cpu, _, other in ROOTS:
        assert not any(names[0] == cpu and other in names for names in lines), lines


def test_a_kernel_under_qemu():
    if not build_kernel():
        return
    check_kernel((), "work_round")
    # gdb takes long, and the kernel's work may be over before it is met.
    if shutil.which("gdb") is not None:
        check_kernel(("--with-gdb", "--elf", "kernel.elf"))


def test_a_kernel_without_frame_pointers():
    if build_kernel("-fomit-frame-pointer", "-fno-asynchronous-unwind-tables"):
        check_kernel(("--elf", "kernel.elf"), "work_round", "compile", "spin")


def test_files_that_are_not_the_targets():
    with open("text", "w", encoding="ascii") as file:
        file.write("text")
    cases = [("text", gdb_stub.X86_64, "not an ELF file"), ("none", gdb_stub.X86_64, "No such")]
    if os.uname().machine == "x86_64":
        cases += [(os.environ["ELF_PIE"], gdb_stub.X86_64, "not linked for the addresses"),
                  (os.environ["ELF_STATIC"], gdb_stub.AARCH64, "not for aarch64")]
    for name, machine, why in cases:
        stub = Stub(machine)
        err = record(stub, "--elf", name, status=1)
        assert name in err and why in err and err.count("\n") == 1, err
        assert stub.commands[-1] == "D" and not os.path.exists("t.fxt")




if __name__ == "__main__":
    main(sys.modules[__name__])
