# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of fxt2pprof and fxt2folded with real readers share.

A test is a function named test_*; main() runs all of a module's in a fresh directory
each. A module that cannot run here exits with 77 and a reason, which meson takes for
skipped.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback

import fxtwrite

TOOLS = os.path.abspath(sys.argv[1])
FXT2PPROF = os.path.join(TOOLS, "fxt2pprof", "fxt2pprof")
HAS_LINES = os.environ.get("HAS_LIBDW") == "1"
FXTREPORT = os.path.join(TOOLS, "fxtreport", "fxtreport")
FXTSYMBOLIZE = os.path.join(TOOLS, "fxtsymbolize", "fxtsymbolize")
FXTDUMP = os.path.join(TOOLS, "fxtdump", "fxtdump")
FXT2FOLDED = os.path.join(TOOLS, "fxt2folded", "fxt2folded")


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def need(*programs):
    for program in programs:
        if shutil.which(program) is None:
            skip("there is no " + program)


def run(*command, status=0, text=True, **options):
    """Runs a command, which must exit with `status` unless that is None; returns its
    standard output."""
    done = subprocess.run([str(c) for c in command], capture_output=True, check=False, **options)
    if status is not None and done.returncode != status:
        raise AssertionError("%s\nexit %d, not %d\n%s%s" % (
            command, done.returncode, status, done.stdout.decode(errors="replace"),
            done.stderr.decode(errors="replace")))
    return done.stdout.decode() if text else done.stdout


def without_copies(name):
    """Copies and parts of a function that compilers make have the function's name."""
    return re.sub(r"(\.(isra|constprop|part|cold|llvm|lto_priv)(\.\d+)?)+$", "", name)


def write(name, trace):
    with open(name, "wb") as file:
        file.write(trace.data())
    return name


def formats():
    """The formats of fxt2folded, from its help."""
    listed = run(FXT2FOLDED, "--help").partition("\nFormats:\n")[2]
    found = re.findall(r"^  (\w+) ", listed, re.M)
    assert len(found) >= 5, listed
    return found


def symbols(elf, base=0):
    """The addresses of an ELF file's symbols, by name, and as "name.end" where they end,
    which is where the last call returns to, if it does not return."""
    found = {}
    for line in run("nm", "-S", "--defined-only", elf).splitlines():
        *numbers, _, name = line.split()
        found[name] = int(numbers[0], 16) + base
        if len(numbers) > 1:
            found[name + ".end"] = found[name] + int(numbers[1], 16)
    return found


def deepest_stack(elf, function):
    """The address in a function with the most nested functions, of whose lines all
    are known, and what addr2line says is there, innermost first: (function, file:line)."""
    best = (0, [])
    at = symbols(elf)
    text = "".join("%#x\n" % address for address in range(at[function], at[function + ".end"]))
    output = run("addr2line", "-a", "-f", "-i", "-e", elf, input=text.encode())
    for block in re.split("^0x", output, flags=re.M)[1:]:
        address, *lines = block.splitlines()
        stack = [(name.split(".")[0], os.path.basename(line.split(" (")[0]))
                 for name, line in zip(lines[::2], lines[1::2])]
        if len(stack) > len(best[1]) and all(line[-1].isdigit() for _, line in stack):
            best = (int(address, 16), stack)
    assert len(best[1]) > 2, best
    return best


def busy_trace():
    """Samples of three processes with all that an archive can state about them."""
    trace = fxtwrite.archive()
    trace.init(1000000)
    trace.process(1045, b"shell")
    trace.process(1046, "na\u00efve;\u202e\xff\x1b[1m".encode("latin-1", "ignore"))
    trace.thread(2077, b"main", 1045)
    trace.thread(2078, b"worker")
    for i in range(200):
        process = 1045 + i % 3
        thread = 2077 + i % 4
        pcs = [0x7000000000 + 16 * (i % 7), 0x7000001000 + 16 * (i % 5), 0x1234 + i % 2]
        trace.backtrace(1000 + 10 * i, process, thread, *pcs[:1 + i % 3])
    trace.drops(3, 17, 9248, 1, 2)
    for process in (1045, 1046):
        trace.module(process, 1, b"bin/app", bytes(range(20)))
        trace.module(process, 2, b"lib/libc.so", bytes(range(20, 40)))
        trace.mapping(process, 1, 0x7000000000, 0x1000, 0)
        trace.mapping(process, 2, 0x7000001000, 0x1000, 0x3000)
    return trace


def main(module):
    failed = 0
    tests = [name for name in dir(module) if name.startswith("test_")]
    for name in tests:
        with tempfile.TemporaryDirectory() as directory:
            os.chdir(directory)
            os.environ["HOME"] = directory
            try:
                getattr(module, name)()
                print("ok", name)
            except Exception:  # pylint: disable=broad-except
                failed += 1
                print("not ok", name)
                traceback.print_exc(file=sys.stdout)
            os.chdir("/")
    sys.exit(1 if failed or not tests else 0)
