#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What checking an archive costs, and repairing it, beside reading and writing it, as
examples/fxtcopy does. The CPU time that was used counts.

lint.py FXTLINT FXTCOPY [SPANS]

The archive has nested spans of eight threads in the order of time, every other one with
two arguments, instants and context switches. It fails where one of both takes more than
twice that time. 1.5 to 1.7 was reached, and with --fix 1.9 to 2.0. Records that --fix does
not change are copied in runs; where each has to be changed, it takes 2.5 times as long.
"""
import array
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests",
                                "support"))

import fxtwrite as w  # noqa: E402

FXTLINT, FXTCOPY = map(os.path.abspath, sys.argv[1:3])
N_SPANS = int(sys.argv[3]) if len(sys.argv) > 3 else 500000
MAX_RATIO, N_ROUNDS = 2.0, 5
N_NAMES, N_THREADS = 200, 8
FOLDER = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def context():
    """What all events refer to."""
    records = [w.magic(), w.provider_info(1, b"bench"), w.initialization(10**9),
               *(w.string(1 + i, b"name %d" % i) for i in range(N_NAMES)),
               *(w.thread(1 + i, 100, 101 + i) for i in range(N_THREADS))]
    return b"".join(map(w.to_bytes, records))


def group(i, time):
    """Two spans, one in the other, with an instant; and the switch to the next thread."""
    thread, name = 1 + i % N_THREADS, 1 + i * 31 % N_NAMES
    args = [w.arg(4, 1, i), w.arg(1, 2, i % 1000)]
    return [w.event(2, time, thread, 1, name, args),
            w.event(2, time + 10, thread, 1, 1 + name % N_NAMES),
            w.event(0, time + 20, thread, 1, 1 + (name + 1) % N_NAMES),
            w.event(3, time + 30, thread, 1, 1 + name % N_NAMES),
            w.event(3, time + 40, thread, 1, name),
            w.context_switch(time + 50, i % 4, 2, 100 + thread, 101 + thread % N_THREADS)]


def write(name):
    words = array.array("Q")
    for i in range(N_SPANS // 2):
        for record in group(i, 100 * i):
            words.extend(record)
    if sys.byteorder == "big":
        words.byteswap()
    with open(name, "wb") as file:
        file.write(context())
        words.tofile(file)


def seconds(command):
    """Of CPU. Most archives have findings, which are told by the exit status."""
    with open("all.fxt", "rb") as stdin, open("copy.fxt", "wb") as stdout:
        child = subprocess.Popen(command, stdin=stdin, stdout=stdout)
        _, status, usage = os.wait4(child.pid, 0)
    assert os.waitstatus_to_exitcode(status) in (0, 1), (command, status)
    return usage.ru_utime + usage.ru_stime


def main():
    commands = {"fxtcopy": [FXTCOPY], "fxtlint": [FXTLINT, "-q"],
                "fxtlint --fix": [FXTLINT, "-q", "--fix", "-o", "fixed.fxt"]}
    best = dict.fromkeys(commands, float("inf"))
    with tempfile.TemporaryDirectory(dir=FOLDER) as work:
        os.chdir(work)
        write("all.fxt")
        for _ in range(N_ROUNDS):
            for name, command in commands.items():
                best[name] = min(best[name], seconds(command))
        size = os.path.getsize("all.fxt")
        os.chdir("/")
    base = best.pop("fxtcopy")
    print(f"archive of {size / 2**20:.0f} MiB, read and written in {base:.2f} s")
    for name, time in best.items():
        over = "OVER" if time > MAX_RATIO * base else "ok"
        print(f"  {name}: {time / base:.2f} (limit {MAX_RATIO}): {over}")
    return any(time > MAX_RATIO * base for time in best.values())


sys.exit(main())
