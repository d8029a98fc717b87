#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What a sample is worth in time: what the user says, or what a recording says of its own
samples. Argument: the tools' build directory."""
import itertools
import random
import sys

import fxtwrite
from profile_cases import FXT2FOLDED, main, run, write


def recording(period, kind=4, event=0, category=b"fxtrecord", name=b"recording"):
    args = [] if period is None else [fxtwrite.arg(4, b"asked_period_ns", 5),
                                      fxtwrite.arg(kind, b"period_ns", period)]
    return fxtwrite.event(event, 1, (1, 1), category, name, args)


def archive(name, *records, n=0):
    trace = fxtwrite.Trace()
    trace.magic()
    for record in records:
        trace.add(record)
    for i in range(n):
        trace.sample(i, 1, 2, 0x1000 + i % 3)
    return write(name, trace)


def region(name, n):
    trace = fxtwrite.Trace()
    for i in range(n):
        trace.sample(i, 1, 2, 0x1000 + i % 3)
    trace.words(0)
    return write(name, trace)


def total(*arguments, value="time"):
    lines = run(FXT2FOLDED, "-q", "--value", value, *arguments).splitlines()
    return sum(int(line.rsplit(" ", 1)[1]) for line in lines)


def refused(*arguments):
    run(FXT2FOLDED, "-q", "--value", "time", *arguments, status=2)
    assert total(*arguments, value="samples") > 0


def test_each_recording_says_it_of_its_own_samples():
    a = archive("a.fxt", recording(1000), n=10)
    b = archive("b.fxt", recording(7), n=4)
    assert total(a) == 10000 and total(a, b) == total(b, a) == 10028
    assert total(a, "--period", "5ns") == 50
    assert total(a, b, "--period", "5ns") == 70


def test_what_is_no_recording_says_nothing():
    bad = [recording(None), recording(1000, kind=3), recording(1000, event=2),
           recording(1000, category=b"x"), recording(1000, name=b"x"), recording(0),
           recording(1 << 63)]
    for i, record in enumerate(bad):
        refused(archive("%d.fxt" % i, record, n=10))
    refused(archive("none.fxt", n=10))
    refused(archive("a.fxt", recording(10), n=3), archive("none.fxt", n=2),
            archive("b.fxt", recording(11), n=3))


def test_regions_are_of_the_recordings_that_agree():
    names = archive("names.fxt", recording(100))
    more = archive("more.fxt", recording(100), n=3)
    other = archive("other.fxt", recording(101), n=3)
    regions = [region("cpu0.bin", 5), region("cpu1.bin", 6)]
    for files in itertools.permutations([names, more, *regions]):
        for threads in "1", "3":
            assert total("--threads", threads, *files) == 1400, files
    for files in itertools.permutations([names, other, *regions]):
        for threads in "1", "3":
            refused("--threads", threads, *files)
    refused(*regions)


def test_late_recordings_and_mappings():
    """The event may stand behind samples, which are then without; and a process that maps
    something new does not change how much time it took."""
    late = fxtwrite.Trace()
    late.magic()
    late.sample(1, 1, 2, 0x1000)
    late.add(recording(10))
    late.sample(2, 1, 2, 0x1000)
    assert total(write("late.fxt", late)) == 20
    rng = random.Random(6)
    a = fxtwrite.Trace()
    a.magic()
    a.add(recording(13))
    for time, module in (0, b"one"), (50, b"two"):
        a.module(1, 0, module, b"")
        a.mapping(1, 0, 0x1000, 0x1000, 0, 5, time)
    for _ in range(100):
        a.sample(rng.randrange(100), 1, 2, 0x1000 + rng.randrange(4))
    assert total(write("a.fxt", a)) == 1300
    assert total("a.fxt", archive("b.fxt", recording(17), n=10)) == 1470


if __name__ == "__main__":
    main(sys.modules[__name__])
