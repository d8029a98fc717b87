#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Records of symbols (docs/symbol-records.md): functions in no file have their names, in
the process and at the time of each sample. Argument: the tools' build directory."""
import json
import random
import sys
from collections import Counter

import fxtwrite
import pprof_read
from profile_cases import FXT2FOLDED, FXT2PPROF, main, run, write

FXTDUMP = FXT2FOLDED.replace("fxt2folded", "fxtdump")


def start():
    trace = fxtwrite.archive()
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
        recorded = list(entries)
        samples = [(rng.randrange(100), rng.choice((1, 2)), rng.randrange(0x10, 0x60))
                   for _ in range(60)]
        expected = Counter()
        for time, process, pc in samples:
            trace.backtrace(time, process, 9, pc)
            expected[expected_name(entries, process, time, pc) or "%#x" % pc] += 1
        for process, address, size, since, name in recorded:
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


# ---- Lines of files ----


def module_at(trace, start, build_id, name=b"/no/such/app", process=1, vaddr=0x100):
    trace.module(process, 1, name, build_id)
    trace.mapping(process, 1, start, 0x1000, vaddr)


def test_lines_are_those_of_the_file_wherever_it_is_mapped():
    trace = start()
    module_at(trace, 0x5000, b"\xab\xcd")
    module_at(trace, 0x9000, b"\xab\xcd", name=b"/other/name", process=2)
    module_at(trace, 0x5000, b"\xab\xce", process=3)
    trace.backtrace(5, 1, 9, 0x5010, 0x5021)
    trace.backtrace(5, 2, 9, 0x9010)
    trace.backtrace(5, 3, 9, 0x5010)
    trace.lines(b"/no/such/app", b"abcd",
                [(0x110, b"inner", b"a.h", 3, 2), (0x110, b"_Z5outeri", b"a.cc", 30, 20),
                 (0x120, b"main", b"", 0, 0)])
    assert folded(trace, "--lines") == [
        "app+0x110 1", "main;outer(int) (a.cc:30);inner (a.h:3) 1",
        "outer(int) (a.cc:30);inner (a.h:3) 1"], folded(trace, "--lines")
    assert folded(trace, "--inlines", "off") == [
        "app+0x110 1", "main;outer(int) 1", "outer(int) 1"], folded(trace, "--inlines", "off")
    assert folded(trace, "--unsymbolized") == [
        "app+0x110 1", "app+0x121;app+0x110 1", "name+0x110 1"]
    assert "not found" in comments(trace) and "outer" not in comments(trace)


def test_pprof_has_the_lines():
    trace = start()
    module_at(trace, 0x5000, b"\xab")
    trace.backtrace(5, 1, 9, 0x5010)
    trace.lines(b"", b"ab", [(0x110, b"in", b"a.h", 3, 2), (0x110, b"_Z1fv", b"a.cc", 30, 20)])
    write("t.fxt", trace)
    run(FXT2PPROF, "-q", "-o", "t.pb", "--no-gzip", "t.fxt")
    found = pprof_read.read("t.pb")
    functions = {f["id"]: (f["name"], f["system_name"], f["filename"], f["start_line"])
                 for f in found["function"]}
    assert [(functions[line["function_id"]], line["line"])
            for line in found["location"][0]["line"]] == [
                (("in", "in", "a.h", 2), 3), (("f()", "_Z1fv", "a.cc", 20), 30)], found


def test_lines_count_more_than_names_without_a_file():
    trace = start()
    module_at(trace, 0x5000, b"\xab")
    trace.backtrace(5, 1, 9, 0x5010)
    trace.backtrace(5, 1, 9, 0x5011)
    trace.functions(1, [(0x5000, 0x100, 0, b"compiled")])
    trace.lines(b"", b"ab", [(0x110, b"in the file", b"", 0, 0)])
    assert folded(trace) == ["compiled 1", "in the file 1"], folded(trace)


def test_a_name_identifies_a_file_without_build_id_in_its_boot():
    trace = start()
    trace.recording(1000, boot_id=b"one")
    module_at(trace, 0x5000, b"")
    module_at(trace, 0x5000, b"", name=b"/no/other", process=2)
    trace.backtrace(5, 1, 9, 0x5010)
    trace.backtrace(5, 2, 9, 0x5010)
    trace.lines(b"/no/such/app", b"", [(0x110, b"here", b"", 0, 0)])
    trace.recording(1000, boot_id=b"two")
    module_at(trace, 0x5000, b"")
    trace.backtrace(5, 1, 9, 0x5010)
    assert folded(trace) == ["app+0x110 1", "here 1", "other+0x110 1"], folded(trace)


def test_of_lines_of_one_address_the_last_ones_count():
    trace = start()
    module_at(trace, 0x5000, b"\xab")
    trace.backtrace(5, 1, 9, 0x5010)
    trace.lines(b"", b"ab", [(0x110, b"old", b"", 0, 0), (0x120, b"x", b"", 0, 0),
                             (0x110, b"newer", b"", 0, 0), (0x110, b"outer", b"", 0, 0)])
    trace.lines(b"", b"ab", [(0x110, (0, 9), b"", 0, 0)])
    assert folded(trace) == ["outer;newer 1"], folded(trace)


