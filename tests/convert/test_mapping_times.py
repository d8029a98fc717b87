#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Addresses that were used again: each sample is in what was mapped at its time, wherever
in the archive the mappings come. Argument: the tools' build directory."""
import random
import re
import sys
from collections import Counter

import fxtwrite
from profile_cases import FXT2FOLDED, FXT2PPROF, main, run, write


def mapped(mappings, process, time, address):
    """(name, address in the module) of what a process had at an address."""
    found = None
    for which in mappings:
        when, owner, start, length, _, _ = which
        if owner != process or not start <= address < start + length:
            continue
        if found is None:
            found = which
        elif when <= max(time, found[0]) and when >= found[0]:
            found = which
        elif when < found[0] and found[0] > time:
            found = which
    return found


def name(mappings, process, time, pc, is_leaf):
    """An address is a caller's where what is called returns to."""
    places = [mapped(mappings, process, time, at) for at in (pc, pc - 1)]
    place = places[0] if is_leaf or places[0] != places[1] and places[0] else places[1]
    if place is None:
        return "0x%x" % pc
    return "%s+0x%x" % (place[5], pc - place[2] + place[4])


def put_mapping(trace, rng, which, known):
    """Modules are announced before their mappings, by numbers that come again."""
    when, process, start, length, vaddr, module = which
    number = rng.randrange(3)
    if known.get((process, number)) != module:
        trace.module(process, number, module.encode(), module.encode())
        known[process, number] = module
    trace.mapping(process, number, start, length, vaddr, 5, when)


def random_mappings(rng):
    found = []
    for i in range(rng.randrange(1, 12)):
        start = rng.randrange(0x10, 0x40)
        found.append((rng.randrange(100), rng.choice((1, 2)), start,
                      rng.randrange(1, 0x30), 0x1000 + 0x100 * i, "m%d" % (i % 5)))
    return found


def test_random_mappings():
    for seed in range(120):
        rng = random.Random(seed)
        mappings = random_mappings(rng)
        samples = [(rng.randrange(100), rng.choice((1, 2)),
                    [rng.randrange(0x10, 0x70) for _ in range(rng.randrange(1, 3))])
                   for _ in range(40)]
        records = [(rng.random(), i) for i in range(len(samples))]
        if seed % 3 == 0:
            records += [(2, -1 - i) for i in range(len(mappings))]
        else:
            records += [(rng.random(), -1 - i) for i in range(len(mappings))]
        trace = fxtwrite.archive()
        recorded, known = [], {}
        for _, i in sorted(records, key=lambda r: r[0]):
            if i >= 0:
                time, process, pcs = samples[i]
                trace.backtrace(time, process, 9, *pcs)
            else:
                put_mapping(trace, rng, mappings[-1 - i], known)
                recorded.append(mappings[-1 - i])
        # What is mapped at the same time counts in the order of the input.
        expected = Counter()
        for time, process, pcs in samples:
            names = [name(recorded, process, time, pc, i == 0) for i, pc in enumerate(pcs)]
            expected[";".join(["process[%d]" % process] + names[::-1])] += 1
        write("t.fxt", trace)
        out = run(FXT2FOLDED, "-q", "t.fxt").splitlines()
        assert out == sorted("%s %d" % item for item in expected.items()), (
            seed, out, expected, recorded)


def test_the_same_stack_before_and_after():
    for follows in (False, True):
        trace = fxtwrite.archive()
        if follows:
            trace.backtrace(15, 0, 9, 0x1010)
            trace.backtrace(30, 1, 9, 0x1010)
        trace.module(1, 1, b"old", b"\x01")
        trace.mapping(1, 1, 0x1000, 0x1000, 0, 5, 10)
        if not follows:
            trace.backtrace(15, 0, 9, 0x1010)
        trace.module(1, 1, b"new", b"\x02")
        trace.mapping(1, 1, 0x1000, 0x1000, 0x500, 5, 20)
        if not follows:
            trace.backtrace(30, 1, 9, 0x1010)
        # The process of a thread may come last of all.
        trace.thread(9, b"main", 1)
        write("t.fxt", trace)
        out = run(FXT2FOLDED, "-q", "--roots", "none", "t.fxt")
        assert out == "new+0x510 1\nold+0x10 1\n", out
        profile = run(FXT2PPROF, "-q", "--no-gzip", "t.fxt", text=False)
        assert all(word in profile for word in (b"old", b"new", b"\x0201", b"\x0202"))


def test_what_is_recorded_again_is_still_one_sample():
    trace = fxtwrite.archive()
    trace.module(1, 1, b"a", b"")
    trace.module(1, 2, b"b", b"")
    for time in range(10):
        trace.mapping(1, 1, 0x1000, 0x1000, 0, 5, 10 * time)
        trace.backtrace(10 * time, 1, 9, 0x1010)
    trace.mapping(1, 2, 0x1800, 0x1000, 0, 5, 55)
    write("t.fxt", trace)
    out = run("sh", "-c", '"$0" --roots none t.fxt 2>&1', FXT2FOLDED)
    assert "10 samples, merged into 1 stack;" in out and "a+0x10 10\n" in out, out


