#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Files with symbols: which are found, and what is read of them, with binutils as the
other opinion. Arguments: the tools' build directory."""
import ctypes
import itertools
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import zlib

import fxtwrite
import pprof_read
from profile_cases import (FXT2FOLDED, FXT2PPROF, HAS_LINES, deepest_stack, main, need, run, symbols,
                           without_copies, write)
from readelf import build_id, code_segment

BASE = 0x555500000000


def module_trace(elf, name, module_id, pcs, base=BASE):
    """An archive with one stack, and a mapping of the code that is in it."""
    vaddr, size = code_segment(elf)
    trace = fxtwrite.archive()
    trace.backtrace(100, 1, 2, *pcs)
    trace.module(1, 1, name, module_id)
    trace.mapping(1, 1, base + vaddr, size, vaddr)
    return trace


def fold(*arguments, **options):
    """The only stack's frames, root first, and the messages."""
    done = subprocess.run([FXT2FOLDED, "--roots", "none"] + list(arguments), check=True,
                          capture_output=True, text=True, **options)
    line, = done.stdout.splitlines()
    return line.rsplit(" ", 1)[0].split(";"), done.stderr


def pie_trace(name, module_id):
    elf = os.environ["ELF_PIE"]
    at = symbols(elf, BASE)
    return module_trace(elf, name, module_id, (at["leaf"], at["middle.end"], at["main.end"]))


NAMES = ["main", "middle", "leaf"]


def is_unnamed(stack):
    """Whether only those have names that the code at the entry point leads to."""
    return all(re.fullmatch(r"[a-z_.]+\+0x[0-9a-f]+|main|_start", frame) for frame in stack)


def split(elf):
    """A program without symbols, `stripped`, and the file for debuggers, `its.debug`."""
    run("objcopy", "--only-keep-debug", elf, "its.debug")
    run("objcopy", "--strip-all", elf, "stripped")


def store(file, directory, number, suffix):
    path = os.path.join(directory, number[:2])
    os.makedirs(path)
    shutil.copy(file, os.path.join(path, number[2:] + suffix))


def test_a_module_is_found_by_its_path():
    elf = os.environ["ELF_PIE"]
    number = bytes.fromhex(build_id(elf))
    for module_id in number, b"":
        write("p.fxt", pie_trace(elf.encode(), module_id))
        stack, said = fold("p.fxt")
        assert stack == NAMES, stack
        assert "build id" not in said, said
        assert is_unnamed(fold("--unsymbolized", "p.fxt")[0])


def test_what_another_sampler_has_taken_off_is_looked_up_in_the_caller():
    """Zircon's on arm64, until 2025: the link register, less 4, and the frame's."""
    elf = os.environ["ELF_PIE"]
    at = symbols(elf, BASE)
    trace = fxtwrite.Trace()
    trace.sample(100, 1, 2, at["leaf"], at["gives_up.end"] - 4, at["gives_up.end"], at["main.end"])
    write("p.bin", trace)
    where = ["--elf", "%s@%#x" % (elf, BASE), "p.bin"]
    assert fold("--sampler", "zircon-arm64", *where)[0] == ["main", "gives_up", "leaf"]
    assert fold(*where)[0] == ["main", "gives_up", "gives_up", "leaf"]


def test_a_file_with_another_build_id_is_refused():
    elf = os.environ["ELF_PIE"]
    write("p.fxt", pie_trace(elf.encode(), b"\xab\xcd\xef"))
    stack, said = fold("p.fxt")
    assert is_unnamed(stack), stack
    assert build_id(elf) in said and "abcdef" in said, said
    assert "build id" not in fold("-q", "p.fxt")[1]
    # Also where the user says it is that file, and where: it is not.
    stack, said = fold("--elf", "%s@%#x" % (elf, BASE), "p.fxt")
    assert is_unnamed(stack), stack
    assert build_id(elf) in said and "abcdef" in said, said
    # A file that does not say is not trusted either.
    run("objcopy", "--remove-section", ".note.gnu.build-id", elf, "silent")
    write("p.fxt", pie_trace(os.path.abspath("silent").encode(), b"\xab\xcd\xef"))
    stack, said = fold("p.fxt")
    assert is_unnamed(stack), stack
    assert "no build id" in said and "abcdef" in said, said


def test_a_module_is_found_by_its_build_id():
    elf = os.environ["ELF_PIE"]
    number = build_id(elf)
    split(elf)
    write("p.fxt", pie_trace(b"libnowhere.so", bytes.fromhex(number)))
    assert is_unnamed(fold("p.fxt")[0])
    store("its.debug", "a/.build-id", number, ".debug")
    store(elf, "b/.build-id", number, "")
    store("its.debug", "c", number, ".debug")
    os.mkdir("empty")
    for directory in "abc":
        stack, said = fold("--debug-dir", "empty", "--debug-dir", directory, "p.fxt")
        assert stack == NAMES, (directory, stack)
        assert "build id" not in said
    # Under the right name, but another file.
    shutil.copy(os.environ["ELF_MOVED"], os.path.join("a/.build-id", number[:2], number[2:] + ".debug"))
    stack, said = fold("--debug-dir", "a", "p.fxt")
    assert is_unnamed(stack), stack
    assert number in said and build_id(os.environ["ELF_MOVED"]) in said, said


