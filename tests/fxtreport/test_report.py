#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtreport's numbers are those of fxt2folded's stacks and of fxt2pprof's profile, for the
whole input and for each thread; its parts agree with each other; and its lines fit.

test_report.py TOOLS_DIR [FXTRECORD WORKLOAD]"""
import collections
import json
import os
import random
import re
import sys
import unicodedata

import fxtrandom
import fxtwrite
import pprof_read
import told_apart
from profile_cases import (FXT2FOLDED, FXT2PPROF, FXTDUMP, FXTREPORT, busy_trace, main, run,
                           symbols, write)

RECORDER = [os.path.abspath(program) for program in sys.argv[2:4]]

Sums = collections.namedtuple("Sums", "self total all")


def report(*arguments, status=0):
    return json.loads(run(FXTREPORT, "-q", "--json", *arguments, status=status))


# ---- What is expected -------------------------------------------------------------------


def add_up(stacks):
    """Of (frames, value), leaf first: self and total of each frame, and the sum."""
    sums = Sums(collections.Counter(), collections.Counter(), [0])
    for frames, value in stacks:
        sums.all[0] += value
        sums.self[frames[0]] += value
        for frame in set(frames):
            sums.total[frame] += value
    return sums


def folded_name(name):
    """Code without a symbol is one function; which module's is compared with pprof."""
    return None if re.fullmatch(r"(.*\+)?0x[0-9a-f]+", name) else name


def from_folded(*arguments, value):
    """By thread (None for all): the sums by name."""
    text = run(FXT2FOLDED, "-q", "--roots", "thread", "--value", value, *arguments)
    threads = collections.defaultdict(list)
    for (thread, *stack), count in pprof_read.read_folded(text).items():
        frames = [folded_name(name) for name in stack[::-1]]
        threads[int(re.search(r"\[(\d+)\]$", thread)[1])].append((frames, count))
        threads[None].append((frames, count))
    return {thread: add_up(stacks) for thread, stacks in threads.items()}


def from_pprof(*arguments, value):
    """The same by name and module."""
    run(FXT2PPROF, "-q", "-o", "p.pb.gz", *arguments)
    profile = pprof_read.read("p.pb.gz")
    types = [kind["type"] for kind in profile["sample_type"]]
    index = 0 if value in ("samples", "spans", "waits") or len(types) < 2 else 1
    functions = {f["id"]: f["name"] for f in profile["function"]}
    files = {m["id"]: m["filename"] for m in profile["mapping"]}
    locations = {}
    for loc in profile["location"]:
        file = files.get(loc["mapping_id"], "")
        names = [functions[line["function_id"]] for line in loc["line"]]
        locations[loc["id"]] = [(folded_name(name), file) for name in names]
    stacks = [([f for ident in s["location_id"] for f in locations[ident]],
               s["value"][index]) for s in profile["sample"]]
    return add_up(stacks)


# ---- Comparisons ------------------------------------------------------------------------


def sums_of(document, key):
    sums = Sums(collections.Counter(), collections.Counter(), [document["total"]])
    for row in document["functions"]:
        sums.self[key(row)] += row["self"]
        sums.total[key(row)] += row["total"]
    return sums


def check_folded(document, expected):
    found = sums_of(document, lambda row: row["name"])
    assert found.all == expected.all, (found.all, expected.all)
    assert +found.self == +expected.self
    # A name that is in several modules may be in a stack several times.
    names = collections.Counter(row["name"] for row in document["functions"])
    for row in document["functions"]:
        if names[row["name"]] == 1:
            assert row["total"] == expected.total[row["name"]], row
    assert set(names) == set(expected.total)


def as_a_part(sums, whole):
    """What a report of the part alone says of it."""
    names = told_apart.in_part(sums.total, whole.total)
    return Sums(collections.Counter({names[name]: n for name, n in sums.self.items()}),
                collections.Counter({names[name]: n for name, n in sums.total.items()}), sums.all)


