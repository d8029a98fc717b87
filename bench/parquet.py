#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""How large the tables of fxt2parquet are, and how long it takes beside fxt2pprof, which
writes one profile of the same archive.

parquet.py FXT2PARQUET FXT2PPROF [SAMPLES [STACKS]]

A million samples of 20,000 stacks: of 4 CPUs with a thread each that is sampled at about
1 kHz. Times are of CPU, and of runs that alternate. It fails where a sample takes more than
6 bytes beside the stacks and frames, or the time is more than 3 times fxt2pprof's."""
import os
import random
import statistics
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "support"))

import fxtwrite as w  # noqa: E402

FXT2PARQUET, FXT2PPROF = sys.argv[1:3]
N_SAMPLES = int(sys.argv[3]) if len(sys.argv) > 3 else 1000000
N_STACKS = int(sys.argv[4]) if len(sys.argv) > 4 else 20000
MAX_BYTES, MAX_RATIO = 6, 3
N_RUNS = 5
N_THREADS, N_FUNCTIONS, DEPTHS = 4, 4000, (20, 40)
PERIOD_NS = 1000000
FOLDER = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
# Of a record, the time is its second word.
TIME = struct.Struct("<Q")


def head():
    trace = w.archive()
    trace.init(10**9, 0, 1700000000 * 10**9)
    trace.recording(PERIOD_NS)
    trace.process(100, b"bench")
    for i in range(N_THREADS):
        trace.thread(101 + i, b"worker %d" % i, 100)
    trace.module(100, 1, b"/bin/bench", bytes(20))
    trace.mapping(100, 1, 0x400000, 0x100 * N_FUNCTIONS, 0)
    return trace.data()


def make_stacks(rng):
    """Each is a record; they are half alike, as those of a program are."""
    stacks, pcs = [], []
    for i in range(N_STACKS):
        depth, outer = rng.randint(*DEPTHS), pcs[len(pcs) // 2:]
        pcs = [0x400000 + 0x100 * rng.randrange(N_FUNCTIONS) + 8
               for _ in range(max(depth - len(outer), 1))] + outer
        stacks.append(w.to_bytes(w.backtrace(0, (100, 101 + i % N_THREADS), pcs)))
    return stacks


def write_archive(file):
    rng = random.Random(1)
    stacks = make_stacks(rng)
    file.write(head())
    for i in range(N_SAMPLES):
        stack = stacks[int(N_STACKS * rng.random() ** 2)]
        time = PERIOD_NS * i // N_THREADS + rng.randrange(PERIOD_NS // 20)
        file.write(stack[:8] + TIME.pack(time) + stack[16:])
    file.flush()


def measure(*command):
    """Seconds of CPU."""
    child = os.posix_spawn(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    assert status == 0, (command, status)
    return usage.ru_utime + usage.ru_stime


def main():
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        path = os.path.join(folder, "t.fxt")
        with open(path, "wb") as file:
            write_archive(file)
        print(f"{N_SAMPLES} samples of {N_STACKS} stacks, {os.path.getsize(path) >> 20} MiB")
        failed = False
        for codec in "none", "gzip", "zstd":
            out, ratios = os.path.join(folder, codec), []
            for _ in range(N_RUNS):
                one = measure(FXT2PPROF, "-q", "-o", os.path.join(folder, "t.pb.gz"), path)
                two = measure(FXT2PARQUET, "-q", "--compress", codec, "-o", out, path)
                ratios.append(two / one)
            sizes = {name: os.path.getsize(os.path.join(out, name)) for name in os.listdir(out)}
            stacks = sizes["stack.parquet"] + sizes["frame.parquet"]
            a_sample = (sum(sizes.values()) - stacks) / N_SAMPLES
            ratio = statistics.median(ratios)
            print(f"{codec}: {a_sample:.2f} bytes a sample, {stacks / N_STACKS:.1f} a stack with "
                  f"its frames, {ratio:.2f} of the time of fxt2pprof")
            failed |= a_sample > MAX_BYTES or ratio > MAX_RATIO
    return failed


sys.exit(main())