def test_a_module_is_found_by_its_name_in_a_directory():
    elf = os.environ["ELF_PIE"]
    number = bytes.fromhex(build_id(elf))
    os.makedirs("root/boot/bin")
    shutil.copy(elf, "root/boot/bin/thing")
    shutil.copy(elf, "libthing.so")
    for name, directory in ((b"/boot/bin/thing", "root"), (b"some/libthing.so", "."),
                            (b"libthing.so", ".")):
        write("p.fxt", pie_trace(name, number))
        assert fold("--debug-dir", directory, "p.fxt")[0] == NAMES, name
        assert is_unnamed(fold("p.fxt")[0]), name


def test_what_names_are_from_is_not_written_over():
    """Neither what the user named nor what was found for a module."""
    os.mkdir("there")
    elf = shutil.copy(os.environ["ELF_PIE"], "there/program")
    shutil.copy("/proc/kallsyms", "list")
    write("program.fxt", pie_trace(b"/somewhere/program", b""))
    for arguments in (("--elf", elf), ("--elf", elf + "+0x1000"), ("--debug-dir", "there"),
                      ("--kallsyms", "list")):
        name = "list" if "list" in arguments else elf
        for tool in (FXT2FOLDED, FXT2PPROF):
            with open(name, "rb") as file:
                before = file.read()
            done = subprocess.run([tool, "-o", name, *arguments, "program.fxt"],
                                  stderr=subprocess.PIPE, text=True)
            assert done.returncode > 0, arguments
            assert "function names come from this file" in done.stderr, done.stderr
            with open(name, "rb") as file:
                assert file.read() == before, arguments
    assert sorted(os.listdir("there")) == ["program"]


def test_a_module_is_found_by_its_relative_path_in_a_directory():
    elf = os.environ["ELF_PIE"]
    number = bytes.fromhex(build_id(elf))
    os.makedirs("root/lib/x")
    os.makedirs("root/inner/lib")
    shutil.copy(elf, "root/lib/x/thing")
    for name, directory in (b"lib/x/thing", "root"), (b"x/thing", "root/lib"):
        write("p.fxt", pie_trace(name, number))
        assert fold("--debug-dir", directory, "p.fxt")[0] == NAMES, name
        assert is_unnamed(fold("p.fxt")[0]), name
    # Nothing leads out of the directory.
    for name in b"../lib/x/thing", b"/../lib/x/thing", b"lib/../../lib/x/thing":
        write("p.fxt", pie_trace(name, number))
        assert is_unnamed(fold("--debug-dir", "root/inner", "p.fxt")[0]), name
    # Dots alone do not make a way up.
    os.makedirs("root/..x/y..")
    shutil.copy(elf, "root/..x/y../thing")
    write("p.fxt", pie_trace(b"..x/y../thing", number))
    assert fold("--debug-dir", "root", "p.fxt")[0] == NAMES


def test_a_stripped_file_has_its_symbols_elsewhere():
    elf = os.environ["ELF_PIE"]
    number = build_id(elf)
    split(elf)
    stripped = os.path.abspath("stripped")
    write("p.fxt", pie_trace(stripped.encode(), bytes.fromhex(number)))
    assert "leaf" not in fold("p.fxt")[0]
    store("its.debug", "d/.build-id", number, ".debug")
    assert fold("--debug-dir", "d", "p.fxt")[0] == NAMES
    at = symbols(elf, BASE)
    trace = fxtwrite.Trace()
    trace.backtrace(100, 1, 2, at["leaf"], at["middle.end"], at["main.end"])
    write("p.bin", trace)
    assert fold("--debug-dir", "d", "--elf", "stripped@%#x" % BASE, "p.bin")[0] == NAMES


def test_a_stripped_file_links_to_its_symbols():
    elf = os.environ["ELF_PIE"]
    split(elf)
    for place in "its.debug", ".debug/its.debug":
        split(elf)
        run("objcopy", "--add-gnu-debuglink=its.debug", "stripped")
        os.makedirs(".debug", exist_ok=True)
        os.rename("its.debug", place)
        name = os.path.abspath("stripped").encode()
        write("p.fxt", pie_trace(name, bytes.fromhex(build_id(elf))))
        assert fold("p.fxt")[0] == NAMES, place
        os.remove(place)
    # Without build ids the checksum counts.
    run("objcopy", "--remove-section", ".note.gnu.build-id", elf, "silent")
    split("silent")
    run("objcopy", "--add-gnu-debuglink=its.debug", "stripped")
    write("p.fxt", pie_trace(name, b""))
    assert fold("p.fxt")[0] == NAMES
    with open("its.debug", "ab") as file:
        file.write(b"\0")
    assert "leaf" not in fold("p.fxt")[0]


