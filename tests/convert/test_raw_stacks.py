# SPDX-License-Identifier: BSD-2-Clause
"""Raw stacks, as Fuchsia's profiler writes them, become stacks: real ones of programs of
this machine, against gdb's; those of a program whose functions are known, on three machines;
and such that are damaged.

    test_raw_stacks.py TOOLS DUMP_STACK_SOURCE
"""
import ast
import os
import platform
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time

import fxtwrite
import profile_cases
import raw_stacks
from profile_cases import FXT2FOLDED, run, write
from raw_stacks import add_blob, blob, chunk

SOURCE = os.path.abspath(sys.argv[2])

# ---- Programs of this machine ----

PROGRAMS = {
    "python3": ["python3", "-c",
                "import json\nwhile True: json.loads(json.dumps({str(n): [n] * 3 for n in range(99)}))"],
    "perl": ["perl", "-e", "while (1) { my %h = map { $_ => $_ x 3 } 1..99; join ',', sort keys %h }"],
    "xz": ["sh", "-c", "exec xz -9 -c </dev/zero >/dev/null"],
    "gzip": ["sh", "-c", "exec gzip -c </dev/urandom >/dev/null"],
    "bash": ["bash", "-c", "f() { local x=$1; ((x > 0)) && f $((x - 1)); }; while true; do f 4; done"],
    # It asks for the time, in the vdso.
    "date": ["python3", "-c", "import time\nwhile True: time.monotonic_ns()"],
    "sqlite3": ["sqlite3", ":memory:",
                "with recursive c(x) as (select 1 union all select x+1 from c) select count(*) from c a, c b"],
}

# Frames that gdb adds, of functions that are not on the stack any more, do not count.
GDB = """
python
names = "rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip".split()
registers = {name: int(gdb.parse_and_eval("(unsigned long long)$" + name)) for name in names}
memory = b""
try:
    for i in range(64):
        part = gdb.selected_inferior().read_memory(registers["rsp"] + 256 * i, 256)
        memory += bytes(part)
except gdb.MemoryError:
    pass
pcs = []
frame = gdb.newest_frame()
while frame is not None:
    if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
        pcs.append(frame.pc())
    frame = frame.older()
with open("gdb.out", "w") as file:
    file.write(repr((registers, memory, pcs)))
end
"""


