#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Files whose debugging information is damaged, or cannot be read to its end: that costs
names and never the conversion. Arguments: the tools' build directory."""
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

import fxtwrite
import pprof_read
from profile_cases import (FXT2FOLDED, FXT2PPROF, HAS_LINES, main, need, run, symbols,
                           without_copies, write)

BASE = 0x555500000000
N_DAMAGED = 240


def sections(data):
    """Where each section's header, its bytes and their end are, by name."""
    order = "<" if data[5] == 1 else ">"
    assert data[4] == 2, "of 64 bits"
    table, = struct.unpack_from(order + "Q", data, 40)
    size, n, names = struct.unpack_from(order + "3H", data, 58)
    headers = [table + i * size for i in range(n)]
    places = [struct.unpack_from(order + "2Q", data, at + 24) for at in headers]
    found = {}
    for at, (offset, length) in zip(headers, places):
        start = places[names][0] + struct.unpack_from(order + "I", data, at)[0]
        name = data[start:data.index(b"\0", start)].decode()
        found[name] = (at, offset, offset + length)
    return found


def read(name):
    with open(name, "rb") as file:
        return bytearray(file.read())


def store(name, data):
    with open(name, "wb") as file:
        file.write(data)


def write_samples(elf, module=None, step=3):
    """A sample of every third address of the functions; returns the functions' names."""
    at = symbols(elf)
    trace = fxtwrite.archive()
    names = []
    vaddr, size = [int(number, 16) for number in re.search(
        r"LOAD\s+0x\S+ (0x\S+) 0x\S+ 0x\S+ (0x\S+) R E", run("readelf", "-lW", elf)).groups()]
    if module is not None:
        trace.module(1, 1, module.encode(), b"")
        trace.mapping(1, 1, BASE + vaddr, size, vaddr)
    for name, address in at.items():
        for pc in range(address, at.get(name + ".end", address), step):
            if vaddr <= pc < vaddr + size:
                trace.backtrace(len(names), 1, 1, BASE + pc)
                names.append(name)
    write("p.fxt", trace)
    assert len(names) > 50
    return names


def convert(*arguments, tool=FXT2PPROF):
    """The messages of a conversion that must be complete, and the names of functions."""
    done = subprocess.run([tool, "-o", "p.out", *arguments, "p.fxt"], check=False,
                          stderr=subprocess.PIPE, text=True, timeout=120)
    assert done.returncode == 0, done
    assert "Sanitizer" not in done.stderr and "runtime error" not in done.stderr, done.stderr
    profile = pprof_read.read("p.out")
    n = sum(sample["value"][0] for sample in profile["sample"])
    return done.stderr, n, {function["name"] for function in profile["function"]}


def elf_of_dwarf_5():
    return os.environ.get("ELF_INLINES_5", os.environ["ELF_INLINES"])


def test_strings_without_an_end():
    """libdw reads on past the section, into other memory."""
    elf = elf_of_dwarf_5()
    good = read(elf)
    names = write_samples(elf)
    where = "damaged@%#x" % BASE
    said, n, functions = convert("--elf", "%s@%#x" % (elf, BASE))
    assert "debugging information" not in said and n == len(names), said
    for section in ".debug_str", ".debug_line_str", ".strtab", ".shstrtab":
        if section not in sections(good):
            continue
        data = bytearray(good)
        data[sections(good)[section][2] - 1] = ord("x")
        store("damaged", data)
        said, n, found = convert("--elf", where)
        assert n == len(names), (section, n)
        if section.startswith(".debug"):
            assert not HAS_LINES or re.search("damaged: lines and inlined .* has no end", said), said
            assert set(map(without_copies, names)) <= found, (section, found)
        elif section == ".strtab":
            assert len(found & functions) >= len(functions) - 1, (section, found, functions)