def test_symbols_of_another_file_are_refused():
    elf = os.environ["ELF_PIE"]
    other = os.environ["ELF_MOVED"]
    number = build_id(elf)
    split(elf)
    shutil.copy("stripped", "thing")
    name = os.path.abspath("thing").encode()
    write("p.fxt", pie_trace(name, bytes.fromhex(number)))
    store(other, "bad/.build-id", number, ".debug")
    store("its.debug", "good/.build-id", number, ".debug")
    stack, said = fold("--debug-dir", "bad", "p.fxt")
    assert "leaf" not in stack, stack
    line, = [line for line in said.splitlines() if "build id" in line]
    assert "bad/.build-id" in line and number in line and build_id(other) in line, said
    assert "build id" not in fold("-q", "--debug-dir", "bad", "p.fxt")[1]
    # Nothing was lost if the right one is found, wherever that is.
    stack, said = fold("--debug-dir", "bad", "--debug-dir", "good", "p.fxt")
    assert stack == NAMES and "build id" not in said, (stack, said)
    # The same by a link, and of each file that was tried.
    run("objcopy", "--add-gnu-debuglink=its.debug", "thing")
    shutil.copy(other, "its.debug")
    stack, said = fold("--debug-dir", "bad", "p.fxt")
    assert "leaf" not in stack, stack
    for file in "bad/.build-id", "/its.debug":
        line, = [line for line in said.splitlines() if file in line]
        assert number in line and build_id(other) in line, said


def test_symbols_with_another_checksum_are_refused():
    run("objcopy", "--remove-section", ".note.gnu.build-id", os.environ["ELF_PIE"], "silent")
    split("silent")
    run("objcopy", "--add-gnu-debuglink=its.debug", "stripped")
    with open("its.debug", "rb") as file:
        wanted = zlib.crc32(file.read())
    with open("its.debug", "ab") as file:
        file.write(b"\0")
    with open("its.debug", "rb") as file:
        there = zlib.crc32(file.read())
    write("p.fxt", pie_trace(os.path.abspath("stripped").encode(), b""))
    stack, said = fold("p.fxt")
    assert "leaf" not in stack, stack
    line, = [line for line in said.splitlines() if "CRC" in line]
    assert "its.debug: not used" in line, said
    assert "%08x" % there in line and "%08x" % wanted in line, said
    # A file is not what it links to itself, even under that name.
    os.rename("stripped", "its.debug")
    write("p.fxt", pie_trace(os.path.abspath("its.debug").encode(), b""))
    assert "CRC" not in fold("p.fxt")[1]


def cut(file, to):
    """A copy that lacks the section headers, which are last."""
    with open(file, "rb") as whole, open(to, "wb") as part:
        data = whole.read()
        part.write(data[:int.from_bytes(data[40:48], sys.byteorder)])


def test_damaged_files_are_reported():
    elf = os.environ["ELF_PIE"]
    number = build_id(elf)
    at = symbols(elf, BASE)
    trace = fxtwrite.Trace()
    trace.backtrace(100, 1, 2, at["leaf"], at["middle.end"], at["main.end"])
    write("p.bin", trace)
    cut(elf, "short")
    stack, said = fold("--elf", "short@%#x" % BASE, "p.bin")
    assert "leaf" not in stack, stack
    line, = [line for line in said.splitlines() if "short" in line]
    assert "section headers" in line, said
    assert "section headers" not in fold("-q", "--elf", "short@%#x" % BASE, "p.bin")[1]
    # A module, too; and nothing is missing where there is a file for debuggers.
    name = os.path.abspath("short").encode()
    write("p.fxt", pie_trace(name, bytes.fromhex(number)))
    stack, said = fold("p.fxt")
    assert said.count("section headers") == 1, said
    split(elf)
    store("its.debug", "good/.build-id", number, ".debug")
    stack, said = fold("--debug-dir", "good", "p.fxt")
    assert stack == NAMES and "section headers" not in said, (stack, said)
    # The file for debuggers may be what is damaged.
    store("its.debug", "bad/.build-id", number, ".debug")
    damaged = os.path.join("bad/.build-id", number[:2], number[2:] + ".debug")
    cut("its.debug", damaged)
    write("p.fxt", pie_trace(os.path.abspath("stripped").encode(), bytes.fromhex(number)))
    stack, said = fold("--debug-dir", "bad", "p.fxt")
    assert "leaf" not in stack, stack
    line, = [line for line in said.splitlines() if "section headers" in line]
    assert damaged in line, said


