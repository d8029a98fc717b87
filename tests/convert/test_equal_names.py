#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Different functions of one name are told apart by their source files or by where they
begin, and one function stays one: its parts and copies, what was inlined, lines of other files.

test_equal_names.py TOOLS_DIR"""
import json
import os
import re
import sys

import fxtwrite
import pprof_read
from profile_cases import (FXT2FOLDED, FXT2PPROF, FXTREPORT, FXTSYMBOLIZE, HAS_LINES, main, need,
                           run, write)

SOURCES = {
    "shared.h": """
struct pair { long a, b; };
__attribute__((cold)) void fail(long);
__attribute__((always_inline)) static inline long shared(long x) { return x * x + 5; }
__attribute__((noinline, weak)) long once(long x) { return x * 7; }
""",
    "body.inc": "    for (long i = 0; i < x; i++)\n        y = y * 3 + i;\n",
    "a.c": """
#include "shared.h"
static long helper(long x)
{
    long y = 1;
#include "body.inc"
    return y + shared(y);
}
static long copied(struct pair *p) { return p->a * 3 + shared(p->a); }
long split(long x)
{
    if (__builtin_expect(x == 77, 0)) {
        fail(x);
        fail(x + 1);
    }
    return x ^ 5;
}
long from_a(struct pair *p)
{
    return helper(p->a) + copied(p) + split(p->b) + once(p->a);
}
""",
    "b.c": """
#include "shared.h"
static long helper(long x) { return shared(x) + 11; }
static long copied(struct pair *p) { return p->b * 5 - shared(p->b); }
long from_b(struct pair *p) { return helper(p->a) + copied(p) + once(p->b); }
""",
    "main.c": """
#include "shared.h"
long from_a(struct pair *), from_b(struct pair *), library(long);
void fail(long x) { __builtin_trap(); }
long both(long x) { return x + 1; }
int main(int argc, char **argv)
{
    struct pair p = {argc, argc + 1};
    return from_a(&p) + from_b(&p) + library(both(argc));
}
""",
    "c.c": """
