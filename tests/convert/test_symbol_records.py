#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Records of symbols (docs/symbol-records.md): functions in no file have their names, in
the process and at the time of each sample. Argument: the tools' build directory."""
import random
import sys
from collections import Counter

import fxtwrite
import pprof_read
from profile_cases import FXT2FOLDED, FXT2PPROF, main, run, write

FXTDUMP = FXT2FOLDED.replace("fxt2folded", "fxtdump")


def start():
    trace = fxtwrite.Trace()
    trace.magic()
    return trace


def folded(trace, *options):
    write("t.fxt", trace)
    return run(FXT2FOLDED, "-q", "--roots", "none", *options, "t.fxt").splitlines()


def comments(trace):
    write("t.fxt", trace)
    return run("sh", "-c", '"$0" -o /dev/null t.fxt 2>&1', FXT2FOLDED)


def test_leaves_and_callers_have_names():
    trace = start()
    trace.backtrace(5, 1, 9, 0x1000, 0x1010, 0x2000)
    trace.backtrace(5, 1, 9, 0x101f, 0x2001)
    trace.backtrace(5, 1, 9, 0x0fff)
    trace.backtrace(5, 1, 9, 0x1020)
    trace.functions(1, [(0x1000, 0x20, 0, b"JS:~two words /path/x.js:1:2"),
                        (0x1fff, 1, 0, b"ends with a call")])
    assert folded(trace) == [
        "0x1020 1", "0x2001;JS:~two words /path/x.js:1:2 1", "0xfff 1",
        "ends with a call;JS:~two words /path/x.js:1:2;JS:~two words /path/x.js:1:2 1",
    ], folded(trace)


def test_names_are_those_of_the_process():
    trace = start()
    for process in 1, 2, 3:
        trace.backtrace(5, process, 9, 0x1000, 0x5001)
    trace.functions(1, [(0x1000, 1, 0, b"one")])
    trace.functions(2, [(0x1000, 1, 0, b"two")])
    trace.functions(0, [(0x5000, 1, 0, b"everywhere"), (0x1000, 1, 0, b"hidden")])
    assert folded(trace) == ["everywhere;hidden 1", "everywhere;one 1",
                             "everywhere;two 1"], folded(trace)


def test_a_file_with_symbols_counts_first_and_one_without_does_not():
    trace = start()
    trace.backtrace(5, 1, 9, 0x1000)
    trace.backtrace(5, 1, 9, 0x1800)
    trace.module(1, 1, b"memfd", b"")
    trace.mapping(1, 1, 0x1000, 0x1000, 0)
    trace.functions(1, [(0x1000, 1, 0, b"compiled")])
    assert folded(trace) == ["compiled 1", "memfd+0x800 1"], folded(trace)


def test_moved_code_has_the_name_of_its_time():
    """Ticks are those of the provider; the records may follow the samples."""
    trace = start()
    trace.init(1000)
    for time in 5, 10, 15, 20, 25:
        trace.backtrace(time, 1, 9, 0x1008, 0x2009)
    trace.functions(1, [(0x1000, 0x10, 10, b"first"), (0x1000, 0x10, 20, b"second"),
                        (0x2000, 0x10, 15, b"moved")])
    assert folded(trace) == ["moved;first 3", "moved;second 2"], folded(trace)


def test_of_entries_of_one_time_the_last_counts():
    trace = start()
    trace.backtrace(5, 1, 9, 0x1004)
    trace.backtrace(5, 1, 9, 0x1008)
    trace.backtrace(5, 1, 9, 0x100c)
    trace.functions(1, [(0x1000, 0x10, 0, b"old")])
    trace.functions(1, [(0x1008, 4, 0, b"new")])
    assert folded(trace) == ["new 1", "old 2"], folded(trace)


def expected_name(entries, process, time, pc):
    """Of what has been at the address the last until then; before all, the first."""
    there = sorted((entry[3], i, entry[4]) for i, entry in enumerate(entries)
                   if entry[0] == process and entry[1] <= pc < entry[1] + entry[2])
    if not there:
        return None
    first = there[0][0]
    return [name for since, _, name in there if since <= max(time, first)][-1].decode()