def test_what_is_no_program_is_reported():
    elf = os.environ["ELF_PIE"]
    number = build_id(elf)
    with open("script", "w") as file:
        file.write("#!/bin/sh\n")
    write("p.fxt", pie_trace(os.path.abspath("script").encode(), bytes.fromhex(number)))
    stack, said = fold("p.fxt")
    assert is_unnamed(stack), stack
    line, = [line for line in said.splitlines() if "script: not used" in line]
    assert "not an ELF file" in line, said
    # It does not matter if the right one is elsewhere; and a directory is none at all.
    store(elf, "good/.build-id", number, "")
    stack, said = fold("--debug-dir", "good", "p.fxt")
    assert stack == NAMES and "script" not in said, (stack, said)
    os.remove("script")
    os.mkdir("script")
    assert "script: not used" not in fold("p.fxt")[1]


def test_symbols_come_from_a_server():
    elf = os.environ["ELF_PIE"]
    number = build_id(elf)
    if os.environ["HAS_LIBDEBUGINFOD"] != "1":
        return
    split(elf)
    os.makedirs("server/buildid/" + number)
    shutil.copy("its.debug", "server/buildid/%s/debuginfo" % number)
    for name in b"libnowhere.so", os.path.abspath("stripped").encode():
        write("p.fxt", pie_trace(name, bytes.fromhex(number)))
        assert "leaf" not in fold("p.fxt")[0]
        os.environ["DEBUGINFOD_URLS"] = "file://" + os.path.abspath("server")
        os.environ["DEBUGINFOD_CACHE_PATH"] = os.path.abspath("cache")
        found = fold("p.fxt")[0]
        unnamed = fold("--unsymbolized", "p.fxt")[0]
        del os.environ["DEBUGINFOD_URLS"]
        assert found == NAMES and is_unnamed(unnamed), found


def test_a_file_that_the_user_names_serves_wherever_its_build_id_is():
    elf = os.environ["ELF_PIE"]
    write("p.fxt", pie_trace(b"libnowhere.so", bytes.fromhex(build_id(elf))))
    assert fold("--elf", elf, "p.fxt")[0] == NAMES
    write("p.fxt", pie_trace(b"libnowhere.so", b""))
    assert is_unnamed(fold("--elf", elf, "p.fxt")[0])


def test_inlined_functions_are_frames():
    elf = os.environ["ELF_INLINES"]
    if not HAS_LINES:
        return
    address, deepest = deepest_stack(elf, "main")
    write("p.fxt", module_trace(elf, elf.encode(), b"", (BASE + address,)))
    deepest.reverse()
    names = [name for name, _ in deepest]
    assert fold("p.fxt")[0] == names
    assert fold("--lines", "p.fxt")[0] == ["%s (%s)" % frame for frame in deepest]
    assert fold("--inlines", "off", "p.fxt")[0] == names[:1]
    assert fold("--inlines", "off", "--lines", "p.fxt")[0] == ["%s (%s)" % deepest[0]]
    # A caller is looked up one byte before its return address.
    write("p.fxt", module_trace(elf, elf.encode(), b"", (BASE + address, BASE + address + 1)))
    assert fold("--lines", "p.fxt")[0] == 2 * ["%s (%s)" % frame for frame in deepest]


def test_inlined_functions_are_frames_in_all_formats():
    elf = os.environ["ELF_INLINES"]
    if not HAS_LINES:
        return
    address, deepest = deepest_stack(elf, "main")
    write("p.fxt", module_trace(elf, elf.encode(), b"", (BASE + address,)))
    names = [name for name, _ in deepest[::-1]]
    for how, expected in ("lines", names), ("frames", names), ("off", names[:1]):
        def convert(form):
            return run(FXT2FOLDED, "--inlines", how, "--format", form, "p.fxt")

        scope = json.loads(convert("speedscope"))
        numbers, = scope["profiles"][0]["samples"]
        assert [scope["shared"]["frames"][i]["name"] for i in numbers] == expected
        captures = json.loads(convert("json"))["stack_traces"]
        assert captures == [{"65536": expected[::-1]}], captures
        titles = re.findall(r"<title>(\w+)\n", convert("svg"))
        assert set(titles) == set(expected) | {"all"}, titles


def test_inlined_functions_are_filtered_as_others_are():
    elf = os.environ["ELF_INLINES"]
    if not HAS_LINES:
        return
    address, deepest = deepest_stack(elf, "main")
    at = symbols(elf, BASE)
    write("p.fxt", module_trace(elf, elf.encode(), b"", (BASE + address, 0x10)))
    names = [name for name, _ in deepest[::-1]]
    assert names[0] == "main" and len(set(names)) == len(names), names
    whole = ["0x10"] + names
    inner, outer = names[-1], names[-2]
    assert fold("p.fxt")[0] == whole
    for options, expected, said in (
            (["--skip-above", "^%s$" % inner], [inner], "%d frames" % (len(whole) - 1)),
            (["--skip-above", "^main$"], names, "1 frame"),
            (["--skip-below", "^%s$" % outer], whole[:-1], "1 frame"),
            (["--skip-below", "^0x10$"], ["0x10"], "%d frames" % len(names)),
            (["--skip-above", "^main$", "--skip-below", "^main$"], ["main"], None),
            (["--skip-above", "^%s$" % inner, "--inlines", "off"], ["0x10", "main"], None)):
        stack, text = fold(*options, "p.fxt")
        assert stack == expected, (options, stack)
        assert said is None or said + " left out" in text, (options, text)
    for name in names:
        done = subprocess.run([FXT2FOLDED, "--idle", "hide", "--idle-function", "^%s$" % name,
                               "p.fxt"], check=False, capture_output=True, text=True)
        assert done.stdout == "" and "1 sample left out: idle" in done.stderr, (name, done)
    # The leaf's outermost function and its caller are the same: one frame goes.
    write("p.fxt", module_trace(elf, elf.encode(), b"", (BASE + address, at["main"] + 1)))
    assert fold("p.fxt")[0].count("main") == 2
    assert fold("--fold-recursion", "p.fxt")[0] == names


