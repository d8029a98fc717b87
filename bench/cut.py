#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""How long fxtcut takes beside a program that decodes the same archive and does nothing
with it.

cut.py BENCH_FXTDUMP FXTCUT [MIB]

The archive has events of 16 threads in spans, and context switches; output goes to
/dev/null. Times are of CPU, and of runs that alternate. It fails where a part of one
thread takes more than 1.2 times as long as decoding: 1.0 to 1.2 was reached. The rest is
the call for each record, and the references of those that are kept."""
import os
import statistics
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "support"))

import fxtwrite as w  # noqa: E402

PARSE, FXTCUT = sys.argv[1:3]
MIB = int(sys.argv[3]) if len(sys.argv) > 3 else 1024
MAX_RATIO = 1.2
N_RUNS = 5
N_THREADS = 16
FOLDER = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def head():
    parts = [w.magic(), w.provider_info(1, b"bench"), w.initialization(10**9)]
    parts += [w.string(i, b"name %d" % i) for i in range(1, 40)]
    for i in range(1, N_THREADS + 1):
        parts += [w.thread(i, 100, 100 + i), w.kernel_object(2, 100 + i, b"thread %d" % i)]
    return b"".join(map(w.to_bytes, parts))


def block():
    """A millisecond of about a mebibyte."""
    parts, time = [], 0
    while time < 10**6:
        for thread in range(1, N_THREADS + 1):
            name = 2 + (time // 100 + thread) % 37
            args = [w.arg(4, 1, time), w.arg(6, 2, 3)]
            parts.append(w.event(2, time, thread, 1, name, args))
            parts.append(w.event(4, time + 1, thread, 1, name + 1, [], [time + 9]))
            parts.append(w.event(0, time + 2, thread, 1, name, args[:1]))
            parts.append(w.context_switch(time + 3, thread, 3, 100 + thread,
                                          101 + thread % N_THREADS))
            parts.append(w.event(3, time + 20, thread, 1, name))
        time += 200
    return b"".join(map(w.to_bytes, parts))


def measure(*command):
    """Seconds of CPU."""
    child = os.posix_spawn(command[0], command, os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    _, status, usage = os.wait4(child, 0)
    assert status == 0, (command, status)
    return usage.ru_utime + usage.ru_stime


def main():
    cuts = {"--tid": ("101",), "--time": ("200us-300us",), "--name": ("name 7$",), "all": ()}
    over = 0
    with tempfile.NamedTemporaryFile(dir=FOLDER, prefix="bench_cut.") as file:
        one = block()
        file.write(head())
        for _ in range(MIB * 2**20 // len(one)):
            file.write(one)
        file.flush()
        times = {"decoding": []}
        for _ in range(N_RUNS):
            times["decoding"].append(measure(PARSE, "--parse", file.name))
            for name, values in cuts.items():
                option = () if name == "all" else (name,)
                times.setdefault(name, []).append(
                    measure(FXTCUT, "-q", *option, *values, file.name))
        base = statistics.median(times["decoding"])
        print("decoding %d MiB: %.2f s" % (file.tell() >> 20, base))
        for name, found in times.items():
            ratio = statistics.median(found) / base
            if name == "--tid":
                over = ratio > MAX_RATIO
                print("  fxtcut --tid: %.2f (limit %.1f): %s" % (
                    ratio, MAX_RATIO, "OVER" if over else "ok"))
            elif name != "decoding":
                print("  fxtcut %s: %.2f" % (name, ratio))
    return over


sys.exit(main())
