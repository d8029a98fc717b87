#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the binary interfaces of the shared libraries with the recorded ones, or
records them:

    scripts/abi.py BUILD            exits with 1 if one differs, with 77 if it cannot tell
    scripts/abi.py --record BUILD

BUILD is a build for x86-64 without sanitizers. exports.txt in a library's folder has its
symbols, and abi.xml has their types, as far as public headers define them; both are written
by --record. docs/abi.md says which changes are compatible.

abidw reads types from debugging information, which a release build lacks: the files that
define what is exported are compiled again with -g, and nothing else is.
"""

import concurrent.futures
import glob
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# By the folder of a library: its link name.
LIBRARIES = {"libfxt": "fxtrace", "libfxtprofile": "fxtprofile", "libfxtsampler": "fxtsampler",
             "libfxtheap": "fxtheap"}
# Bits of abidiff's exit status: it or its options are wrong.
FAILED = 3
GROWING = re.compile(r"^struct (fxt_\w+) {\n(?:    /\*.*\*/\n)?    size_t size;\n", re.M)


def run(arguments, **options):
    return subprocess.run(arguments, check=True, stdout=subprocess.PIPE, text=True,
                          **options).stdout


def shared_library(build, folder):
    path = os.path.join(build, f"lib{LIBRARIES[folder]}.so")
    return path if os.path.exists(path) else None


def exported(path):
    lines = run(["nm", "-D", "--defined-only", path]).splitlines()
    return sorted(line.split()[2] for line in lines if line.split()[1] in "TDBRW")


def soname(path):
    return re.search(r"SONAME *(\S+)", run(["objdump", "-p", path]))[1]


def defines(build, output, names):
    lines = run(["nm", "-g", "--defined-only", os.path.join(build, output)]).splitlines()
    return any(line.split()[-1] in names for line in lines)


def compile_again(command, source_folder, output):
    """A file of the library with debugging information."""
    arguments = shlex.split(command)
    kept = arguments[:arguments.index("-MD")]
    run(kept + ["-O0", "-g", "-w", "-o", output, "-c", arguments[-1]], cwd=source_folder)
    return output


def with_types(build, folder, names, work):
    """A library that exports the same, and is never run."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = [entry for entry in json.load(file)
                    if entry["output"].startswith(f"{folder}/{folder}_internal.a.p/")]

    def object_of(entry):
        if not defines(build, entry["output"], names):
            return os.path.join(build, entry["output"])
        output = os.path.join(work, entry["output"].replace("/", "-"))
        return compile_again(entry["command"], entry["directory"], output)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(object_of, commands))
    path = os.path.join(work, f"lib{LIBRARIES[folder]}.so")
    run([shlex.split(commands[0]["command"])[0], "-shared", "-nostdlib",
         "-Wl,--unresolved-symbols=ignore-all",
         "-Wl,-soname," + soname(shared_library(build, folder)), "-o", path] + objects)
    return path


def write_abi(library, folder, path):
    headers = [os.path.join(ROOT, "include"), os.path.join(ROOT, folder, "include")]
    run(["abidw", "--drop-private-types", "--no-corpus-path", "--no-comp-dir-path",
         "--no-show-locs", "--type-id-style", "hash", "--out-file", path]
        + [word for name in headers if os.path.isdir(name) for word in ("--headers-dir", name)]
        + [library])


def growing_structs():
    """The structs that begin with their size: they may get members at their end."""
    headers = [path for folder in ("include", "lib*/include")
               for path in glob.glob(os.path.join(ROOT, folder, "fxt", "*.h"))]
    names = [name for path in headers for name in GROWING.findall(read(path))]
    return "|".join(sorted(names))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def differences(recorded, current, *options):
    """What abidiff says, and its exit status."""
    shown = subprocess.run(["abidiff", *options, recorded, current], check=False, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if shown.returncode & FAILED:
        sys.exit(f"abidiff: {shown.stdout}")
    return shown.stdout, shown.returncode


def judge(recorded, current, work):
    """What differs, and whether programs that were built for the recorded interface work
    with the current one."""
    shown, status = differences(recorded, current, "--harmless")
    if status == 0:
        return "", True
    allowed = os.path.join(work, "allowed.ini")
    with open(allowed, "w", encoding="utf-8") as file:
        file.write("[suppress_type]\n"
                   f"name_regexp = ^({growing_structs()})$\n"
                   "has_data_member_inserted_at = end\n")
    _, status = differences(recorded, current, "--no-added-syms", "--suppressions", allowed)
    return shown, status == 0 and not members_in_padding(recorded, current)


def structs(path):
    """By name: the size of a struct, and the offsets of its members by name, in bits."""
    return {struct.get("name"): (int(struct.get("size-in-bits", 0)), {
                member.find("var-decl").get("name"): int(member.get("layout-offset-in-bits"))
                for member in struct.findall("data-member")})
            for struct in xml.etree.ElementTree.parse(path).iter("class-decl")}


def members_in_padding(recorded, current):
    """Whether a new member is where a struct had padding: programs that were built before
    have any bytes there."""
    now = structs(current)
    return any(offset < size for name, (size, members) in structs(recorded).items()
               for member, offset in now.get(name, (0, {}))[1].items() if member not in members)


def handle(build, folder, record, work):
    """Whether a library is as recorded, or recorded now."""
    library = shared_library(build, folder)
    names = exported(library)
    current = os.path.join(work, f"{folder}.xml")
    symbols = os.path.join(ROOT, folder, "exports.txt")
    recorded = os.path.join(ROOT, folder, "abi.xml")
    write_abi(with_types(build, folder, set(names), work), folder, current)
    shown, compatible = judge(recorded, current, work) if os.path.exists(recorded) else ("", True)
    print(f"{folder}: " + ("as recorded" if not shown else
                           "compatible changes" if compatible else
                           "INCOMPATIBLE changes: FXT_SOVERSION has to change (docs/abi.md)"))
    print(shown, end="")
    if record:
        shutil.copy(current, recorded)
        with open(symbols, "w", encoding="utf-8") as file:
            file.writelines(name + "\n" for name in names)
        return True
    return not shown and names == read(symbols).split()


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def main():
    record = sys.argv[1] == "--record"
    build = os.path.abspath(sys.argv[-1])
    for tool in ("abidw", "abidiff"):
        if shutil.which(tool) is None:
            skip(f"there is no {tool} (package abigail-tools)")
    if platform.machine() != "x86_64":
        skip("the interfaces were recorded on x86-64")
    folders = [folder for folder in LIBRARIES if shared_library(build, folder)]
    if not folders:
        skip("there is no shared library")
    with tempfile.TemporaryDirectory() as work:
        results = [handle(build, folder, record, work) for folder in folders]
    if not all(results):
        sys.exit(f"If that is intended: {sys.argv[0]} --record {build}")


if __name__ == "__main__":
    main()