def test_the_mark_of_the_kernel_is_the_last_of_a_frame():
    elf = os.environ.get("ELF_KERNEL")
    if elf is None or not HAS_LINES:
        return
    trace = fxtwrite.Trace()
    trace.backtrace(100, 1, 2, symbols(elf)["timer_tick"])
    write("k.bin", trace)
    frame, = fold("--elf", elf, "--lines", "--annotate", "k.bin")[0]
    assert re.fullmatch(r"timer_tick \(\w+\.c:\d+\)_\[k\]", frame), frame


def test_names_of_spans_are_not_those_of_linkers():
    trace = fxtwrite.archive()
    trace.complete(100, 200, 1, 2, b"_ZN5outer5countEi")
    write("p.fxt", trace)
    assert fold("--spans", "p.fxt")[0] == ["_ZN5outer5countEi"]


def test_names_are_those_of_the_source():
    elf = os.environ.get("ELF_CPLUSPLUS")
    if elf is None or not HAS_LINES or os.environ["HAS_LIBIBERTY"] != "1":
        return
    for name, address in symbols(elf).items():
        if not name.startswith("_ZN5outer") or "." in name:
            continue
        expected = run("addr2line", "-C", "-f", "-e", elf, "%#x" % address).splitlines()[0]
        write("p.fxt", module_trace(elf, elf.encode(), b"", (BASE + address,)))
        assert fold("--inlines", "off", "p.fxt")[0] == [expected], name


def test_variants_and_parts_of_functions_have_the_name_of_the_function():
    elf = os.environ["ELF_INLINES"]
    at = symbols(elf)
    for name, address in at.items():
        match = re.fullmatch(r"([a-z_]+(?:\.(?:constprop|isra|part)\.\d+)?)(\.cold)?", name)
        if match is None or name + ".end" not in at or not HAS_LINES:
            continue
        write("p.fxt", module_trace(elf, elf.encode(), b"", (BASE + address,)))
        if match[1] in at and match[1].split(".")[0] in ("checked_sum", "sorted", "compare", "main"):
            assert fold("--inlines", "off", "p.fxt")[0] == [match[1].split(".")[0]], name


def test_symbols_without_a_size_do_not_name_other_sections():
    """Such as those of .init and .fini; stubs of the PLT have their own names, or none."""
    elf = os.environ["ELF_PIE"]
    sections = {name: (int(address, 16), int(size, 16)) for name, address, size in re.findall(
        r"\] (\.\S+) +PROGBITS +(\w+) \w+ (\w+) ", run("readelf", "-SW", elf))}
    at = symbols(elf)
    for options in ["--inlines", "off"], ["--lines"]:
        for section in ".init", ".fini", ".plt", ".plt.got", ".plt.sec":
            address, size = sections.get(section, (0, 0))
            for pc in {address, address + size - 1} if size else ():
                write("p.fxt", module_trace(elf, elf.encode(), b"", (BASE + pc,)))
                frame, = fold(*options, "p.fxt")[0]
                if "plt" in section:
                    assert re.fullmatch(r"(.*\+%#x|\w+@plt)( \(.*\))?" % pc, frame), (section, frame)
                elif "_" + section[1:] in at:
                    assert frame.split(" ")[0] == "_" + section[1:], (section, frame)


def test_symbols_are_read_without_dwarf():
    elf = os.environ["ELF_INLINES"]
    run("objcopy", "--strip-debug", elf, "symbols")
    at = symbols(elf)
    write("p.fxt", module_trace(elf, b"", b"", (BASE + at["main"] + 4,)))
    assert fold("--elf", "symbols@%#x" % BASE, "--lines", "p.fxt")[0] == ["main"]


KALLSYMS = """ffffffff81000000 T _text
ffffffff81000000 T _stext
ffffffff81000000 t hidden_alias
ffffffff81000100 t timer_tick
ffffffff81000200 D table
ffffffff81000300 W schedule
ffffffff81000400 T _etext
0000000000000000 A percpu
ffffffffc0002000 t zfs_read	[zfs]
ffffffffc0001000 t ext4_read	[ext4]
ffffffffc0001100 t ext4_write	[ext4]
ffffffffc0001180 d ext4_data	[ext4]
"""


