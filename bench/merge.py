#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What merging four archives costs, beside reading and writing one with all of their
records, as examples/fxtcopy does. The CPU time that was used counts.

merge.py FXTMERGE FXTCOPY [EVENTS]         eight million by default

The records are in order; or they are spans that are written when they end, four in each
other, which are up to three places late. It fails beyond 1.9 times that time, and for spans
beyond 2.1 times: 1.7 to 1.8, and 1.9 to 2.05, is what was reached. There, records wait in
megabytes of memory until none can be earlier, and have left the cache when they are written.
The first use of that memory counts: where a page fault takes 20 us, a million of spans took
2.3 to 2.7 times that time, and eight million, of 192 MB, 1.9.
"""
import array
import os
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests",
                                "support"))

import fxtwrite as w  # noqa: E402

N_PARTS, N_ROUNDS, N_NESTED = 4, 5, 4
N_NAMES, N_THREADS = 1000, 200


def context():
    """What all events refer to."""
    records = [w.magic(), *(w.string(1 + i, b"a_name_of_%d" % i) for i in range(N_NAMES)),
               *(w.thread(1 + i, 100 + i % 10, 1000 + i) for i in range(N_THREADS))]
    return b"".join(map(w.to_bytes, records))


def event(i):
    """A begin, with two arguments of one and two words every other time."""
    n_args = i % 2 * 2
    args = [2 | 1 << 4 | 1 + i % 7 << 16 | i % 2**32 << 32, 4 | 2 << 4 | 1 + i % 9 << 16, i]
    words = [4 | (2 + n_args // 2 * 3) << 4 | 2 << 16 | n_args << 20
             | 1 + i * 7 % N_THREADS << 24 | 1 + i % 20 << 32 | 1 + i * 31 % N_NAMES << 48,
             100 * i]
    return words + args if n_args else words


def span(i):
    """The innermost span of a tree comes first, and begins last."""
    tree, place = divmod(i, N_NESTED)
    begin = 2000 * tree + 300 * (N_NESTED - place)
    return [4 | 3 << 4 | 4 << 16 | 1 + tree % N_THREADS << 24 | 1 << 32
            | 1 + i * 31 % N_NAMES << 48, begin, 2000 * tree + 3000 + 300 * place]


def write(name, make, numbers):
    words = array.array("Q", (word for i in numbers for word in make(i)))
    if sys.byteorder == "big":
        words.byteswap()
    with open(name, "wb") as file:
        file.write(context())
        words.tofile(file)


def seconds(command, source=None):
    """Of the fastest of some runs."""
    best = float("inf")
    for _ in range(N_ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(source or os.devnull, "rb") as stdin, open("copy.fxt", "wb") as stdout:
            subprocess.run(command, stdin=stdin, stdout=stdout, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return best


def measure(fxtmerge, fxtcopy, what, make, n_together, n, limit):
    write("all.fxt", make, range(n))
    for part in range(N_PARTS):
        write(f"{part}.fxt", make,
              (i for i in range(n) if i // n_together % N_PARTS == part))
    merged = seconds([fxtmerge, "-o", "merged.fxt"] +
                     [f"{part}.fxt" for part in range(N_PARTS)])
    copied = seconds([fxtcopy], "all.fxt")
    ratio = merged / copied
    print(f"{n} {what} of {N_PARTS} archives: merged in {merged / n * 1e9:.0f} ns each, read "
          f"and written in {copied / n * 1e9:.0f}")
    print(f"ratio {ratio:.2f}, limit {limit}" + (" exceeded" if ratio > limit else ""))
    return ratio > limit


def main():
    fxtmerge, fxtcopy = map(os.path.abspath, sys.argv[1:3])
    n = int(sys.argv[3]) if len(sys.argv) > 3 else 8000000
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        over = measure(fxtmerge, fxtcopy, "events in order", event, 1, n, 1.9)
        over |= measure(fxtmerge, fxtcopy, "spans by their ends", span, N_NESTED, n, 2.1)
        os.chdir("/")
    return int(over)


sys.exit(main())
