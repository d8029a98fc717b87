#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtdump and the reference reader must say the same of any input.

    test_differential.py FXTDUMP [--rounds N] [--seed N] [--seconds N]

Each round makes a batch of random archives, damages half of them, and hands them to
fxtdump in every way in which inputs come: several files, one file, gzip, a pipe, regions
in one file; with one set of options or another. When they disagree the inputs are left in
a folder whose name is printed.
"""
import argparse
import gzip
import os
import random
import subprocess
import sys
import tempfile
import time

import fxtrandom
import fxtref
from jsonlines import differences, parse, same

BATCH = 20


class Failure(Exception):
    pass


def lines_of(text):
    """As splitlines, but only at newlines: JSON may hold other separators."""
    return text.split("\n")[:-1]


class Round:
    def __init__(self, fxtdump, seed, folder):
        self.fxtdump = fxtdump
        self.rng = random.Random(seed)
        self.seed = seed
        self.folder = folder
        self.big_endian = self.rng.randrange(3) == 0
        self.n_runs = 0
        self.n_objects = 0

    def write(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def call(self, args, stdin=b"", in_pieces=False):
        self.n_runs += 1
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            command = [self.fxtdump, "--json", "-q", *args]
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=err)
            self.feed(process.stdin, stdin, in_pieces)
            status = process.wait(60)
            out.seek(0)
            err.seek(0)
            if err.read(1):
                raise Failure("%s: with -q something on standard error" % args)
            return status, lines_of(out.read().decode("utf-8"))

    def feed(self, pipe, data, in_pieces):
        """Writes at once or in small pieces, of which fxtdump gets some one by one."""
        at = 0
        try:
            with pipe:
                while at < len(data):
                    size = self.rng.randrange(1, 500) if in_pieces else len(data)
                    pipe.write(data[at : at + size])
                    pipe.flush()
                    at += size
        except BrokenPipeError:
            # It died; its exit status says more.
            pass

    def options(self):
        """Options for fxtdump, and the same for the reference."""
        words, given = [], {}
        if self.rng.randrange(3) == 0:
            given["payload"] = True
            words.append("--payload")
        if self.rng.randrange(4) == 0:
            given["kind"] = self.rng.choice(("region", "archive"))
            words.append("--" + given["kind"])
        if self.rng.randrange(4) == 0:
            given["byte_order"] = self.rng.choice(("little", "big", "big"))
            words += ["--byte-order", given["byte_order"]]
        if self.rng.randrange(4) == 0:
            given["rate"] = self.rng.choice((1, 24000000, 2**64 - 1))
            words += ["--ticks-per-second", str(given["rate"])]
        return words, given

    def judge(self, inputs, args, stdin=b"", in_pieces=False, **given):
        """Runs fxtdump on what the reference reads as `inputs`."""
        words, options = self.options()
        strict = self.rng.randrange(2) == 0
        expected = fxtref.read_inputs(inputs, fxtref.Options(**options, **given))
        words += ["--strict"] * strict
        status, lines = self.call(words + args, stdin, in_pieces)
        self.n_objects += len(lines)
        found = differences(expected.objects, lines)
        if status != expected.status(strict):
            found.append("exit status %d and not %d" % (status, expected.status(strict)))
        if found:
            for i, data in enumerate(inputs):
                self.write("failed%d.fxt" % i, data)
            raise Failure("%s %s:\n%s" % (words, args, "\n".join(found[:5])))

    def archives(self, damaged):
        generator = fxtrandom.Generator(self.rng.getrandbits(32), self.big_endian)
        made = [generator.archive(self.rng.randrange(40)) for _ in range(BATCH)]
        if damaged:
            made = [fxtrandom.damaged(data, self.big_endian, self.rng) for data in made]
        # Without a magic number in front they are regions.
        return [data[8:] if self.rng.randrange(4) == 0 else data for data in made]

    # ---- ways in which inputs come ----

    def several_files(self, archives):
        paths = [
            self.write("%d.fxt" % i, gzip.compress(data, 1) if i % 4 == 3 else data)
            for i, data in enumerate(archives)
        ]
        self.judge(archives, paths)

    def one_by_one(self, archives):
        for data in archives[:4]:
            self.judge([data], [self.write("one.fxt", data)])

    def gzipped(self, archives):
        data = archives[0]
        half = self.rng.randrange(len(data) + 1)
        members = gzip.compress(data[:half]) + gzip.compress(data[half:]) + bytes(512)
        self.judge([data], [self.write("one.fxt.gz", members)])
        self.judge([data], ["-"], members)

    def piped(self, archives):
        self.judge([archives[0]], [], archives[0])
        self.judge([archives[1]], ["-"], archives[1])
        self.judge([archives[2]], [], archives[2], in_pieces=True)
        self.judge([archives[3]], [], gzip.compress(archives[3]), in_pieces=True)

    def regions(self, archives):
        size = max(len(data) for data in archives) // 8 * 8 + 8
        if self.rng.randrange(3) == 0:
            size = self.rng.randrange(8, size)
        joined = b"".join(data + bytes(max(0, size - len(data))) for data in archives)
        joined = joined[: len(joined) - self.rng.choice((0, 8, 3))]
        args = ["--region-size", str(size)]
        self.judge([joined], args + [self.write("regions.bin", joined)], region_size=size)
        self.judge([joined], args, joined, region_size=size)
        self.judge([joined], args, gzip.compress(joined, 1), region_size=size)
        self.judge([joined], args, joined, in_pieces=True, region_size=size)
        # A size that makes one region of it is as good as none.
        self.judge([joined], ["--region-size", str(len(joined))], joined)

    def ways(self):
        return (self.several_files, self.one_by_one, self.gzipped, self.piped, self.regions)

    # ---- resync, whose places the reference cannot find ----

    def resync_is_right(self, data):
        """Every byte is in one object, or a zero between them; and where fxtdump found a
        record the reference reads the same one."""
        order = "big" if self.big_endian else "little"
        path = self.write("resync.fxt", data)
        args = ["--archive", "--byte-order", order, "--resync", path]
        _, lines = self.call(args)
        reference = fxtref.Stream(data, fxtref.Options(kind="archive", byte_order=order))
        reference.recognise()
        at = 0
        for line in lines:
            found = parse(line)
            if found["offset"] < at or any(data[at : found["offset"]]):
                raise Failure("%s: bytes twice or never before %s" % (args, line))
            at = found["offset"] + found["size"]
            if found["type"] == "error":
                reference.step_over(found["offset"], found["size"], found["code"])
            elif not same(reference.step_to(found["offset"], found["size"]), line):
                raise Failure("%s: no such record: %s" % (args, line))
        if any(data[at:]):
            raise Failure("%s: bytes are lost at the end" % args)

    def go(self):
        self.rng.choice(self.ways())(self.archives(damaged=False))
        broken = self.archives(damaged=True)
        self.rng.choice(self.ways())(broken)
        for data in broken[:2]:
            self.resync_is_right(data)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fxtdump")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()

    end = time.monotonic() + options.seconds
    n_rounds = n_runs = n_objects = 0
    while n_rounds < options.rounds and time.monotonic() < end:
        folder = tempfile.mkdtemp(prefix="fxtdump-differential-")
        one = Round(options.fxtdump, "%d/%d" % (options.seed, n_rounds), folder)
        try:
            one.go()
        except (Failure, subprocess.TimeoutExpired) as failure:
            print("round %d of seed %d, in %s:" % (n_rounds, options.seed, folder))
            print(failure)
            return 1
        for name in os.listdir(folder):
            os.remove(os.path.join(folder, name))
        os.rmdir(folder)
        n_rounds += 1
        n_runs += one.n_runs
        n_objects += one.n_objects
    print("%d rounds, %d runs, %d objects alike" % (n_rounds, n_runs, n_objects))
    return 0


if __name__ == "__main__":
    sys.exit(main())
