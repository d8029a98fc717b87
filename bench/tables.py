#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A million events as tables: CPU time of fxt2sqlite and of fxtquery, in seconds and as a
multiple of that of fxtdump --stats, which only reads and counts.

tables.py FXTDUMP FXT2SQLITE FXTQUERY [MILLIONS]

It fails if a million events take more than 3 seconds in a database, or in memory. Times are
of the CPU, the least of three runs."""
import os
import random
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "support"))

import fxtwrite  # noqa: E402

MAX_SECONDS, RUNS, N_THREADS, N_NAMES = 3, 3, 8, 100


def write_trace(path, n_events):
    """Begins and ends of nested spans, of several threads, half of them with an argument."""
    rng, trace = random.Random(1), fxtwrite.archive()
    now, depth = 0, [0] * N_THREADS
    for thread in range(N_THREADS):
        trace.add(fxtwrite.thread(1 + thread, 7, 100 + thread))
    for name in range(N_NAMES):
        trace.add(fxtwrite.string(1 + name, b"span %d" % name))
    trace.add(fxtwrite.string(N_NAMES + 1, b"category"))
    trace.add(fxtwrite.string(N_NAMES + 2, b"bytes"))
    for i in range(n_events):
        now += rng.randrange(2000)
        thread = rng.randrange(N_THREADS)
        ends = depth[thread] > 0 and (depth[thread] == 10 or rng.random() < 0.5)
        depth[thread] += -1 if ends else 1
        args = [] if ends or i % 2 else [fxtwrite.arg(2, N_NAMES + 2, rng.randrange(1000))]
        trace.add(fxtwrite.event(3 if ends else 2, now, 1 + thread, N_NAMES + 1,
                                 rng.randrange(N_NAMES) + 1, args))
    with open(path, "wb") as file:
        file.write(trace.data())


def seconds(*command):
    """The least CPU time of several runs."""
    times = []
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def main(fxtdump, fxt2sqlite, fxtquery, millions="1"):
    with tempfile.TemporaryDirectory() as folder:
        trace, database = os.path.join(folder, "t.fxt"), os.path.join(folder, "t.db")
        write_trace(trace, int(millions) * 1000000)
        read = seconds(fxtdump, "--stats", trace)
        print(f"{millions} million events, {os.path.getsize(trace) >> 20} MB; load "
              f"{os.getloadavg()[0]:.1f}\n  fxtdump --stats     {read:5.2f} s")
        failed = False
        for name, *command in (("fxt2sqlite", fxt2sqlite, "-q", "-o", database, trace),
                               ("fxtquery count(*)", fxtquery, "-q", trace, "select count(*) from slice"),
                               ("fxtquery @span-stats", fxtquery, "-q", trace, "@span-stats")):
            time = seconds(*command)
            print(f"  {name:20s}{time:5.2f} s  {time / read:5.1f} times as long")
            failed |= name != "fxtquery @span-stats" and time > MAX_SECONDS * int(millions)
        print(f"  the database has {os.path.getsize(database) >> 20} MB")
        sys.exit(failed)


main(*sys.argv[1:])