def test_all_kinds_of_damage():
    """Files that are cut short, and such with other bytes in what a debugger reads. Each is
    what the user names, or a module's."""
    rng = random.Random(1)
    elfs = [os.environ["ELF_INLINES"], elf_of_dwarf_5()]
    for elf in elfs:
        good = read(elf)
        places = sections(good)
        debug = [place for name, place in places.items() if name.startswith(".debug")]
        for as_module in False, True:
            names = write_samples(elf, os.path.abspath("damaged") if as_module else None)
            options = [] if as_module else ["--elf", "damaged@%#x" % BASE]
            for i in range(N_DAMAGED // (2 * len(elfs))):
                data = bytearray(good)
                if i % 4 == 0:
                    # What is cut off is a section's end, and not that of the file.
                    header, start, end = rng.choice(debug)
                    struct.pack_into("<Q" if good[5] == 1 else ">Q", data, header + 32,
                                     rng.randrange(end - start))
                elif i % 4 == 1:
                    del data[rng.randrange(len(data) // 2, len(data)):]
                for _ in range(rng.choice((1, 1, 4, 30)) if i % 4 > 1 else 0):
                    _, start, end = rng.choice(debug)
                    at = rng.randrange(start, end)
                    if at < len(data):
                        data[at] ^= rng.choice((1 << rng.randrange(8), 0xff))
                store("damaged", data)
                _, n, _ = convert(*options)
                assert n == len(names), (elf, as_module, i, n)


def large_elf():
    """One whose lines take some time to be read."""
    with open("large.c", "w", encoding="ascii") as file:
        for i in range(4000):
            file.write("int f%d(int a) { for (int i = 0; i < a; i++) a += i * %d; return a; }\n"
                       % (i, i))
        file.write("int main(void) { return 0; }\n")
    run("cc", "-g", "-O1", "-o", "large", "large.c")
    return "large"


def children_of(process):
    try:
        with open("/proc/%d/task/%d/children" % (process, process), encoding="ascii") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


def test_a_reader_that_is_killed():
    if not HAS_LINES:
        return
    if not os.path.exists("/proc/self/task/%d/children" % os.getpid()):
        print("skipped: the system does not list children")
        return
    elf = large_elf()
    names = write_samples(elf, step=1000)
    for _ in range(30):
        tool = subprocess.Popen([FXT2PPROF, "-o", "p.out", "--elf", "%s@%#x" % (elf, BASE), "p.fxt"],
                                stderr=subprocess.PIPE, text=True)
        children = []
        while not children and tool.poll() is None:
            children = children_of(tool.pid)
        time.sleep(0.005)
        for child in children:
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass
        _, said = tool.communicate(timeout=120)
        assert tool.returncode == 0, said
        profile = pprof_read.read("p.out")
        assert sum(sample["value"][0] for sample in profile["sample"]) == len(names)
        found = {function["name"] for function in profile["function"]}
        assert set(names) <= found, set(names) - found
        if "lines and inlined functions may be missing: reading its" in said:
            assert re.search("^fxt2pprof: large: ", said, re.M), said
            return
    raise AssertionError("it was never killed before its end")


def test_what_files_share():
    """dwz moves what several files have in common to a separate file, which is found by
    its build id, or by its name where it is beside."""
    if not HAS_LINES:
        return
    if shutil.which("dwz") is None:
        print("skipped: there is no dwz")
        return
    os.makedirs("there")
    elf = os.environ["ELF_CPLUSPLUS"] if "ELF_CPLUSPLUS" in os.environ else elf_of_dwarf_5()
    shutil.copy(elf, "there/one")
    shutil.copy(elf, "there/two")
    names = write_samples(elf)
    _, n, functions = convert("--elf", "%s@%#x" % (elf, BASE))
    run("dwz", "-m", "there/common", "-M", "common", "there/one", "there/two")
    assert ".gnu_debugaltlink" in sections(read("there/one"))
    os.symlink("there/one", "link")
    for name in "there/one", "link":
        said, n, found = convert("--elf", "%s@%#x" % (name, BASE))
        assert "missing" not in said and n == len(names) and found == functions, said
    number = re.search("Build ID: ([0-9a-f]+)", run("readelf", "-n", "there/common"))[1]
    os.makedirs("dir/.build-id/" + number[:2])
    shutil.move("there/common", "dir/.build-id/%s/%s.debug" % (number[:2], number[2:]))
    said, n, found = convert("--debug-dir", "dir", "--elf", "there/one@%#x" % BASE)
    assert "missing" not in said and n == len(names) and found == functions, said
    # Not there, another one, and a pipe.
    for make in (lambda: None, lambda: shutil.copy(elf, "there/common"),
                 lambda: (os.unlink("there/common"), os.mkfifo("there/common"))):
        make()
        said, n, found = convert("--elf", "there/one@%#x" % BASE)
        assert n == len(names) and number in said, said
        assert re.search("there/one: lines and names may be missing: .* common, which", said), said


def test_split_dwarf():
    """Functions that are in .dwo files: those are not read, which is reported with the name of
    one, whether it is there or not. Lines are in the program."""
    if not HAS_LINES:
        return
    for version, unit in ((5, "one"), (4, "two")):
        with open(unit + ".c", "w", encoding="ascii") as file:
            file.write("volatile long sum;\n"
                       "static inline long twice(long n)\n{\n"
                       "    return n * n + sum;\n}\n"
                       "int main(int n, char **v)\n{\n" +
                       "    sum += twice(n); sum *= n;\n" * 20 + "    return !v;\n}\n")
        done = subprocess.run(["cc", "-O2", "-gdwarf-%d" % version, "-gsplit-dwarf", "-c",
                               unit + ".c"], check=False)
        if done.returncode != 0 or not os.path.exists(unit + ".dwo"):
            print("skipped: the compiler has no split DWARF")
            return
        run("cc", "-o", unit, unit + ".o")
        write_samples(unit, step=1)
        for there in True, False:
            if not there:
                os.unlink(unit + ".dwo")
            said, _, _ = convert("--elf", "%s@%#x" % (unit, BASE))
            assert re.search("^fxt2pprof: %s: lines and inlined .* missing: .*split DWARF.*"
                             "/%s.dwo" % (unit, unit), said, re.M), said
            main = [f for f in pprof_read.read("p.out")["function"] if f["name"] == "main"]
            assert main and main[0]["filename"].endswith(unit + ".c"), main


def test_compressed_sections():
    """libdw knows zlib's. A string without an end is seen when they are decompressed."""
    elf = elf_of_dwarf_5()
    names = write_samples(elf)
    _, _, functions = convert("--elf", "%s@%#x" % (elf, BASE))
    run("objcopy", "--compress-debug-sections=zlib-gabi", elf, "compressed")
    said, n, found = convert("--elf", "compressed@%#x" % BASE)
    assert n == len(names) and found == functions and "missing" not in said, said
    data = read(elf)
    data[sections(data)[".debug_str"][2] - 1] = ord("x")
    store("damaged", data)
    run("objcopy", "--compress-debug-sections=zlib-gabi", "damaged", "compressed")
    said, n, found = convert("--elf", "compressed@%#x" % BASE)
    assert n == len(names) and set(map(without_copies, names)) <= found, found
    assert not HAS_LINES or "has no end" in said, said


def test_a_file_is_named_though_its_warning_is_hostile():
    """The file's name comes from the trace."""
    if not HAS_LINES:
        return
    name = os.path.abspath("a\x1b[31mname\n")
    elf = elf_of_dwarf_5()
    data = read(elf)
    data[sections(data)[".debug_str"][2] - 1] = ord("x")
    store(name, data)
    write_samples(elf, name)
    said, _, _ = convert()
    assert "\x1b" not in said and "lines and inlined functions may be missing" in said, said
    done = subprocess.run([FXT2FOLDED, "-q", "p.fxt"], check=True, capture_output=True)
    assert done.stderr == b"", done.stderr


if __name__ == "__main__":
    need("cc", "nm", "objcopy", "readelf")
    main(sys.modules[__name__])