def kernel_frames(*pcs):
    """What each PC alone is called, and what the tool says of the names' file."""
    trace = fxtwrite.Trace()
    for i, pc in enumerate(pcs):
        trace.backtrace(100, 1, 1000 + i, pc)
    write("k.bin", trace)
    output = run(FXT2FOLDED, "--roots", "thread", "--kallsyms", "kallsyms", "k.bin")
    return [line.rsplit(" ", 1)[0].split(";")[1] for line in output.splitlines()]


def test_a_kernel_tells_its_symbols():
    with open("kallsyms", "w", encoding="ascii") as file:
        file.write(KALLSYMS)
    kernel, module = 0xffffffff81000000, 0xffffffffc0000000
    found = kernel_frames(kernel, kernel + 0xff, kernel + 0x1ff, kernel + 0x200, kernel + 0x300,
                         kernel + 0x400, module + 0x1000, module + 0x117f, module + 0x1180,
                         module + 0x2fff, module + 0x3000, module, 0x400)
    assert found == [
        "_text", "_text", "timer_tick", "[kernel.kallsyms]+0x%x" % (kernel + 0x200), "schedule",
        "_etext", "ext4_read", "ext4_write", "0x%x" % (module + 0x1180), "zfs_read",
        "0x%x" % (module + 0x3000), "0x%x" % module, "0x400"], found