def is_stopped(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        return file.read().rsplit(")", 1)[1].split()[0] in "Tt"


def look_at(process, seed):
    """Stops a process somewhere. Its registers, the memory of its stack, its mappings and
    the PCs of its stack."""
    random.seed(seed)
    os.kill(process.pid, signal.SIGCONT)
    time.sleep(0.05 + random.random() / 5)
    os.kill(process.pid, signal.SIGSTOP)
    while not is_stopped(process.pid):
        time.sleep(0.01)
    with open("script", "w", encoding="utf-8") as file:
        file.write(GDB)
    subprocess.run(["gdb", "-nx", "-batch", "-p", str(process.pid), "-ex",
                    "set backtrace past-main on", "-ex", "set backtrace past-entry on", "-x",
                    "script"], check=False, stdin=subprocess.DEVNULL, capture_output=True,
                   env={**os.environ, "DEBUGINFOD_URLS": ""})
    with open(f"/proc/{process.pid}/maps", encoding="utf-8") as file:
        maps = file.read()
    with open("gdb.out", encoding="utf-8") as file:
        return (*ast.literal_eval(file.read()), maps)


def pcs_of(name, *options):
    """The PCs of each sample, and what is printed on standard error."""
    done = subprocess.run([FXT2FOLDED, "--format", "markup", *options, name],
                          capture_output=True, check=True)
    stacks = []
    for line in done.stdout.decode().splitlines():
        number = re.match(r"\{\{\{bt:(\d+):0x([0-9a-f]+)", line)
        if number and number[1] == "0":
            stacks.append([])
        if number:
            stacks[-1].append(int(number[2], 16))
    return stacks, done.stderr.decode()


def compare(name, process, seed):
    registers, memory, expected, maps = look_at(process, seed)
    trace = fxtwrite.archive()
    trace.process(7, name.encode())
    # The profiler copies no more.
    assert len(memory) <= 16384
    add_blob(trace, 1000, 7, 8, blob(raw_stacks.x86_64_block(registers),
                                     chunk(registers["rsp"], memory)))
    raw_stacks.add_maps(trace, 7, maps)
    stacks, said = pcs_of(write("one.fxt", trace))
    deepest = stacks[0]
    if len(memory) == 16384 and "larger than what was copied" in said:
        assert deepest == expected[:len(deepest)], (name, deepest, expected)
        return len(deepest)
    assert "all stacks are whole" in said, (name, said, deepest, expected)
    assert deepest == expected, (name, [hex(pc) for pc in deepest], [hex(pc) for pc in expected])
    return len(deepest)


def test_stacks_of_this_machine_are_equal_to_those_of_gdb():
    if platform.machine() != "x86_64" or not shutil.which("gdb"):
        return
    frames = []
    for name, command in PROGRAMS.items():
        if not shutil.which(command[0]) or not shutil.which(name):
            continue
        process = subprocess.Popen(command, start_new_session=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL)
        try:
            time.sleep(0.5)
            frames += [compare(name, process, seed) for seed in range(2)]
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    print(f"{len(frames)} stacks are equal, {sum(frames)} frames")
    assert frames


# ---- Three machines ----

COMPILERS = {"x86_64": ("gcc", []), "aarch64": ("aarch64-linux-gnu-gcc", ["qemu-aarch64"]),
             "riscv64": ("riscv64-linux-gnu-gcc", ["qemu-riscv64"])}
CHAIN = ["leaf", "inner", "middle", "outer"]


class Dump:
    """A stack of the program: its register block, and a part of its memory."""

    def __init__(self, data):
        size, = struct.unpack_from("<Q", data)
        self.block = data[8:8 + size]
        self.address, n = struct.unpack_from("<QQ", data, 8 + size)
        self.memory = data[24 + size:24 + size + n]
        self.rest = data[24 + size + n:]

    def chunk(self):
        return chunk(self.address, self.memory)


def dumps_of(machine):
    """A program for a machine, and the stacks of its second thread and of its first one;
    None where it cannot be made or run."""
    compiler, emulator = COMPILERS[machine]
    if not emulator and platform.machine() != machine:
        return None
    if any(not shutil.which(program) for program in [compiler, *emulator]):
        return None
    made = subprocess.run([compiler, "-D_GNU_SOURCE", "-O2", "-fomit-frame-pointer",
                           "-fno-optimize-sibling-calls", "-fasynchronous-unwind-tables",
                           "-static", "-pthread", "-Wl,--build-id", "-o", "dump_stack", SOURCE],
                          capture_output=True, check=False)
    if made.returncode != 0:
        print("skipped:", machine, made.stderr.decode())
        return None
    data = run(*emulator, "./dump_stack", text=False)
    second = Dump(data)
    first = Dump(second.rest)
    assert first.rest == b"" and len(first.block) == raw_stacks.BLOCK_BYTES[machine]
    return first, second


def fold(name, *options):
    done = subprocess.run([FXT2FOLDED, "--roots", "none", *options, name], capture_output=True,
                          check=False)
    lines = done.stdout.decode().splitlines()
    return [line.rsplit(" ", 1)[0].split(";")[::-1] for line in lines], done.stderr.decode()


def trace_of(*payloads, program="dump_stack"):
    trace = fxtwrite.archive()
    for i, payload in enumerate(payloads):
        add_blob(trace, 1000 + i, 7, 8 + i, payload)
    if program:
        raw_stacks.add_program(trace, 7, os.path.abspath("dump_stack"), program)
    return write("trace.fxt", trace)


def restricted(machine, block):
    """A register block as the state in restricted mode."""
    if machine != "x86_64":
        return block
    registers = dict(zip(raw_stacks.X86_64, struct.unpack_from("<17Q", block)))
    return raw_stacks.x86_64_block(registers, raw_stacks.X86_64_RESTRICTED)


def require_chain(stack, rest):
    """Beyond these functions, the C library's differ."""
    assert stack[:4] == CHAIN, stack
    assert stack[4] == rest, stack


def test_known_functions_are_found_on_each_machine():
    tried = 0
    for machine in COMPILERS:
        dumps = dumps_of(machine)
        if dumps is None:
            continue
        tried += 1
        first, second = dumps
        stacks, said = fold(trace_of(blob(first.block, first.chunk()),
                                     blob(second.block, second.chunk()),
                                     program=os.path.abspath("dump_stack")),
                            "--cut-frames", "hide")
        print(machine, stacks, said)
        assert "file was not found" not in said, said
        by_root = {stack[4]: stack for stack in stacks}
        require_chain(by_root["main"], "main")
        require_chain(by_root["run_thread"], "run_thread")
        if machine != "riscv64":
            # Debian's C library for riscv64 has few tables.
            assert by_root["main"][-1] == "_start", by_root
            assert "all stacks are whole" in said, said
        check_restricted(machine, first, second)
    assert tried


def check_restricted(machine, first, second):
    """The second thread's stack as that in restricted mode below the first one's."""
    state = restricted(machine, second.block)
    program = os.path.abspath("dump_stack")
    stacks, said = fold(trace_of(blob(first.block, first.chunk(), chunk(0x1230, state),
                                      second.chunk()), program=program), "--cut-frames", "hide")
    assert len(stacks) == 1, (machine, stacks)
    require_chain(stacks[0], "main")
    at = stacks[0].index("leaf", 1)
    require_chain(stacks[0][at:], "run_thread")
    assert ("a gap" in said) == (stacks[0][at - 1] != "_start"), said
    # Chunks that could not be read are not there.
    stacks, said = fold(trace_of(blob(first.block, first.chunk(), chunk(0x1230, state)),
                                 program=program), "--cut-frames", "show")
    assert stacks[0][at] == "leaf" and stacks[0][-1].startswith("[cut: "), stacks
    if machine == "aarch64":
        state = state[:272] + struct.pack("<Q", 0x10)
        stacks, said = fold(trace_of(blob(first.block, first.chunk(),
                                          chunk(0x1230, state.ljust(280, b"\0")), second.chunk()),
                                     program=program), "--cut-frames", "hide")
        assert stacks[0].count("leaf") == 2 and stacks[0][-1] == "leaf", stacks
        assert "1 raw stack of a 32-bit program: only the innermost PC is known" in said


# ---- Files ----


def machine_here():
    machine = platform.machine()
    dumps = dumps_of(machine) if machine in COMPILERS else None
    return machine, dumps


def test_files_are_found_by_build_id_and_those_that_are_not_are_named():
    _, dumps = machine_here()
    if dumps is None:
        return
    first, _ = dumps
    trace = trace_of(blob(first.block, first.chunk()), program="dump_stack")
    os.rename("dump_stack", "elsewhere")
    stacks, said = fold(trace)
    assert stacks[0][-1] == "[cut: file not found]", stacks
    assert "end in dump_stack, whose file was not found (--debug-dir)" in said, said
    build_id = raw_stacks.headers_of("elsewhere")[0].hex()
    os.makedirs("debug/.build-id/" + build_id[:2])
    os.rename("elsewhere", f"debug/.build-id/{build_id[:2]}/{build_id[2:]}.debug")
    stacks, said = fold(trace, "--debug-dir", "debug")
    require_chain(stacks[0], "main")
    assert stacks[0][-1] == "_start" and "all stacks are whole" in said, (stacks, said)


def test_a_file_that_the_user_names_is_enough():
    _, dumps = machine_here()
    if dumps is None:
        return
    first, _ = dumps
    trace = trace_of(blob(first.block, first.chunk()), program=None)
    stacks, said = fold(trace, "--elf", "dump_stack")
    require_chain(stacks[0], "main")
    assert "all stacks are whole" in said, said


def test_mappings_are_those_of_the_time_of_the_sample():
    _, dumps = machine_here()
    if dumps is None:
        return
    first, _ = dumps
    trace = fxtwrite.archive()
    program = os.path.abspath("dump_stack")
    build_id, loads = raw_stacks.headers_of(program)
    payload = blob(first.block, first.chunk())
    add_blob(trace, 100, 7, 8, payload)
    add_blob(trace, 300, 7, 9, payload)
    trace.module(7, 0, program.encode(), build_id)
    trace.module(7, 1, b"other", b"\1\2\3\4")
    for _, vaddr, size, code in loads:
        if code:
            trace.mapping(7, 0, vaddr, size, vaddr, time=50)
            trace.mapping(7, 1, vaddr, size, 0, time=200)
    stacks, _ = fold(write("times.fxt", trace), "--roots", "thread")
    whole = next(stack for stack in stacks if stack[-1] == "thread[8]")
    cut = next(stack for stack in stacks if stack[-1] == "thread[9]")
    require_chain(whole, "main")
    assert cut[-2] == "[cut: file not found]" and cut[0].startswith("other+"), cut


# ---- Damage ----


def test_what_cannot_be_unwound_is_counted_by_reason():
    _, dumps = machine_here()
    if dumps is None:
        return
    first, _ = dumps
    program = os.path.abspath("dump_stack")
    block = first.block
    cases = {
        b"": "left out: the registers are cut off",
        b"\0" * 7: "left out: the registers are cut off",
        blob(block)[:-1]: "left out: the registers are cut off",
        blob(block, size=2**63): "left out: the registers are of no known machine",
        blob(b"\0" * 168): "left out: the registers are of no known machine",
        blob(b""): "left out: the registers are of no known machine",
        blob(block, first.chunk()[:-1]): "with less memory than stated",
        blob(block, chunk(first.address, first.memory, 2**63)): "with less memory than stated",
        blob(block, chunk(first.address, first.memory, 2**64 - 1)): "with less memory than stated",
        blob(block, chunk(2**64 - 8, b"x" * 16)): "with less memory than stated",
        blob(block, first.chunk(), b"\0" * 15): "with less memory than stated",
        blob(block, *[chunk(16 * i, b"x") for i in range(40)]): "with less memory than stated",
    }
    for payload, reason in cases.items():
        stacks, said = fold(trace_of(payload, program=program))
        assert f"1 raw stack {reason}" in said, (payload[:32], said)
        assert len(stacks) == (0 if reason.startswith("left out") else 1), (said, stacks)
        if stacks:
            assert stacks[0][0] == "leaf", stacks
    for payload in (blob(block), blob(block, *[chunk(0, b"")] * 100)):
        stacks, said = fold(trace_of(payload, program=program))
        assert "raw stack" not in said and stacks[0][-1].startswith("[cut: "), (said, stacks)
    # Of chunks that overlap the first one counts.
    wrong = chunk(first.address, b"\xff" * len(first.memory))
    stacks, said = fold(trace_of(blob(block, first.chunk(), wrong), program=program))
    require_chain(stacks[0], "main")
    stacks, said = fold(trace_of(blob(block, wrong, first.chunk()), program=program))
    assert stacks[0][-1].startswith("[cut: "), stacks


def test_another_byte_order_is_counted():
    trace = fxtwrite.Trace(big_endian=True)
    trace.magic()
    add_blob(trace, 1, 7, 8, blob(bytes(160)))
    stacks, said = fold(write("big.fxt", trace))
    assert not stacks, stacks
    assert "1 raw stack left out: the byte order is not that of this machine" in said, said


def limit_files():
    """No file can have more than 20 MB, and the attempt is an error and not a signal."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20000000, 20000000))


def test_without_room_for_a_temporary_file_what_is_lost_is_counted():
    trace = fxtwrite.archive()
    payload = blob(raw_stacks.x86_64_block(dict.fromkeys(raw_stacks.X86_64, 16)),
                   chunk(16, bytes(1 << 15)))
    for i in range(1600):
        add_blob(trace, i, 7, 8, payload)
    write("large.fxt", trace)
    done = subprocess.run([FXT2FOLDED, "large.fxt"], capture_output=True, check=True,
                          preexec_fn=limit_files)
    said = done.stderr.decode()
    lost = re.search(r"(\d+) raw stacks left out: no room for them in the directory for "
                     "temporary files", said)
    kept = re.search(r"(\d+) samples, merged", said)
    assert lost and kept and int(lost[1]) + int(kept[1]) == 1600, said
    assert int(kept[1]) > 500, said


def test_a_large_trace_is_kept_outside_of_memory():
    _, dumps = machine_here()
    if dumps is None:
        return
    first, second = dumps
    program = os.path.abspath("dump_stack")
    filler = chunk(16, bytes(1 << 15))
    payloads = [blob(d.block, d.chunk(), filler) for d in (first, second)] * 600
    stacks, said = fold(trace_of(*payloads, program=program))
    assert sorted(stack[4] for stack in stacks) == ["main", "run_thread"], stacks
    assert "1200 samples, merged into 1200" in said and "all stacks are whole" in said, said
    peak = subprocess.run(["/usr/bin/env", "python3", "-c", "import os,resource,subprocess,sys\n"
                           "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, "
                           "stderr=subprocess.DEVNULL)\n"
                           "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)",
                           FXT2FOLDED, "trace.fxt"], capture_output=True, check=True).stdout
    size = os.path.getsize("trace.fxt")
    assert int(peak) * 1024 < size, (peak, size)


def test_filters_choose_raw_stacks_as_other_samples():
    _, dumps = machine_here()
    if dumps is None:
        return
    first, second = dumps
    trace = trace_of(blob(first.block, first.chunk()), blob(second.block, second.chunk()),
                     program=os.path.abspath("dump_stack"))
    stacks, said = fold(trace, "--tid", "9")
    assert len(stacks) == 1 and stacks[0][4] == "run_thread", stacks
    stacks, said = fold(trace, "--time", "-1000ns")
    assert len(stacks) == 1 and stacks[0][4] == "main", stacks
    assert "1 sample left out: of other times" in said, said
    stacks, said = fold(trace, "--cpus", "0")
    assert not stacks and "2 samples left out: of an unknown CPU" in said, said


profile_cases.main(sys.modules[__name__])
