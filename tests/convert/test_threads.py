#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Regions read on several threads: whatever their number, the same bytes, the same words
on standard error in the same order, and the same exit status."""
import collections
import gzip
import json
import random
import re
import struct
import subprocess
import sys
import threading

import fxtwrite
import pprof_read
from profile_cases import FXT2FOLDED, FXT2PPROF, main, run


def region(seed, n=300, odd=None, big_endian=False):
    """A region's bytes; in its middle what `odd` does to it."""
    pick = random.Random(seed)
    trace = fxtwrite.Trace(big_endian)
    for i in range(n):
        pcs = [pick.randrange(0x1000, 0x1040) for _ in range(pick.randrange(1, 5))]
        write = pick.choice((trace.backtrace, trace.sample))
        write(1000 * seed + i, pick.randrange(3), pick.randrange(5), *pcs)
        if odd and i == n // 2:
            odd(trace)
    return trace.data()


def save(name, data):
    with open(name, "wb") as file:
        file.write(data)
    return name


def outcome(tool, threads, *arguments):
    number = "%02d" % threads
    done = subprocess.run([tool, "--threads", number, *arguments],
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    # The command is in the profile.
    return (done.stdout.replace(b"--threads " + number.encode(), b"--threads NN"),
            done.stderr.decode(), done.returncode)


def the_same(*arguments, status=0, tools=(FXT2FOLDED, FXT2PPROF)):
    for tool in tools:
        more = ("--no-gzip", "--period", "1ms") if tool == FXT2PPROF else ()
        expected = outcome(tool, 1, *more, *arguments)
        assert expected[2] == status, expected[1:]
        assert len(expected[0]) > 0, expected[1:]
        for threads in (2, 3, 64):
            found = outcome(tool, threads, *more, *arguments)
            assert found[1:] == expected[1:], (threads, found[1:], expected[1:])
            assert found[0] == expected[0], (tool, threads, arguments)


def test_regions_in_files_of_their_own():
    the_same(*[save(f"{i}.bin", region(i)) for i in range(9)])


def test_cpus_that_are_merged():
    the_same("--merge-cpus", *[save(f"{i}.bin", region(i % 3)) for i in range(9)],
             tools=(FXT2PPROF,))


def test_the_same_file_again_and_again():
    name = save("a.bin", region(1))
    the_same(*[name] * 40, "--roots=cpu", tools=(FXT2FOLDED,))


def test_most_stacks_are_those_of_other_regions():
    the_same(*[save(f"{i}.bin", region(1) + region(2 + i, n=60)) for i in range(9)])


def test_pieces_of_one_file():
    size = 65536
    pieces = [region(i).ljust(size, b"\0") for i in range(5)]
    name = save("all.bin", b"".join(pieces))
    the_same("--region-size", str(size), name)
    the_same("--region-size", str(size), name, name)
    # A last piece that is short, and is reported as such.
    name = save("short.bin", b"".join(pieces)[:-8])
    the_same("--region-size", str(size), name, name)
    # Pieces that cut records.
    the_same("--region-size", "4096", name, status=1)


def test_damage_is_reported_in_the_order_of_the_inputs():
    names = []
    for i in range(8):
        odd = [None, lambda trace: trace.words(0xff0002003a, 1, 2),
               lambda trace: trace.words(1), lambda trace: trace.words(0xfff << 4 | 10)][i % 4]
        names.append(save(f"{i}.bin", region(i, odd=odd)))
    the_same(*names, status=1)
    the_same("-v", *names, status=1)
    the_same("--resync", *names, status=1)
    the_same(*names, "missing.bin", *names, status=2)


def test_what_is_more_than_samples():
    def name_them(trace):
        trace.process(1, b"one")
        trace.module(1, 1, b"app", b"\xaa")
        trace.mapping(1, 1, 0x1000, 0x1000, 0)

    the_same(*[save(f"{i}.bin", region(i, odd=name_them if i % 2 else None))
               for i in range(6)])


def test_drops():
    def drop(trace):
        trace.drops(3, 17, 9248, 1000, 2000)

    names = [save(f"{i}.bin", region(i, odd=drop)) for i in range(4)]
    the_same(*names)
    the_same("-v", *names)
    the_same("--cpus", "1,3", *names)


def test_drops_before_what_is_more_than_samples():
    """The drops name strings of the kernel's, which are not reported; the string that is
    not known after them is another matter."""
    def odd(trace):
        trace.drops(3, 17, 9248, 1000, 2000)
        trace.backtrace(5, 1, 2, 0x1001)
        trace.process(1, b"one")
        trace.process(1, 44)

    names = [save(f"{i}.bin", region(i, odd=odd)) for i in range(4)]
    the_same(*names)
    the_same("-v", *names)


def test_what_is_reported_about_cpus_and_times():
    names = [save(f"cpu{i + 3}.bin", region(i)) for i in range(4)]
    the_same("--roots=cpu", *names, tools=(FXT2FOLDED,))
    the_same("--roots=cpu", "--cpu", "9", *names, "--cpu", "2", *names, tools=(FXT2FOLDED,))
    the_same("--cpus", "4,6", *names)
    the_same("--time", "1000ns-2100ns", *names)
    joined = save("joined.bin", b"".join(region(i).ljust(65536, b"\0") for i in range(4)))
    the_same("--region-size", "65536", "--roots=cpu", "--cpu", "7", joined, joined,
             tools=(FXT2FOLDED,))


def test_what_needs_the_order_of_the_input():
    def event(trace):
        trace.begin(7, 1, 2, b"span")
        trace.end(9, 1, 2)

    names = [save(f"{i}.bin", region(i, odd=event)) for i in range(4)]
    the_same("--spans", *names, tools=(FXT2FOLDED,))
    the_same("--no-merge", *names, tools=(FXT2FOLDED,))
    for form in ("speedscope", "json", "markup", "svg"):
        the_same("--format", form, *names, tools=(FXT2FOLDED,))
    the_same("--timestamps", *names, tools=(FXT2PPROF,))


def test_other_inputs_between_regions():
    trace = fxtwrite.archive()
    trace.process(1, b"archive")
    trace.backtrace(5, 1, 2, 0x1001, 0x1002)
    archive = save("a.fxt", trace.data())
    zipped = save("z.bin.gz", gzip.compress(region(3)))
    one, two = save("1.bin", region(1)), save("2.bin", region(2))
    empty = save("e.bin", b"")
    the_same(one, archive, two, zipped, empty, archive, one)
    the_same("--region", one, zipped, two)
    the_same("--archive", archive, archive)
    the_same("--region-size", "4096", zipped, one, status=1)
    the_same(one, "-", two, "/dev/null", one)


def piecewise(tool, data, sizes, *arguments):
    """The result of input that arrives in pieces of some sizes."""
    process = subprocess.Popen([tool, "-q", *arguments], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)
    feeder = threading.Thread(target=feed, args=(process.stdin, data, sizes))
    feeder.start()
    output = process.stdout.read()
    feeder.join()
    assert process.wait() == 0
    return output


def feed(pipe, data, sizes):
    at = 0
    while at < len(data):
        size = next(sizes)
        pipe.write(data[at:at + size])
        pipe.flush()
        at += size
    pipe.close()


def forever(pick, most):
    while True:
        yield pick.randrange(1, most)


def test_any_pieces_of_a_pipe():
    trace = fxtwrite.archive()
    trace.process(1, b"one")
    data = trace.data() + region(4)
    for tool in FXT2FOLDED, FXT2PPROF:
        outputs = {piecewise(tool, data, forever(random.Random(seed), most))
                   for seed, most in ((1, 2), (2, 20), (3, 5000), (4, 1 << 20))}
        assert len(outputs) == 1


# ---- Pieces of one large region ----

# A piece has 8 MiB or more.
PIECE = 8 << 20
ODD = (lambda trace: trace.process(1, b"one"), lambda trace: trace.words(1),
       lambda trace: trace.words(0xfff << 4 | 10),
       lambda trace: trace.drops(3, 17, 9248, 1000, 2000))


def much(seed, size=PIECE):
    data = region(seed)
    return data * (size // len(data) + 1)


def test_a_large_region():
    """In two or three pieces."""
    name = save("large.bin", much(1, 3 * PIECE))
    the_same(name)
    the_same("--region-size", str(4 * PIECE), name)


def test_a_large_region_with_something_else():
    """Before the middle or after it: what threads have read of the rest is read again."""
    for number, odd in enumerate(ODD * 2):
        before = PIECE * (number % 3) + 100000
        name = save("odd.bin", much(1, before) + region(2, odd=odd) +
                    much(3, 3 * PIECE - before))
        assert outcome(FXT2FOLDED, 3, name) == outcome(FXT2FOLDED, 1, name), number


def test_a_large_region_that_ends_early():
    """What is after the zero word that ends it is not read, though it looks like samples; also
    where a piece would begin there, or after nothing but zeros."""
    for before, n_zeros in (1000, 8), (PIECE, 8), (PIECE, 1 << 19), (PIECE + PIECE // 2, 8):
        name = save("ends.bin", much(1, before) + bytes(n_zeros) + much(2, 2 * PIECE - before))
        the_same(name, status=outcome(FXT2FOLDED, 1, name)[2], tools=(FXT2FOLDED,))


def test_a_large_region_with_what_looks_like_samples_in_a_sample():
    """In its middle, where the next piece would begin."""
    fake = region(4, 4000)
    trace = fxtwrite.Trace()
    trace.sample(1, 1, 1, *struct.unpack(f"<{len(fake) // 8}Q", fake))
    inside = trace.data()
    assert len(inside) > len(fake)
    half = much(1, PIECE)
    name = save("fake.bin", half + inside * 3 + half)
    the_same(name, status=outcome(FXT2FOLDED, 1, name)[2])


def test_any_order_of_the_samples():
    """And of the files, where the CPU of each is given."""
    def sample(trace, i):
        trace.backtrace(i // 3, i % 3, i % 5, *range(0x1000 + i % 11, 0x1000 + i % 11 + i % 4 + 1))

    outputs = collections.defaultdict(set)
    for seed in range(6):
        pick = random.Random(seed)
        files = []
        for cpu in pick.sample(range(4), 4):
            trace = fxtwrite.Trace()
            for i in pick.sample(range(cpu, 1200, 4), 300):
                sample(trace, i)
            files += ["--cpu", str(cpu), save(f"r{cpu}.bin", trace.data())]
        for threads in "1", "2", "4":
            for form in "folded", "svg", "json", "speedscope", "markup":
                output = subprocess.run([FXT2FOLDED, "-q", "--threads", threads, "--format", form,
                                         *files], check=True, capture_output=True).stdout
                outputs[form].add(re.sub(b"<desc>.*?</desc>", b"", output, flags=re.S))
            run(FXT2PPROF, "-q", "-o", "p.pb.gz", "--threads", threads, *files)
            profile = pprof_read.read("p.pb.gz")
            # The command is in it.
            profile["comment"] = profile["string_table"] = None
            outputs["pprof"].add(json.dumps(profile))
    assert {form: len(of) for form, of in outputs.items()} == dict.fromkeys(outputs, 1)


def test_ticks_and_byte_order():
    names = [save(f"{i}.bin", region(i, big_endian=True)) for i in range(4)]
    the_same("--byte-order", "big", "--ticks-per-second", "1000", *names)


if __name__ == "__main__":
    main(sys.modules[__name__])