def test_random_functions():
    for seed in range(150):
        rng = random.Random(seed)
        trace = start()
        entries = []
        for i in range(rng.randrange(1, 12)):
            entries.append((rng.choice((1, 2)), rng.randrange(0x10, 0x40),
                            rng.randrange(1, 0x20), rng.randrange(100), b"f%d" % (i % 7)))
        told = list(entries)
        samples = [(rng.randrange(100), rng.choice((1, 2)), rng.randrange(0x10, 0x60))
                   for _ in range(60)]
        expected = Counter()
        for time, process, pc in samples:
            trace.backtrace(time, process, 9, pc)
            expected[expected_name(entries, process, time, pc) or "%#x" % pc] += 1
        for process, address, size, since, name in told:
            trace.functions(process, [(address, size, since, name)])
        found = folded(trace)
        assert found == sorted("%s %d" % item for item in expected.items()), (seed, found)


def test_pprof_has_a_mapping_of_the_source():
    trace = start()
    trace.module(1, 1, b"/bin/app", b"\x01")
    trace.mapping(1, 1, 0x5000, 0x1000, 0)
    trace.backtrace(5, 1, 9, 0x1008, 0x5009, 0x9001)
    trace.functions(1, [(0x1000, 0x10, 0, b"below"), (0x2000, 0x10, 0, b"below"),
                        (0x5800, 0x10, 0, b"in the file"), (0x9000, 0x10, 0, b"above")],
                    b"/tmp/perf-1.map")
    trace.functions(2, [(0x3000, 0x10, 0, b"another process's")])
    write("t.fxt", trace)
    run(FXT2PPROF, "-q", "-o", "t.pb", "--no-gzip", "t.fxt")
    found = sorted((m["memory_start"], m["memory_limit"], m["filename"])
                   for m in pprof_read.read("t.pb")["mapping"])
    assert found == [(0x1000, 0x2010, "/tmp/perf-1.map"), (0x5000, 0x6000, "/bin/app"),
                     (0x9000, 0x9010, "/tmp/perf-1.map")], found


def test_damage_is_counted():
    trace = start()
    trace.backtrace(5, 1, 9, 0x1000)
    trace.functions(1, [(0x1000, 0, 0, b"empty"), (0x1000, 5, 0, b"")])
    trace.functions(1, [(0x1000, 5, 0, b"short")], said=2)
    trace.functions(1, [(0x1000, 5, 0, b"long")], said=2 ** 62)
    trace.functions(1, [(0x1000, 5, 0, b"new")], version=2)
    trace.functions(1, [], unread=7)
    said = comments(trace)
    assert "4 recorded symbols ignored: impossible values" in said, said
    assert "1 list of symbols ignored: of a newer version" in said, said
    assert "7 JIT symbols ignored by the recorder: malformed" in said, said
    assert folded(trace) == ["0x1000 1"], folded(trace)


def test_entries_may_have_more_words():
    trace = start()
    trace.backtrace(5, 1, 9, 0x1000)
    trace.backtrace(5, 1, 9, 0x2000)
    trace.functions(1, [(0x1000, 5, 0, b"a"), (0x2000, 5, 0, b"b")], more_words=(1, 2))
    assert folded(trace) == ["a 1", "b 1"], folded(trace)


def test_names_of_either_byte_order():
    trace = fxtwrite.Trace(big_endian=True)
    trace.magic()
    trace.backtrace(5, 1, 9, 0x1000)
    trace.functions(1, [(0x1000, 5, 0, b"name")])
    assert folded(trace) == ["name 1"], folded(trace)


def test_fxtdump_shows_the_record():
    trace = start()
    trace.functions(1, [(0x1000, 5, 0, b"a")], b"perf map")
    write("t.fxt", trace)
    shown = run(FXTDUMP, "t.fxt")
    assert "symbols" in shown and "functions" in shown and "perf map" in shown, shown


if __name__ == "__main__":
    main(sys.modules[__name__])
