#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The examples of the manual pages, run as a reader would: each does what it says with
files of the kind that it names. Arguments: the tools' build directory, the pages."""
import gzip
import os
import re
import shutil
import subprocess
import sys

import fxtwrite
from profile_cases import TOOLS, busy_trace, main, need, run, symbols, write

PAGES = [os.path.abspath(page) for page in sys.argv[2:]]
MISSING = [name for name in ("go", "jq", "less") if shutil.which(name) is None]


def examples(page):
    """The displays of the page's section, as they are printed."""
    text = re.sub(".\b", "", run("mandoc", "-T", "ascii", "-O", "width=200", page))
    section = re.search(r"^EXAMPLES\n(.*?)^\S", text, re.M | re.S)[1]
    found = re.findall(r"(?:^ {11,}\S.*\n)+", section, re.M)
    assert len(found) > 4, section
    return found


def kernel_region(cpu):
    at = symbols(os.environ["ELF_KERNEL"])
    trace = fxtwrite.Trace()
    for i in range(20):
        trace.backtrace(1000 * i, 1, 2 + cpu, at["timer_tick"] + 1, at["idle_loop"] + 5)
    return trace


def durations():
    """A trace of a program's, of two seconds and more."""
    trace = fxtwrite.archive()
    trace.init(1000)
    trace.process(1045, b"tile:net")
    for i in range(40):
        trace.complete(500 + 50 * i, 540 + 50 * i, 1045, 2077, b"step %d" % (i % 3))
    trace.complete(0, 3000, 1045, 2078, b"wait for work")
    trace.complete(0, 900, 1045, 2079, b"request")
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
    write("app.fxt", busy_trace())
    write("old.fxt", busy_trace())
    write("trace.fxt", durations())
    with open("trace.log", "w", encoding="ascii") as file:
        file.write("Thread 1 (Thread 1.1 (CPU#0 [running])):\n#0  idle ()\n#1  main ()\n")
    with gzip.open("trace.fxt.gz", "wb") as file:
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


def try_example(text):
    """Runs it; what it prints, or the file that it makes, has something in it."""
    if any(re.search(r"\b%s\b" % name, text) for name in MISSING):
        print("left out:", text.strip())
        return
    if "ELF_KERNEL" not in os.environ and ".elf" in text:
        return
    # Ctrl-C is what ends it.
    text = text.replace("fxtdump --follow", "timeout -s INT 2 fxtdump --follow")
    path = ":".join([os.path.join(TOOLS, tool) for tool in os.listdir(TOOLS)] +
                    [os.environ["PATH"]])
    done = subprocess.run(["sh", "-e", "-c", text], env=dict(os.environ, PATH=path), check=False,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == (124 if "--follow" in text else 0), (text, done)
    for name in re.findall(r" -o (\S+)", text):
        assert os.path.getsize(name) > 100, (text, name)
        os.unlink(name)
    assert done.stdout or " -o " in text or ">/dev/null" in text, (text, done)
    print("ran:", text.strip())


def test_examples():
    make_files()
    for page in PAGES:
        for text in examples(page):
            try_example(text)


if __name__ == "__main__":
    need("mandoc")
    main(sys.modules[__name__])
