#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The examples of the manual pages, run as a reader would: each does what it says with
files of the kind that it names. Arguments: the tools' build directory, the pages."""
import glob
import gzip
import os
import re
import shutil
import subprocess
import sys

import fxtwrite
from profile_cases import TOOLS, busy_trace, main, need, run, symbols, write

PAGES = [os.path.abspath(page) for page in sys.argv[2:]]
PATH = ":".join([os.path.join(TOOLS, tool) for tool in os.listdir(TOOLS)] + [os.environ["PATH"]])
MISSING = [name for name in ("fxtrecord", "go", "jq", "less", "make", "sqlite3")
           if shutil.which(name, path=PATH) is None]


def examples(page):
    """The displays of the page's section, as they are printed."""
    text = re.sub(".\b", "", run("mandoc", "-T", "ascii", "-O", "width=200", page))
    section = re.search(r"^EXAMPLES\n(.*?)^\S", text, re.M | re.S)[1]
    found = re.findall(r"(?:^ {11,}\S.*\n)+", section, re.M)
    assert found, section
    # What is asked of a database is a test's of tables.
    return [text for text in found if not text.lstrip().startswith("select ")]


def kernel_region(cpu):
    at = symbols(os.environ["ELF_KERNEL"])
    trace = fxtwrite.Trace()
    for i in range(20):
        trace.backtrace(1000 * i, 1, 2 + cpu, at["timer_tick"] + 1, at["idle_loop"] + 5)
    return trace


def durations():
    """A trace of two programs, of two seconds and more."""
    trace = fxtwrite.archive()
    trace.init(1000)
    trace.process(1045, b"tile:net")
    for i in range(40):
        trace.complete(500 + 50 * i, 540 + 50 * i, 1045, 2077, b"step %d" % (i % 3))
    trace.complete(0, 3000, 1045, 2078, b"wait for work")
    trace.complete(0, 900, 1045, 2079, b"request")
    trace.complete(1000, 1100, 1045, 2079, b"DroppedFrame")
    trace.backtrace(1500, 1045, 2077, 0x1000, 0x2000)
    trace.process(1046, b"netstack")
    for i in range(9):
        trace.complete(1000 + 7 * i, 1200 + i, 1046, 2080, b"packet %d" % i)
    for time in 12000, 12600, 13400, 14000:
        trace.complete(time, time + 1, 1045, 2077, b"page_fault", category=b"kernel:vm")
    for i in range(5):
        trace.add(fxtwrite.context_switch(3000 + 4 * i, 0, 3, 2077 + i % 2, 2078 - i % 2))
        trace.add(fxtwrite.thread_wakeup(3002 + 4 * i, 0, 2077 + i % 2,
                                         [fxtwrite.arg(8, b"waker", 2078 - i % 2)]))
    return trace


# What gdb prints for "thread apply all backtrace".
DEBUGGER_LOG = """
Thread 2 (Thread 1.2 (CPU#1 [halted ])):
#0  0xffffffff80100a0c in idle ()
#1  0xffffffff80100100 in start ()

Thread 1 (Thread 1.1 (CPU#0 [running])):
#0  work (n=12) at work.c:10
#1  0xffffffff80100200 in start ()
"""


def make_files():
    if "ELF_KERNEL" in os.environ:
        shutil.copy(os.environ["ELF_KERNEL"], "zircon.elf")
        shutil.copy(os.environ["ELF_KERNEL"], "kernel.elf")
        for cpu in 0, 1:
            write("cpu%d.bin" % cpu, kernel_region(cpu))
    os.makedirs("out/default/.build-id")
    for name in "app.fxt", "old.fxt", "a.fxt", "system.fxt":
        write(name, busy_trace())
    for name in "trace.fxt", "b.fxt", "client.fxt":
        write(name, durations())
    os.mkdir("symbols")
    with open("server", "w", encoding="ascii") as file:
        file.write("#!/bin/sh\ni=0\nwhile [ $i -lt 30000 ]; do i=$((i + 1)); done\n")
    os.chmod("server", 0o755)
    with open("Makefile", "w", encoding="ascii") as file:
        file.write("all:\n\t./server\n")
    with open("trace.log", "w", encoding="ascii") as file:
        file.write("Thread 1 (Thread 1.1 (CPU#0 [running])):\n#0  idle ()\n#1  main ()\n")
    for name in "trace.fxt.gz", "server.fxt.gz":
        with gzip.open(name, "wb") as file:
            file.write(durations().data())
    for name, size in ("regions.bin", 512 << 10), ("samples.bin", 1 << 20):
        with open(name, "wb") as file:
            for i in range(4):
                region = fxtwrite.Trace()
                region.backtrace(10, 1, 2, 0x1000 + i)
                file.write(region.data().ljust(size, b"\0"))
    with open("trace.log", "w", encoding="ascii") as file:
        for _ in range(20):
            file.write(DEBUGGER_LOG)
    broken = durations()
    broken.words(0xff0002003a, 1, 2)
    write("broken.fxt", broken)


def written(text):
    """The files that it has written, by what -o names: a file, a directory, or parts of one."""
    found = {}
    for name in re.findall(r" -o (\S+)", text):
        stem, suffix = os.path.splitext(name)
        patterns = name, f"{name}/**/*.*", f"{stem}.0*{suffix}"
        found[name] = [path for pattern in patterns for path in glob.glob(pattern, recursive=True)
                       if os.path.isfile(path)]
    return found


def try_example(text):
    """Runs it; what it prints, or the file that it makes, has something in it."""
    if any(re.search(r"\b%s\b" % name, text) for name in MISSING):
        print("left out:", text.strip())
        return
    if "ELF_KERNEL" not in os.environ and ".elf" in text:
        return
    # Ctrl-C is what ends it.
    text = text.replace("fxtdump --follow", "timeout -s INT 2 fxtdump --follow")
    for path in sum(written(text).values(), []):
        os.unlink(path)
    done = subprocess.run(["sh", "-e", "-c", text], env=dict(os.environ, PATH=PATH), check=False,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == (124 if "--follow" in text else 0), (text, done)
    for name, paths in written(text).items():
        assert paths and all(os.path.getsize(path) > 100 for path in paths), (text, name, done)
    redirected = re.findall(r" > (\S+)", text)
    assert all(os.path.getsize(name) > 0 for name in redirected), (text, done)
    assert done.stdout or redirected or re.search(" -o |>/dev/null|--in-place", text), (text, done)
    print("ran:", text.strip())


def test_examples():
    n = 0
    for page in PAGES:
        directory = os.path.abspath(os.path.basename(page))
        os.mkdir(directory)
        os.chdir(directory)
        make_files()
        for text in examples(page):
            try_example(text)
            n += 1
        os.chdir("..")
    assert n > 3 * len(PAGES), n


if __name__ == "__main__":
    need("mandoc")
    main(sys.modules[__name__])