def markup_contexts():
    """Of each context its mappings, (start, limit, address in the module, module), and its
    frames, (thread, address, whether it is the leaf)."""
    contexts = []
    for line in run(FXT2FOLDED, "-q", "--format", "markup", "t.fxt").splitlines():
        fields = line.strip("{}").split(":")
        if fields[0] == "reset":
            contexts.append(([], []))
            modules = {}
        elif fields[0] == "module":
            assert fields[1] not in modules, line
            modules[fields[1]] = fields[2]
        elif fields[0] == "mmap":
            start, size, vaddr = (int(fields[i], 16) for i in (1, 2, 6))
            contexts[-1][0].append((start, start + size, vaddr, modules[fields[4]]))
        elif fields[0] == "bt":
            contexts[-1][1].append((thread, int(fields[2], 16), fields[3] == "pc"))
        else:
            thread = int(re.search(r"thread\[(\d+)\]", line)[1])
    return contexts


def test_mappings_in_markup_do_not_overlap():
    """Where one was mapped over a part of another, the rest of that is what counts."""
    trace = fxtwrite.archive()
    for time, start, size, module in (10, 0x1000, 0x3000, "old"), (20, 0x2000, 0x1000, "new"):
        put_mapping(trace, random.Random(0), (time, 1, start, size, 0x100, module), {})
    trace.backtrace(30, 1, 9, 0x1010, 0x2011, 0x3011)
    write("t.fxt", trace)
    (mappings, _), = markup_contexts()
    assert mappings == [(0x1000, 0x2000, 0x100, "old"), (0x2000, 0x3000, 0x100, "new"),
                        (0x3000, 0x4000, 0x2100, "old")], mappings


def test_random_mappings_in_markup():
    for seed in range(60):
        rng = random.Random(seed)
        mappings = sorted(random_mappings(rng))
        trace, known, samples = fxtwrite.archive(), {}, []
        for which in mappings:
            put_mapping(trace, rng, which, known)
        for i in range(40):
            samples.append((rng.randrange(100), rng.choice((1, 2))))
            trace.backtrace(*samples[i], 100 + i, *rng.choices(range(0x10, 0x70), k=5))
        write("t.fxt", trace)
        n = 0
        for shown, frames in markup_contexts():
            shown.sort()
            assert all(a[1] <= b[0] for a, b in zip(shown, shown[1:])), (seed, shown)
            for thread, pc, is_leaf in frames:
                time, process = samples[thread - 100]
                n += 1
                at = pc if is_leaf else pc - 1
                place = mapped(mappings, process, time, at)
                if not is_leaf and mapped(mappings, process, time, pc) != place:
                    continue
                found = [(name, at - start + vaddr) for start, limit, vaddr, name in shown
                         if start <= at < limit]
                expected = [(place[5], at - place[2] + place[4])] if place else []
                assert found == expected, (seed, thread, hex(at), found, expected)
        assert n == 200, (seed, n)


def outputs():
    return [run(FXT2PPROF, "-q", "--no-gzip", "t.fxt", text=False)] + [
        run(FXT2FOLDED, "-q", "--format", "markup", *options, "t.fxt")
        for options in ((), ("--fold-recursion",))]


def test_samples_may_be_recorded_in_any_order():
    """A stack becomes several where something else was mapped at its addresses, and may
    become one again."""
    for seed in range(20):
        rng = random.Random(seed)
        mappings = random_mappings(rng)
        samples = [(rng.randrange(100), [rng.randrange(0x10, 0x18)]) for _ in range(40)]
        expected = None
        for _ in range(3):
            trace, known = fxtwrite.archive(), {}
            for which in mappings:
                put_mapping(trace, random.Random(seed), which, known)
            for time, pcs in samples:
                trace.backtrace(time, 1, 9, *pcs)
            write("t.fxt", trace)
            found = outputs()
            assert expected in (None, found), seed
            expected = found
            rng.shuffle(samples)


def test_all_stacks_are_examined_for_what_to_report_about_them():
    trace = fxtwrite.archive()
    trace.module(1, 1, b"a", b"")
    for time in (0, 50):
        trace.mapping(1, 1, 0x1000, 0x10000, 0x500 * time, 5, time)
        for pc in range(0x1000, 0x1000 + 10 * 0x100, 0x100):
            trace.sample(time, 1, 9, pc, pc + 0x40, pc + 0x44, pc + 0x80)
    write("t.fxt", trace)
    said = run("sh", "-c", '"$0" -o /dev/null t.fxt 2>&1', FXT2FOLDED)
    assert "see --sampler zircon-arm64" in said, said


if __name__ == "__main__":
    main(sys.modules[__name__])