def test_damaged_lines_are_counted():
    trace = start()
    module_at(trace, 0x5000, b"\xab")
    trace.backtrace(5, 1, 9, 0x5010)
    good = (0x110, b"name", b"", 0, 0)
    trace.lines(b"", b"ab", [good], said=2)
    trace.lines(b"", b"ab", [good], said=2 ** 62)
    trace.lines(b"", b"", [good])
    trace.lines(b"", b"ab", [good], version=2)
    trace.lines(b"", b"ab", [(0x110, b"", b"a.c", 1, 1), (0x110, (5, 2 ** 31), b"", 0, 0),
                             (0x110, (2 ** 32 - 1, 1), b"", 0, 0),
                             (0x110, b"x", (2 ** 31, 0), 0, 0)])
    said = comments(trace)
    assert "7 recorded symbols ignored: impossible values" in said, said
    assert "1 list of symbols ignored: of a newer version" in said, said
    assert folded(trace) == ["app+0x110 1"], folded(trace)


def test_a_small_record_of_lines_stays_small():
    """Strings of entries may not overlap so that they are more than the record has; and no
    address has more functions than debugging information may have."""
    trace = start()
    module_at(trace, 0x5000, b"\xab")
    trace.backtrace(5, 1, 9, 0x5010)
    strings = b"n" * 100000
    trace.lines(b"", b"ab", [(i, (i, 100000 - i), (0, 0), 0, 0) for i in range(2000)],
                strings=strings)
    trace.lines(b"", b"ab", [(0x110, b"deep", b"", 0, 0)] * 1000)
    assert "2743 recorded symbols ignored" in comments(trace), comments(trace)
    assert folded(trace) == [";".join(["deep"] * 256) + " 1"], folded(trace)


def test_lines_may_have_more_words():
    trace = fxtwrite.Trace(big_endian=True)
    trace.magic()
    module_at(trace, 0x5000, b"\xab")
    trace.backtrace(5, 1, 9, 0x5010)
    trace.lines(b"", b"ab", [(0x100, b"a", b"", 0, 0), (0x110, b"b", b"f.c", 7, 1)],
                more_words=(1, 2))
    assert folded(trace, "--lines") == ["b (f.c:7) 1"], folded(trace)


# ---- fxtdump ----


def dumped(trace, *options):
    write("t.fxt", trace)
    return [line.split(None, 4)[4] for line in
            run(FXTDUMP, *options, "t.fxt").splitlines() if " backtrace " in line]


def test_fxtdump_names_functions_of_the_kernel():
    trace = start()
    trace.backtrace(5, 1, 9, 0xffffffff80001000)
    trace.functions(0, [(0xffffffff80001000, 0x20, 0, b"do_it"),
                        (0xffffffff80001020, 0x10, 0, b"\x1b[31m")])
    trace.functions(1, [(0x1000, 0x20, 0, b"compiled")])
    trace.backtrace(5, 1, 9, 0xffffffff80001000, 0xffffffff80001020, 0xffffffff80001000,
                    0xffffffff80001021, 0xffffffff80001031, 0x1004)
    trace.functions(0, [(0xffffffff80001000, 0x20, 0, b"later")])
    trace.functions(0, [(0xffffffff80001000, 0x20, 0, b"newer")], version=2)
    trace.functions(0, [(0xffffffff80001000, 0x20, 0, b"damaged")], said=9)
    trace.backtrace(5, 1, 9, 0xffffffff80001004)
    trace.magic()
    trace.backtrace(5, 1, 9, 0xffffffff80001004)
    shown = dumped(trace)
    assert shown == [
        "0xffffffff80001000",
        "0xffffffff80001000 <do_it+0x0> 0xffffffff80001020 <do_it+0x20> 0xffffffff80001000 "
        "0xffffffff80001021 <\\x1b[31m+0x1> 0xffffffff80001031 0x1004",
        "0xffffffff80001004 <later+0x4>", "0xffffffff80001004"], shown
    assert dumped(trace, "--type", "profiler") == shown
    found = [json.loads(line) for line in run(FXTDUMP, "--json", "t.fxt").splitlines()]
    assert [x["pcs"] for x in found if "pcs" in x][2] == ["0xffffffff80001004"]


def test_fxtdump_finds_functions_however_many_come_at_once():
    rng = random.Random(17)
    trace = start()
    names, expected = {}, []
    for i in range(300):
        entries = []
        for j in range(rng.choice((1, 1, 2, 40))):
            at = rng.randrange(200)
            names[at] = "f%d_%d" % (i, j)
            entries.append((0x1000 + 16 * at, 16, 0, names[at].encode()))
        trace.functions(0, entries)
        at = rng.randrange(200)
        trace.backtrace(5, 1, 9, 0x1000 + 16 * at + 3)
        expected.append("0x%x%s" % (0x1003 + 16 * at,
                                    " <%s+0x3>" % names[at] if at in names else ""))
    assert dumped(trace) == expected


def test_fxtdump_shows_the_record():
    trace = start()
    trace.functions(1, [(0x1000, 5, 0, b"a")], b"perf map")
    write("t.fxt", trace)
    shown = run(FXTDUMP, "t.fxt")
    assert "symbols" in shown and "functions" in shown and "perf map" in shown, shown


if __name__ == "__main__":
    main(sys.modules[__name__])