static long helper(long x) { return x * 9 + 2; }
long both(long x) { return x + 2; }
long library(long x) { return helper(x) + both(x + 4); }
""",
}
PLACES = {"program": 0x555500000000, "libc_c.so": 0x7f0000000000}
FLAGS = ["-O2", "-fno-inline", "-ffunction-sections"]


def build(*options):
    need("gcc", "nm", "readelf")
    for name, text in SOURCES.items():
        with open(name, "w", encoding="ascii") as file:
            file.write(text)
    run("gcc", *FLAGS, *options, "-fPIC", "-shared", "-o", "libc_c.so", "c.c")
    run("gcc", *FLAGS, *options, "-fPIE", "-pie", "-o", "program", "a.c", "b.c", "main.c",
        "./libc_c.so")


def functions(elf):
    """The functions of a file that are from its sources: (name, address, size)."""
    found = re.findall(r"^(\w+) (\w+) [tTW] ((?:helper|copied|split|once|both|from_|library)\S*)$",
                       run("nm", "-S", elf), re.M)
    return [(name, int(address, 16), int(size, 16)) for address, size, name in found]


def archive():
    """A sample at each third byte of all functions. Returns the number of samples of each
    symbol."""
    trace, counts = fxtwrite.Trace(), []
    trace.magic()
    trace.init(1000000000)
    for number, (elf, base) in enumerate(PLACES.items(), 1):
        trace.module(1, number, os.path.abspath(elf).encode(),
                     bytes.fromhex(re.search("Build ID: ([0-9a-f]+)", run("readelf", "-n", elf))[1]))
        for vaddr, size in re.findall(r"LOAD\s+0x\S+ (0x\S+) 0x\S+ 0x\S+ (0x\S+) R E",
                                      run("readelf", "-lW", elf)):
            trace.mapping(1, number, base + int(vaddr, 16), int(size, 16), int(vaddr, 16))
        for name, address, size in functions(elf):
            addresses = range(address, address + size, 3)
            counts.append((name, elf, len(addresses)))
            for at in addresses:
                trace.sample(1000 + len(counts), 1, 2, base + at)
    write("equal.bin", trace)
    return counts


def rows(name="equal.bin"):
    """{(name, module): total} of the functions in --json."""
    report = json.loads(run(FXTREPORT, "-q", "--json", name))
    found = {}
    for row in report["functions"]:
        key = row["name"], os.path.basename(row["module"])
        assert key not in found, key
        found[key] = row["total"]
    return found


def folded_names():
    text = run(FXT2FOLDED, "-q", "--roots", "none", "equal.bin")
    return {name for stack in pprof_read.read_folded(text) for name in stack}


def check_without_files(expected):
    """With the names in the archive, the files are not needed."""
    run(FXTSYMBOLIZE, "-q", "equal.bin", "-o", "named.bin")
    for elf in PLACES:
        os.rename(elf, elf + ".gone")
    found = rows("named.bin")
    assert found == expected, (found, expected)


TOLD = {("helper (a.c)", "program"), ("helper (b.c)", "program"), ("helper (c.c)", "libc_c.so"),
        ("copied (a.c)", "program"), ("copied (b.c)", "program"),
        ("split", "program"), ("once", "program"), ("from_a", "program"), ("from_b", "program"),
        ("library", "libc_c.so")}


def check(both, inlined):
    """Of files that tell which source files local functions are of."""
    counts = archive()
    expected = TOLD | {(both[0], "program"), (both[1], "libc_c.so")} | inlined
    found = rows()
    assert set(found) == expected, set(found) ^ expected
    names = {name for name, _ in expected}
    assert folded_names() == names, folded_names() ^ names

    # Every sample of a function of one file has its name, those of its parts, too.
    assert any(name.startswith("split.cold") for name, _, _ in counts), counts
    assert any(name.startswith("copied.") for name, _, _ in counts), counts
    for name in "split", "from_a", "once":
        assert found[name, "program"] == sum(
            n for symbol, _, n in counts if symbol.split(".")[0] == name), (name, found, counts)
    sizes = sorted(n for symbol, elf, n in counts if (symbol, elf) == ("helper", "program"))
    assert sizes == sorted(found["helper (%s.c)" % c, "program"] for c in "ab"), (sizes, found)

    for options in ["--rows", "0", "--width", "80"], ["--rows", "0", "--width", "0"], \
            ["--tree", "--min", "0"], ["--callers", "helper", "--min", "0"]:
        text = run(FXTREPORT, "-q", *options, "equal.bin")
        for name in "helper (a.c)", "helper (b.c)", "helper (c.c)":
            assert name in text, (options, name, text)

    run(FXT2PPROF, "-q", "-o", "equal.pb.gz", "equal.bin")
    with_raw = {(function["name"], re.sub(r"\..*", "", function["system_name"]))
                for function in pprof_read.read("equal.pb.gz")["function"]}
    assert {("helper (%s.c)" % c, "helper") for c in "abc"} <= with_raw, with_raw
    assert all(raw == name.split(" ")[0] for name, raw in with_raw), with_raw
    check_without_files(found)


def test_symbols_of_one_name_have_their_source_files():
    build()
    check(("both", "both"), set())


def test_functions_of_one_name_have_the_files_that_declare_them():
    if HAS_LINES:
        build("-g")
        check(("both (main.c)", "both (c.c)"), {("shared", "program")})


def test_names_that_one_function_has_stay():
    """Whatever others there are that were not sampled."""
    build()
    base = PLACES["program"]
    for _, address, _ in [f for f in functions("program") if f[0] == "helper"]:
        trace = fxtwrite.Trace()
        trace.backtrace(100, 1, 2, base + address)
        write("one.bin", trace)
        assert run(FXT2FOLDED, "-q", "--roots", "none", "--elf", "program+%#x" % base,
                   "one.bin") == "helper 1\n"


def test_without_source_files_they_have_where_they_begin():
    build()
    run("strip", "-g", "program")
    run("strip", "-g", "libc_c.so")
    archive()
    begin = {name: [at for symbol, at, _ in functions("program")
                    if symbol.split(".")[0] == name] for name in ("helper", "copied")}
    expected = {("%s (program+%#x)" % (name, at), "program") for name in begin
                for at in begin[name]}
    assert len(expected) == 4, begin
    expected |= {(name, "program") for name in ("split", "once", "from_a", "from_b", "both")}
    expected |= {(name, "libc_c.so") for name in ("helper", "library", "both")}
    found = rows()
    assert set(found) == expected, set(found) ^ expected
    names = {name for name, _ in expected}
    assert folded_names() == names, folded_names() ^ names
    check_without_files(found)


def build_directories(*options):
    """Two source files of one name, with a function each of one name, and copies of that of a
    header, which is found by two paths."""
    for directory in "left", "right":
        os.makedirs(directory, exist_ok=True)
        with open(directory + "/util.c", "w", encoding="ascii") as file:
            file.write('#include "../shared.h"\n'
                       "static long inner(long x) { return x %% 7 + %d; }\n"
                       "static long helper(long x) { return inner(x) * %d; }\n"
                       "long from_%s(struct pair *p) { return helper(p->a) + once(p->b); }\n"
                       % (len(directory), len(directory), directory))
    with open("main.c", "w", encoding="ascii") as file:
        file.write('#include "left/.././shared.h"\n'
                   "long from_left(struct pair *), from_right(struct pair *), library(long);\n"
                   "int main(int argc, char **argv)\n{\n"
                   "    struct pair p = {argc, argc + 1};\n"
                   "    return from_left(&p) + from_right(&p) + library(argc) + once(argc);\n}\n")
    run("gcc", *FLAGS, *options, "-fPIE", "-pie", "-o", "program", "left/util.c",
        "right/util.c", "main.c", "./libc_c.so")


def test_files_of_one_name_are_told_apart():
    """By their directories, or else by where the functions begin."""
    for options in [["-g"]] * HAS_LINES + [[]]:
        build(*options)
        build_directories(*options)
        archive()
        places = (["left/util.c", "right/util.c"] if options else
                  ["program+%#x" % at for name, at, _ in functions("program") if name == "helper"])
        found = rows()
        told = {name for name, module in found if module == "program" and "helper" in name}
        assert told == {"helper (%s)" % place for place in places}, (told, places)
        assert ("helper (c.c)", "libc_c.so") in found, found
        assert ("once", "program") in found, found
        assert told <= folded_names(), (told, folded_names())
        check_without_files(found)


KERNEL = 0xffffffff92000000
EXT4 = 0xffffffffc0a00000
# Of these: (address, type, name, module, home).
KERNEL_FUNCTIONS = [
    (KERNEL, "T", "_text", "", ""),
    (KERNEL + 0x100, "t", "init_once", "", "[kernel]+0x100"),
    (KERNEL + 0x200, "t", "init_once", "", "[kernel]+0x200"),
    (KERNEL + 0x300, "t", "init_once.cold", "", ""),
    (KERNEL + 0x400, "t", "split.part.0", "", "[kernel]+0x400"),
    (KERNEL + 0x500, "t", "split.part.0", "", "[kernel]+0x500"),
    (KERNEL + 0x600, "T", "split", "", ""),
    (KERNEL + 0x700, "t", "seen_once", "", "[kernel]+0x700"),
    (KERNEL + 0x800, "t", "seen_once", "", "[kernel]+0x800"),
    (EXT4, "t", "helper", "[ext4]", "[ext4]+0x0"),
    (EXT4 + 0x100, "t", "helper", "[ext4]", "[ext4]+0x100"),
    (EXT4 + 0x200, "t", "init_once", "[ext4]", "")]


def kernel_trace(name, has_functions):
    """A sample in each function but for one that is not the only one of its name."""
    trace = fxtwrite.Trace()
    trace.magic()
    trace.init(1000000000)
    for module in "", "[ext4]":
        if has_functions:
            trace.functions(0, [(address, 0x80, 0, symbol.encode(), home.encode())
                                for address, _, symbol, of, home in KERNEL_FUNCTIONS if of == module],
                            (module or "[kernel.kallsyms]").encode())
    for address, *_ in KERNEL_FUNCTIONS:
        if address != KERNEL + 0x800:
            trace.sample(1000, 1, 2, address + 8)
    write(name, trace)


def test_functions_of_a_kernel_have_where_they_begin():
    """In an archive that has their names, and with those of kallsyms, alike."""
    kernel_trace("named.bin", True)
    kernel_trace("bare.bin", False)
    with open("kallsyms", "w", encoding="ascii") as file:
        for address, kind, symbol, module, _ in KERNEL_FUNCTIONS:
            file.write("%x %s %s%s\n" % (address, kind, symbol, "\t" + module if module else ""))
    for arguments in ("named.bin",), ("--kallsyms", "kallsyms", "bare.bin"):
        text = run(FXT2FOLDED, "-q", "--roots", "none", *arguments)
        assert sorted(text.splitlines()) == sorted([
            "_text 1", "init_once ([kernel]+0x100) 1", "init_once ([kernel]+0x200) 1",
            "init_once 2", "split 3", "seen_once 1", "helper ([ext4]+0x0) 1",
            "helper ([ext4]+0x100) 1"]), text


def test_functions_are_chosen_by_their_names_alone():
    build()
    archive()
    text = run(FXT2FOLDED, "-q", "--roots", "none", "--idle", "hide",
               "--idle-function", "^helper$", "equal.bin")
    assert "helper" not in text and "split" in text, text


if __name__ == "__main__":
    main(sys.modules[__name__])