def compare(*arguments, value="samples"):
    options = ["--value", value, *arguments]
    document = report(*options)
    expected = from_folded(*arguments, value=value)
    whole = expected[None]
    check_folded(document, whole)
    threads = collections.Counter()
    for row in document["threads"]:
        threads[row["thread"]] += row["self"]
    del expected[None]
    assert +threads == +collections.Counter({t: s.all[0] for t, s in expected.items()})
    # Spans of different inputs may be of different threads with one number.
    if "--tid" not in arguments:
        for thread, sums in sorted(expected.items())[:8]:
            check_folded(report(*options, "--tid", str(thread)), as_a_part(sums, whole))
    sums = from_pprof(*arguments, value=value)
    found = sums_of(document, lambda row: (row["name"], row["module"]))
    assert found.all == sums.all
    assert +found.self == +sums.self
    modules = collections.Counter()
    for name, module in sums.total:
        modules[name] += 1
    for key, total in found.total.items():
        # Addresses in no mapping are two rows: in the kernel's half, and in the other.
        if key != (None, ""):
            assert total == sums.total[key], key
    check_parts(document, *options)
    check_lines(*options)
    return document


def check_parts(document, *options):
    """The rows of each table, and the tree, add up to the samples."""
    total = document["total"]
    for by, key in ("function", "functions"), ("process", "processes"), \
            ("thread", "threads"), ("cpu", "cpus"):
        rows = report(*options, "--by", by)[key]
        assert sum(row["self"] for row in rows) == total, by
        values = [row["self"] for row in rows]
        assert values == sorted(values, reverse=True), by
        assert len(report(*options, "--by", by, "--rows", "1")[key]) == 1
    assert [r["total"] for r in report(*options, "--sort", "total")["functions"]] == \
        sorted((r["total"] for r in document["functions"]), reverse=True)
    check_tree(report(*options, "--tree", "--min", "0")["tree"], total, document)
    pruned = report(*options, "--tree", "--min", "10")["tree"]
    check_tree(pruned, total, None)
    assert all(line["total"] >= total // 10 for line in pruned if "cut_branches" not in line)
    name = max(document["functions"], key=lambda row: (row["total"], row["name"] or ""))
    if name["name"] is not None:
        pattern = "^" + re.sub(r"([^\w ])", r"[\1]", name["name"]).replace("[^]", r"\^") + "$"
        callers = report(*options, "--callers", pattern, "--min", "0")["callers"]
        roots = [line for line in callers if line["depth"] == 0]
        assert sum(line["total"] for line in roots) == sum(
            row["total"] for row in document["functions"] if row["name"] == name["name"])
        check_sums(callers)


def check_sums(lines):
    """Each line has what it has itself and what the lines below it have."""
    below = [line["self"] if "cut_branches" not in line else line["total"] for line in lines]
    above = []
    for i, line in enumerate(lines):
        del above[line["depth"]:]
        assert len(above) == line["depth"], line
        if above:
            below[above[-1]] += line["total"]
        above.append(i)
    for line, found in zip(lines, below):
        assert line["total"] == found, line


def check_tree(lines, total, document):
    check_sums(lines)
    assert sum(line["total"] for line in lines if line["depth"] == 0) == total
    if document is not None:
        own = collections.Counter()
        for line in lines:
            own[(line["name"], line["module"], line["kernel"])] += line["self"]
        assert +own == +collections.Counter({(r["name"], r["module"], r["kernel"]): r["self"]
                                             for r in document["functions"]})


def columns(line):
    return sum(0 if unicodedata.category(c) in ("Mn", "Me") else 2 if is_wide(c) else 1
               for c in line)


def is_wide(char):
    """Python has what is not assigned as full width; terminals have not."""
    return unicodedata.east_asian_width(char) in "WF" and unicodedata.category(char) != "Cn"


def is_shown(char):
    """Characters of private use, and those that are not assigned, are boxes at worst."""
    return char.isprintable() or unicodedata.category(char) in ("Cn", "Co")


def check_lines(*options):
    for view in [], ["--tree"], ["--tree", "--min", "0"], ["--callers", "."], \
            ["--by", "thread"], ["--rows", "0"], ["--width", "80"], ["--width", "133"]:
        width = int(view[1]) if "--width" in view else 80
        text = run(FXTREPORT, "-q", *view, *options, status=None)
        for line in text.splitlines():
            assert columns(line) <= width, (columns(line), line)
            assert line == line.rstrip(), repr(line)
            assert all(map(is_shown, line)), repr(line)


# ---- Inputs -----------------------------------------------------------------------------


def sweep(elf, function):
    """A stack at each address of a function, in a caller that is in the middle of it."""
    at = symbols(elf)
    trace = fxtwrite.Trace()
    middle = (at[function] + at[function + ".end"]) // 2
    for i, pc in enumerate(range(at[function], at[function + ".end"])):
        (trace.backtrace if i % 2 else trace.sample)(i, 1, 2 + i % 3, pc, middle, middle, 0x10)
    return write("p.bin", trace)


def test_inlined_functions_and_recursion():
    for name in "ELF_INLINES", "ELF_CPLUSPLUS":
        if name in os.environ:
            sweep(os.environ[name], "main")
            for options in [], ["--inlines", "off"], ["--fold-recursion"], ["--tid", "3"]:
                compare("--elf", os.environ[name], *options, "p.bin")
            compare("--elf", os.environ[name], "--period", "1ms", "p.bin", value="time")


def test_processes_and_threads():
    write("p.fxt", busy_trace())
    for options in [], ["--pid", "1045"], ["--process", "na*"]:
        compare(*options, "p.fxt")
    assert compare("p.fxt")["missing"]["dropped_records"] == 17


def test_random_archives():
    for seed in range(20):
        with open("p.fxt", "wb") as file:
            file.write(fxtrandom.Generator(seed).archive(400))
        done = report("p.fxt", status=None)
        if done["samples"] > 0 and done["missing"]["errors"] == 0:
            check_parts(done, "--value", "samples", "p.fxt")
        check_lines("p.fxt")


def test_wide_names_fit():
    """A name of each wide character that is not one of many in a row."""
    trace = fxtwrite.archive()
    for code in [*range(0x80, 0x3100), *range(0x3100, 0xf900, 89), *range(0xf900, 0x20000)]:
        char = chr(code)
        if is_wide(char) and not char.isspace():
            trace.complete(code, code + 1, 1, 2, (char * 90).encode())
    write("p.fxt", trace)
    check_lines("--spans", "p.fxt")


def callers_of(stacks, pattern):
    """The paths to the callers of what matches: of each function in a stack its innermost
    call. The value of each path is what has it at its start."""
    found = collections.Counter()
    for frames, value in stacks:
        for i, frame in enumerate(frames):
            if frame in frames[:i] or not re.search(pattern, frame):
                continue
            for end in range(i + 1, len(frames) + 1):
                found[frames[i:end]] += value
    return found


def test_callers_of_recursive_functions():
    rng = random.Random(7)
    trace, expected = fxtwrite.archive(), []
    for i in range(200):
        names = [b"f%d" % rng.randrange(4) for _ in range(rng.randrange(1, 9))]
        for j, name in enumerate(names):
            trace.complete(1000 * i + 10 * j, 1000 * i + 500 - 10 * j, 1, 2, name)
        for j in range(len(names)):
            own = 20 if j + 1 < len(names) else 500 - 20 * j
            expected.append((tuple(name.decode() for name in names[j::-1]), own))
    write("p.fxt", trace)
    for pattern in ".", "f1", "f[23]":
        lines = report("--spans", "--callers", pattern, "--min", "0", "p.fxt")["callers"]
        path, found = [], collections.Counter()
        for line in lines:
            path[line["depth"]:] = [line["name"]]
            assert tuple(path) not in found
            found[tuple(path)] = line["total"]
        assert found == callers_of(expected, pattern)
        check_sums(lines)


def test_callers_of_deep_stacks():
    n, trace = 700, fxtwrite.archive()
    for i in range(n):
        trace.complete(i, 3 * n - i, 1, 2, b"s%d" % i)
    write("p.fxt", trace)
    lines = report("--spans", "--callers", ".", "--min", "0", "p.fxt")["callers"]
    assert len(lines) == n * (n + 1) // 2
    assert max(line["depth"] for line in lines) == n - 1


def test_spans():
    trace = fxtwrite.archive()
    for i in range(300):
        thread = 2 + i % 3
        trace.complete(100 * i, 100 * i + 90, 1, thread, b"outer%d" % (i % 4))
        trace.complete(100 * i + 10, 100 * i + 50 + i % 30, 1, thread, b"inner")
        trace.complete(100 * i + 20, 100 * i + 30, 1, thread, b"outer%d" % (i % 4))
    write("p.fxt", trace)
    for value in "time", "spans":
        compare("--spans", "p.fxt", value=value)
    for by in "module", "source", "line":
        run(FXTREPORT, "-q", "--spans", "--by", by, "p.fxt", status=2)


def test_names_of_spans_and_threads_are_not_those_of_functions():
    """What looks like template arguments or parameters is data, too."""
    name = "<img src=x onerror=alert(document.cookie)> of a request (%s)" % "that is long " * 4
    trace = fxtwrite.Trace()
    trace.magic()
    trace.complete(0, 90, 1, 2, name.encode())
    write("p.fxt", trace)
    trace.complete(100, 300, 1, 2, name.encode())
    write("after.fxt", trace)
    for options in [], ["--tree"], ["--by", "function"], ["--value", "spans"]:
        shown = run(FXTREPORT, "-q", "--width", "80", "--spans", *options, "p.fxt")
        assert "<img" in shown and "\u2026" in shown, shown
        assert "<\u2026>" not in shown and "(\u2026)" not in shown, shown
    shown = run(FXTREPORT, "-q", "--width", "80", "--spans", "--diff", "p.fxt", "after.fxt")
    assert "<\u2026>" not in shown and "(\u2026)" not in shown, shown
    write("w.fxt", trace_of_wakeups(name.encode()))
    shown = run(FXTREPORT, "-q", "--width", "80", "--sched", "wakeup", "w.fxt")
    assert "<img" in shown and "<\u2026>" not in shown and "(\u2026)" not in shown, shown


def trace_of_wakeups(name):
    trace = fxtwrite.Trace()
    trace.magic()
    trace.thread(2, name, 1)
    trace.add(fxtwrite.context_switch(100, 0, 3, 2, 3))
    trace.add(fxtwrite.thread_wakeup(150, 0, 2, [fxtwrite.arg(8, b"waker", 3)]))
    trace.add(fxtwrite.context_switch(180, 0, 0, 3, 2))
    return trace


def test_the_duration_is_that_of_the_time():
    trace = fxtwrite.archive()
    trace.init(10**9, 0, 10**18)
    for i in range(5):
        trace.complete(10**9 * i, 10**9 * i + 6 * 10**8, 1, 2, b"s%d" % i)
    write("p.fxt", trace)
    for time, start, duration in (("0-", 0, 4600), ("1.1-2.3", 1100, 1200),
                                  ("3.5-", 3500, 1100), ("9-", 0, 0)):
        found = report("--spans", "--time", time, "p.fxt", status=None)
        assert found["duration_ns"] == duration * 10**6, (time, found)
        assert duration == 0 or found["start_unix_ns"] == 10**18 + start * 10**6, (time, found)
    assert "1 span in 1.20 s, " in run(FXTREPORT, "-q", "--spans", "--time", "1.1-2.3", "p.fxt")


def test_other_events_are_named():
    trace = fxtwrite.archive()
    trace.provider(1, b"fxtrecord")
    trace.several()
    trace.sampled(0, b"task-clock", b"nanoseconds", 1000)
    trace.sampled(1, b"page-faults", b"count")
    trace.sampled(2, b"branches", b"count")
    trace.provider(2, b"cpu0")
    trace.weighed(10, 5, 6, 0, 0, 0xa, 0x1)
    trace.weighed(20, 5, 7, 1, 53, 0xb, 0x1)
    write("p.fxt", trace)
    text = run(FXTREPORT, "-q", "p.fxt")
    assert "1.00 us of task-clock" in text, text
    assert "also recorded: page-faults, branches (--value shows one of them)" in text, text
    text = run(FXTREPORT, "-q", "--value", "page-faults", "p.fxt")
    assert "1 sample in 10 ns, 53 page-faults, 1 process" in text, text
    assert "also recorded: task-clock, branches (" in text, text
    for i in range(3):
        trace.complete(10 * i, 10 * i + 5, 5, 6, b"span")
    trace.add(fxtwrite.context_switch(40, 0, 3, 6, 7))
    write("p.fxt", trace)
    text = run(FXTREPORT, "-q", "--by", "thread", "p.fxt")
    assert "also recorded: 3 spans (--spans), 1 scheduling record (--sched)" in text, text
    text = run(FXTREPORT, "-q", "p.fxt")
    assert "3 spans in 25 ns" in text and "\nScheduling  1 thread\n" in text, text
    # Thread 6 stopped with the last record: no time of it is known, as in fxtdump --stats.
    assert run(FXTDUMP, "--stats", "p.fxt").splitlines()[-1].split()[-1] == "7"
    assert "also" not in run(FXTREPORT, "-q", "--spans", "p.fxt")
    # Samples and their time are no events.
    write("p.fxt", busy_trace())
    for value in "samples", "time":
        assert "also" not in run(FXTREPORT, "-q", "--period", "1ms", "--value", value, "p.fxt")


def test_waits():
    trace = fxtwrite.archive()
    for thread in 2, 3, 4:
        trace.thread(thread, b"t%d" % thread, 1)
    for i in range(100):
        now, before = 2 + i % 3, 2 + (i + 2) % 3
        if i % 4:
            trace.add(fxtwrite.thread_wakeup(100 * i + 50, 0, now))
        trace.add(fxtwrite.context_switch(100 * i + 90, 0, 3, before, now))
    write("p.fxt", trace)
    for value in "time", "waits":
        assert compare("--sched", "off-cpu", "p.fxt", value=value)["kind"] == "waits"
    assert "[blocked]" in run(FXTREPORT, "-q", "--sched", "off-cpu", "--tree", "p.fxt")


def test_a_recording():
    if len(RECORDER) < 2:
        return
    run(RECORDER[0], "-q", "-o", "p.fxt", RECORDER[1], "-s", "1")
    for value in "samples", "time":
        document = compare("p.fxt", value=value)
    assert document["value"] == {"type": "cpu", "unit": "nanoseconds"}
    assert document["recordings"][0]["command_line"].endswith("-s 1")
    assert document["recordings"][0]["start_unix_ns"] > 10**18
    found = {row["name"] for row in document["functions"][:12]}
    assert found & {"mix", "sort", "place_queens", "hash_blocks"}, found
    lines = report("--lines", "p.fxt")["lines"]
    assert sum(line["self"] for line in lines) == document["total"]
    if os.environ.get("HAS_LIBDW") == "1":
        line = next(line for line in lines if line.get("text"))
        with open(line["file"], encoding="utf-8") as file:
            assert file.read().splitlines()[line["line"] - 1].strip() == line["text"]


# ---- Differences ------------------------------------------------------------------------


def kernel_trace(functions, n=1000):
    """Samples by turns in functions, which are at multiples of 0x1000 of a module each."""
    trace = fxtwrite.archive()
    trace.process(1, b"server")
    for i, _ in enumerate(functions):
        trace.module(1, i, b"/lib/f%d.so" % i, bytes(4) + bytes([i]))
        trace.mapping(1, i, 0x1000 * (i + 1), 0x1000, 0)
    total = sum(functions)
    for i, share in enumerate(functions):
        for j in range(share * n // total):
            trace.backtrace(10 * j + i, 1, 7, 0x1000 * (i + 1) + 8)
    return trace


def test_what_has_changed():
    write("a.fxt", kernel_trace([50, 30, 20, 0]))
    write("b.fxt", kernel_trace([50, 10, 0, 40], n=3000))
    rows = {row["module"]: row for row in report("--diff", "a.fxt", "b.fxt")["differences"]}
    shares = {name: (row["before_share"], row["after_share"]) for name, row in rows.items()}
    assert shares == {"/lib/f0.so": (.5, .5), "/lib/f1.so": (.3, .1),
                      "/lib/f2.so": (.2, 0), "/lib/f3.so": (0, .4)}, shares
    assert [row["changed"] for _, row in sorted(rows.items())] == [False, True, True, True]
    assert [row["new"] for _, row in sorted(rows.items())] == [False, False, False, True]
    assert [row["gone"] for _, row in sorted(rows.items())] == [False, False, True, False]
    noise = 2 * (.3 * .7 / 1000 + .1 * .9 / 3000) ** .5
    assert abs(rows["/lib/f1.so"]["noise"] - noise) < 1e-5
    text = run(FXTREPORT, "-q", "--diff", "a.fxt", "b.fxt")
    table = re.findall(r"^ *(\S+)%  +(\S+)%  +(\S+)%  +\S+%  (new|gone|    ) +.*\s(f\d\.so)$",
                       text, re.M)
    assert table == [("0.0", "40.0", "+40.0", "new", "f3.so"),
                     ("20.0", "0.0", "-20.0", "gone", "f2.so"),
                     ("30.0", "10.0", "-20.0", "    ", "f1.so")], text
    assert "unchanged within noise: 1 function with 50.0%" in text


def test_noise_is_not_a_change():
    write("a.fxt", kernel_trace([500, 500]))
    write("b.fxt", kernel_trace([520, 480]))
    assert not any(row["changed"] for row in report("--diff", "a.fxt", "b.fxt")["differences"])
    write("b.fxt", kernel_trace([600, 400]))
    assert all(row["changed"] for row in report("--diff", "a.fxt", "b.fxt")["differences"])


def test_nothing_has_changed_since_itself():
    write("p.fxt", busy_trace())
    for by in "function", "module", "source", "line", "process", "thread", "cpu":
        assert "Nothing has changed." in run(FXTREPORT, "-q", "--by", by, "--diff", "p.fxt",
                                             "p.fxt")
        rows = report("--by", by, "--diff", "p.fxt", "p.fxt")["differences"]
        assert rows and not any(row["changed"] or row["new"] or row["gone"] for row in rows)


def test_what_is_one_row_counts_once():
    """Modules of one name in two directories are one row, of which a stack may have both."""
    for name, directories in ("a.fxt", ("x", "y")), ("b.fxt", ("y", "z")):
        trace = fxtwrite.archive()
        trace.process(1, b"server")
        for i, directory in enumerate(directories):
            trace.module(1, i, b"/%s/lib.so" % directory.encode(), bytes(4) + bytes([i]))
            trace.mapping(1, i, 0x1000 * (i + 1), 0x1000, 0)
        for i in range(10):
            trace.backtrace(i, 1, 7, 0x1008, 0x2008, 0x1018)
        write(name, trace)
    for by in "function", "module", "source", "line":
        for options in [], ["--sort", "total"]:
            rows = report("--by", by, *options, "--diff", "a.fxt", "b.fxt")["differences"]
            found = [(row["before"], row["after"], row["before_share"], row["after_share"])
                     for row in rows]
            assert found == [(10, 10, 1, 1)], (by, options, rows)


def test_what_has_not_changed_is_at_most_all():
    """The totals of callers and callees have much in common."""
    for name, extra in ("a.fxt", 0), ("b.fxt", 500):
        trace = fxtwrite.archive()
        for i in range(1000 + extra):
            trace.backtrace(i, 1, 7, *([0x10, 0x20, 0x30] if i < 1000 else [0x40, 0x30]))
        write(name, trace)
    for options, n in ([], "2 functions"), (["--sort", "total"], "1 function"):
        text = run(FXTREPORT, "-q", "--unsymbolized", *options, "--diff", "a.fxt", "b.fxt")
        assert "unchanged within noise: %s with 0.0%%" % n in text, text
    text = run(FXTREPORT, "-q", "--unsymbolized", "--sort", "total", "--diff", "a.fxt", "a.fxt")
    assert "unchanged within noise: 3 functions with 100.0%" in text, text


def test_an_unusable_recording_to_compare_with():
    write("a.fxt", kernel_trace([1]))
    run(FXTREPORT, "-q", "--diff", "no/such/file", "a.fxt", status=2)
    write("empty.fxt", fxtwrite.Trace())
    assert report("--diff", "empty.fxt", "a.fxt", status=1)["differences"][0]["new"]


if __name__ == "__main__":
    main(sys.modules[__name__])
