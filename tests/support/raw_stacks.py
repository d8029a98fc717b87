# SPDX-License-Identifier: BSD-2-Clause
"""Raw stacks as Fuchsia's profiler writes them, and the modules of a Linux process."""
import re
import struct
import subprocess

import fxtwrite

# Words of Zircon's register blocks; of those in restricted mode, where they differ.
X86_64 = "rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip".split()
X86_64_RESTRICTED = ("rdi rsi rbp rbx rdx rcx rax rsp r8 r9 r10 r11 r12 r13 r14 r15 "
                     "rip").split()
BLOCK_BYTES = {"x86_64": 160, "aarch64": 280, "riscv64": 256}


def x86_64_block(registers, names=tuple(X86_64)):
    return struct.pack("<%dQ" % len(names), *(registers[name] for name in names)).ljust(160, b"\0")


def chunk(address, data, size=None):
    return struct.pack("<QQ", address, len(data) if size is None else size) + data


def blob(block, *chunks, size=None):
    return struct.pack("<Q", len(block) if size is None else size) + block + b"".join(chunks)


def add_blob(trace, time, process, thread, payload):
    trace.add(fxtwrite.large_blob(time, (process, thread), b"cpu_profiler", b"stack_sample",
                                  payload))


def headers_of(path):
    """The build id of an ELF file, and its loaded segments: offset, address, size, code."""
    printed = subprocess.run(["readelf", "-nlW", path], capture_output=True, check=True,
                             env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout.decode()
    build_id = re.search(r"Build ID: ([0-9a-f]+)", printed)
    loads = [(*(int(field, 16) for field in line.split()[1:5]), "E" in line[60:])
             for line in printed.splitlines() if line.strip().startswith("LOAD")]
    return (bytes.fromhex(build_id[1]) if build_id else b"",
            [(offset, vaddr, filesz, code) for offset, vaddr, _, filesz, code in loads])


def vdso():
    """A file with the code that Linux puts into every process."""
    with open("/proc/self/maps", encoding="utf-8") as file:
        line = next(line for line in file if line.rstrip().endswith("[vdso]"))
    start, limit = (int(number, 16) for number in line.split()[0].split("-"))
    with open("/proc/self/mem", "rb") as memory, open("vdso.so", "wb") as copy:
        memory.seek(start)
        copy.write(memory.read(limit - start))
    return "vdso.so"


def add_maps(trace, process, maps):
    """The modules of a process, by the text of its /proc/PID/maps."""
    known = {}
    for line in maps.splitlines():
        fields = line.split(None, 5)
        if len(fields) < 6 or "x" not in fields[1] or fields[5][0] not in "/[":
            continue
        start, limit = (int(number, 16) for number in fields[0].split("-"))
        offset, path = int(fields[2], 16), fields[5]
        if path[0] == "[" and path != "[vdso]":
            continue
        build_id, loads = headers_of(path if path[0] == "/" else vdso())
        vaddr = next(vaddr + offset - at for at, vaddr, size, _ in loads
                     if at // 4096 * 4096 <= offset < at + size)
        if path not in known:
            known[path] = len(known)
            trace.module(process, known[path], path.encode(), build_id)
        trace.mapping(process, known[path], start, limit - start, vaddr)


def add_program(trace, process, path, name=None):
    """The same for a static program that is where it was linked."""
    build_id, loads = headers_of(path)
    trace.module(process, 0, (name or path).encode(), build_id)
    for offset, vaddr, size, code in loads:
        if code:
            trace.mapping(process, 0, vaddr, size, vaddr)