def test_of_several_symbols_at_one_address_the_most_public_names_it():
    """Global before weak before local, and any function before data, whatever the order of
    the lines; of equals the first."""
    types = "TWtwD"
    kernel = 0xffffffff81000000
    lines, addresses, expected = [], [], []
    for better, worse in itertools.combinations(types, 2):
        for pair in ((better, worse), (worse, better)):
            addresses.append(kernel + 0x100 * len(addresses))
            for kind in pair:
                lines.append("%x %s %s_%d" % (addresses[-1], kind, kind, len(addresses)))
            expected.append("%s_%d" % (better, len(addresses)))
    for kind in "TWtw":
        addresses.append(kernel + 0x100 * len(addresses))
        for name in "first", "second":
            lines.append("%x %s %s_%s" % (addresses[-1], kind, name, kind))
        expected.append("first_" + kind)
    lines.append("%x T _etext" % (kernel + 0x100 * len(addresses)))
    with open("kallsyms", "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
    assert kernel_frames(*addresses) == expected, kernel_frames(*addresses)


def test_a_kernel_is_not_the_program_that_it_ran():
    """pprof takes a profile's first mapping for the main program."""
    with open("kallsyms", "w", encoding="ascii") as file:
        file.write(KALLSYMS)
    trace = fxtwrite.archive()
    for ident, name in (1, b"libc.so.6"), (2, b"zcat"):
        trace.module(1, ident, name, bytes([ident] * 8))
        trace.mapping(1, ident, 0x1000000 * ident, 0x1000, 0)
    trace.backtrace(100, 1, 2, 0xffffffff81000100, 0x1000010, 0x2000010)
    write("p.fxt", trace)
    run(FXT2PPROF, "--kallsyms", "kallsyms", "-o", "p.pb.gz", "p.fxt")
    profile = pprof_read.read("p.pb.gz")
    files = [m["filename"] for m in profile["mapping"]]
    assert files == ["zcat", "libc.so.6", "[kernel.kallsyms]"], files
    assert any("the ELF file was not found" in c for c in profile["comment"]), profile["comment"]


def mapped_files(n_processes, pcs, *arguments):
    """The mappings that pprof gets, where processes have a program and a library, and the
    stack of each is some of their code."""
    trace = fxtwrite.archive()
    for process in range(1, n_processes + 1):
        for ident, name in (1, b"[vdso]"), (2, b"libc.so.6"), (3, b"program%d" % process), (4, b"plugin"):
            trace.module(process, ident, name, bytes([ident] * 8))
            trace.mapping(process, ident, 0x1000000 * ident, 0x1000, 0)
        trace.backtrace(100, process, process, *pcs)
    write("p.fxt", trace)
    run(FXT2PPROF, *arguments, "-o", "p.pb.gz", "p.fxt")
    return [m["filename"] for m in pprof_read.read("p.pb.gz")["mapping"]]


def test_the_program_is_the_first_mapping_though_no_sample_is_in_it():
    """Also where other frames were taken away; unless there are several programs."""
    assert mapped_files(1, [0x2000010]) == ["program1", "libc.so.6"]
    assert mapped_files(1, [0x2000010, 0x1000010], "--skip-below=vdso") == [
        "program1", "[vdso]"]
    assert mapped_files(1, [0x2000010, 0x3000010]) == ["program1", "libc.so.6"]
    assert mapped_files(1, [0x2000010, 0x4000010]) == ["plugin", "libc.so.6"]
    assert mapped_files(2, [0x2000010]) == ["libc.so.6"]
    assert mapped_files(1, [0x9000010]) == []


def test_what_is_no_list_of_symbols_is_refused():
    for content, reason in ((b"", "no function"), (b"\0" * 5000, "line 1"), (b"12 T\n", "line 1"),
                            (b"12 T a\nzz T a\n", "line 2"), (b"1 T a", "line 1"),
                            (b"0 T a\n0 T b\n", "root only"), (b"1 D a\n", "no function"),
                            (b"12 T " + b"a" * 10000 + b"\n", "line 1"),
                            (b"12345678901234567 T a\n", "line 1")):
        with open("kallsyms", "wb") as file:
            file.write(content)
        done = subprocess.run([FXT2FOLDED, "--kallsyms", "kallsyms", os.devnull], check=False,
                              capture_output=True, text=True)
        assert done.returncode == 2 and reason in done.stderr, (content[:20], done.stderr)


def test_the_kernel_here():
    with open("/proc/kallsyms", encoding="ascii") as file:
        lines = [line.split() for line in file]
    known = {}
    for address, kind, name, *_ in lines:
        if kind in "tTwW":
            known.setdefault(int(address, 16), set()).add(without_copies(name))
    if len(known) < 2:
        return
    shutil.copy("/proc/kallsyms", "kallsyms")
    addresses = sorted(known)[::len(known) // 500 + 1]
    frames = kernel_frames(*addresses)
    assert len(frames) == len(addresses)
    for address, frame in zip(addresses, frames):
        # Of several functions of one name, with where it begins.
        assert frame.split(" ")[0] in known[address], (hex(address), frame)


def filter_markup(text, files):
    """What a symbolizer makes of markup: (how often, functions from the leaf on)."""
    stacks, modules, maps = [], {}, []
    for line in text.splitlines():
        element = re.fullmatch(r"\{\{\{([a-z]+)((?::[^:{}]*)*)\}\}\}", line)
        if element is None:
            assert "{" not in line and "}" not in line, line
            if line[0].isdigit():
                stacks.append((int(line.split()[0]), []))
            continue
        kind, fields = element[1], element[2].split(":")[1:]
        if kind == "reset":
            modules, maps = {}, []
        elif kind == "module":
            assert fields[2] == "elf" and len(fields[3]) % 2 == 0
            modules[int(fields[0])] = files[fields[3]]
        elif kind == "mmap":
            start, size, load, module, flags, vaddr = fields
            assert load == "load" and flags == "rx" and len(start) % 2 == 0
            maps.append((int(start, 16), int(size, 16), modules[int(module)], int(vaddr, 16)))
        else:
            number, pc, what = fields
            assert kind == "bt" and int(number) == len(stacks[-1][1])
            assert what == ("pc" if number == "0" else "ra")
            at = int(pc, 16) - (what == "ra")
            (elf, address), = [(elf, at - start + vaddr) for start, size, elf, vaddr in maps
                               if start <= at < start + size]
            stacks[-1][1].append(run("addr2line", "-f", "-e", elf, hex(address)).split()[0])
    return stacks


def test_code_of_the_kernels_in_every_process():
    with open("/proc/self/maps") as file:
        found = re.search(r"(\w+)-(\w+) r-xp .*\[vdso\]$", file.read(), re.M)
    if not found:
        print("skipped: there is no vdso")
        return
    start, end = (int(address, 16) for address in found.groups())
    with open("/proc/self/mem", "rb") as memory, open("vdso", "wb") as file:
        memory.seek(start)
        file.write(memory.read(end - start))
    functions = {line.split()[-1].split("@")[0]: int(line.split()[0], 16)
                 for line in run("nm", "-D", "--defined-only", "vdso").splitlines()
                 if line.split()[1] in "TW"}
    function = min(functions, key=lambda name: (name[0] != "_", name))
    for wanted, own_id in (function, build_id("vdso")), (None, "00" * 20):
        trace = fxtwrite.archive()
        trace.backtrace(100, 1, 2, start + functions[function])
        trace.module(1, 1, b"[vdso]", bytes.fromhex(own_id))
        trace.mapping(1, 1, start, end - start, 0)
        stack = fold(write("vdso.fxt", trace))[0]
        same = [name for name in functions if functions[name] == functions[function]]
        assert stack[0] in same if wanted else stack[0].startswith("[vdso]+0x"), stack


def test_markup_says_what_a_symbolizer_needs():
    elf = os.environ["ELF_MOVED"]
    vaddr, size = code_segment(elf)
    trace = fxtwrite.archive()
    trace.process(1, b"a {{{reset}}} b:c")
    for process, base in (1, BASE), (7, BASE + 0x10000000):
        at = symbols(elf, base - 0x10000)
        for _ in range(process):
            trace.backtrace(100, process, 2, at["leaf"], at["middle.end"], at["main.end"])
        trace.module(process, 5, b"lib{:}.so", bytes.fromhex(build_id(elf)))
        trace.mapping(process, 5, base + vaddr - 0x10000, size, vaddr)
    write("p.fxt", trace)
    for options in ["--unsymbolized"], ["--elf", elf], []:
        text = run(FXT2FOLDED, "--format", "markup", *options, "p.fxt")
        assert filter_markup(text, {build_id(elf): elf}) == [(1, NAMES[::-1]), (7, NAMES[::-1])]
    # Without its leaf, a stack begins with a caller.
    text = run(FXT2FOLDED, "--format", "markup", "--elf", elf, "--skip-below", "middle",
               "p.fxt")
    assert len(re.findall(r":0:0x0000[0-9a-f]+:ra}}}", text)) == 2 and ":pc}}}" not in text, text
    # A missing build id is stated in words.
    write("p.fxt", pie_trace(b"lib.so", b""))
    run(FXT2FOLDED, "-o", "p.markup", "p.fxt")
    with open("p.markup", encoding="utf-8") as file:
        lines = file.read().splitlines()
    assert lines[0] == "{{{reset}}}" and lines[1].startswith("no build id is known of lib.so at 0x")
    assert lines[2] == "1 sample of thread[2] in process[1]"


def test_markup_has_a_context_for_each_time_that_a_process_changes_its_mappings():
    """Two files at one place, one after the other."""
    trace = fxtwrite.archive()
    for time, name in (100, b"a"), (300, b"b"):
        trace.module(1, time, name, name * 8)
        trace.mapping(1, time, 0x10000, 0x1000, 0, time=time)
        trace.backtrace(time + 100, 1, 2, 0x10010)
    write("p.fxt", trace)
    text = run(FXT2FOLDED, "--format", "markup", "p.fxt")
    contexts = text.split("{{{reset}}}\n")[1:]
    assert len(contexts) == 2, text
    for context in contexts:
        assert context.count("{{{mmap:") == 1 and context.count("{{{bt:") == 1, text


def test_spans_are_nothing_for_markup():
    done = subprocess.run([FXT2FOLDED, "--spans", "--format", "markup", os.devnull],
                          check=False, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and "markup" in done.stderr, done


def opened(watch):
    """Whether what is watched was opened since the last time."""
    try:
        return len(os.read(watch, 4096)) > 0
    except BlockingIOError:
        return False


def test_what_is_no_regular_file_is_not_opened():
    """Opening a device can have effects, and a pipe's writer waits for its reader."""
    elf = os.environ["ELF_PIE"]
    number = build_id(elf)
    libc = ctypes.CDLL(None)
    run("objcopy", "--only-keep-debug", elf, "its.debug")
    run("objcopy", "--strip-all", "--add-gnu-debuglink=its.debug", elf, "linked")
    os.makedirs("dir/.build-id/" + number[:2])
    by_build_id = "dir/.build-id/%s/%s.debug" % (number[:2], number[2:])
    for kind, device in (stat.S_IFIFO, 0), (stat.S_IFCHR, os.makedev(1, 5)):
        try:
            os.mknod("special", kind | 0o666, device)
        except PermissionError:
            continue
        watch = libc.inotify_init1(os.O_NONBLOCK)
        assert libc.inotify_add_watch(watch, b"special", 0x20) > 0  # IN_OPEN
        os.close(os.open("special", os.O_RDONLY | os.O_NONBLOCK))
        assert opened(watch)
        special = os.path.abspath("special")
        for name, module_id, place in ((special, b"", None),
                                       ("lib.so", bytes.fromhex(number), by_build_id),
                                       (os.path.abspath("linked"), b"", "its.debug")):
            if place is not None:
                if os.path.lexists(place):
                    os.unlink(place)
                os.symlink(special, place)
            write("p.fxt", pie_trace(name.encode(), module_id))
            stack, _ = fold("--debug-dir", "dir", "p.fxt", timeout=20)
            assert is_unnamed(stack), (name, stack)
            assert not opened(watch), (kind, name)
        os.unlink(by_build_id)
        done = subprocess.run([FXT2FOLDED, "--elf", "special", "p.fxt"], timeout=20,
                              check=False, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 2 and "special: not a regular file" in done.stderr, done
        assert not opened(watch), kind
        os.close(watch)
        os.unlink("special")
    write("p.fxt", pie_trace(b"/dev/zero", b""))
    assert is_unnamed(fold("p.fxt", timeout=20)[0])


def test_names_and_build_ids_of_modules_can_be_anything():
    directory = os.path.abspath(".")
    for name in (b"", b"/", b"/etc/passwd", b"/dev/zero", b"..", b"../..", b"a\0b", b"/" * 255,
                 directory.encode()):
        for module_id in b"", b"\0", bytes(64), b"\xff" * 255:
            write("p.fxt", pie_trace(name, module_id))
            stack, _ = fold("--debug-dir", ".", "p.fxt")
            assert len(stack) == 3


if __name__ == "__main__":
    need("addr2line", "nm", "objcopy", "readelf")
    main(sys.modules[__name__])
