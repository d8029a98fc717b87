#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtreport --span: the statistics and the slowest instances of spans, in random traces and
in ones worked out by hand.

test_span.py TOOLS_DIR"""
import collections
import os
import random
import re
import sys
import unicodedata

from fxtwrite import arg
from profile_cases import FXTREPORT, main, run, write
from span_traces import (BEGIN, BOOL, DOUBLE, INT32, INT64, STRING, UINT32, UINT64, archive, put,
                         report, span, worked_trace)


def numbers(durations):
    """Percentiles by nearest rank: the smallest that enough of them do not exceed."""
    ordered = sorted(durations)

    def percentile(p):
        return next(ns for i, ns in enumerate(ordered) if 100 * (i + 1) >= p * len(ordered))

    return {"count": len(ordered), "total_ns": sum(ordered), "min_ns": ordered[0],
            "p50_ns": percentile(50), "p90_ns": percentile(90), "p99_ns": percentile(99),
            "max_ns": ordered[-1]}


def are_numbers(row, durations):
    expected = numbers(durations)
    return {key: row[key] for key in expected} == expected


def is_round(ns):
    return re.fullmatch("[125]0*", str(ns)) is not None


def check_histogram(found, durations):
    rows = found["histogram"]
    assert sum(row["count"] for row in rows) == len(durations)
    for row, after in zip(rows, rows[1:]):
        assert row["to_ns"] == after["from_ns"], rows
    for row in rows:
        inside = [ns for ns in durations if row["from_ns"] <= ns < row["to_ns"]]
        assert row["count"] == len(inside), (row, len(inside))
    some = [ns for ns in durations if ns > 0]
    is_wide = bool(some) and max(some) >= 20 * min(some)
    assert found["scale"] == ("logarithmic" if is_wide else "linear")
    assert rows[-1]["count"] > 0 and len(rows) <= 25, rows
    if is_wide:
        assert all(is_round(row["to_ns"]) for row in rows)
        assert rows[0]["count"] > 0
    else:
        assert len({row["to_ns"] - row["from_ns"] for row in rows}) == 1
        assert is_round(rows[0]["to_ns"] - rows[0]["from_ns"])


def argument_of(kind, value):
    return arg(kind, b"key", value)


def test_statistics_of_random_spans():
    rng = random.Random(1)
    values = [(INT32, 5), (INT64, 5), (UINT64, 5), (INT32, -1), (UINT32, 2**32 - 1), (STRING, b"5"),
              (STRING, b""), (DOUBLE, 5.0), (BOOL, 1), None]
    texts = [5, 5, 5, -1, 2**32 - 1, "5", "", 5.0, True, None]
    for spread in 0, 1, 3, 15:
        trace, spans = archive(), []
        for i in range(rng.choice((1, 99, 100, 101, 400))):
            ns = rng.choice((0, int(10 ** rng.uniform(0, spread)) + 1000 * (spread == 0)))
            name, kind = rng.choice((b"a1", b"a2", b"b")), rng.randrange(len(values))
            thread, begin = rng.randrange(2, 5), i * 10**16
            args = [] if values[kind] is None else [argument_of(*values[kind])]
            if args and rng.random() < 0.2:
                args.insert(0, argument_of(STRING, b"not the last"))
            span(trace, begin, begin + ns, thread, name, *args)
            if name != b"b":
                spans.append((ns, name.decode(), thread, kind, begin))
        if not spans:
            continue
        write("p.fxt", trace)
        found = report("--span", "^a", "--by-arg", "key", "p.fxt")["span"]
        durations = [ns for ns, *_ in spans]
        assert are_numbers(found, durations), found
        assert found["self_ns"] == sum(durations) and found["unfinished"] == 0
        check_histogram(found, durations)
        names = collections.Counter(name for _, name, *_ in spans)
        assert {row["name"]: row["count"] for row in found["names"]} == names
        threads = collections.defaultdict(list)
        by_value = collections.defaultdict(list)
        for ns, _, thread, kind, _ in spans:
            threads[thread].append(ns)
            by_value[repr(texts[kind])].append(ns)
        assert len(found["threads"]) == len(threads)
        assert all(are_numbers(row, threads[row["thread"]]) for row in found["threads"])
        assert len(found["by_arg"]) == len(by_value), found["by_arg"]
        for row in found["by_arg"]:
            assert are_numbers(row, by_value[repr(row["value"])]), row
        slowest = sorted(spans, key=lambda s: (-s[0], s[4]))[:10]
        assert [(row["duration_ns"], row["time_ns"], row["name"], row["thread"])
                for row in found["slowest"]] == [(s[0], s[4], s[1], s[2]) for s in slowest]


def test_the_slowest_have_what_was_in_them():
    write("p.fxt", worked_trace())
    slow, = report("--unsymbolized", "--span", "request", "p.fxt")["span"]["slowest"]
    assert (slow["time_ns"], slow["duration_ns"]) == (5, 85)
    assert (slow["self_ns"], slow["depth"], slow["unfinished"]) == (61, 0, False)
    assert slow["args"] == [{"name": "table", "value": "users"}, {"name": "n", "value": -3}]
    assert slow["children"] == [{"name": "reply", "count": 1, "total_ns": 14},
                                {"name": "parse", "count": 1, "total_ns": 10}]
    assert [slow[key + "_ns"] for key in ("run", "wait", "blocked", "unknown")] == [39, 6, 40, 0]
    assert slow["woken_by"] == [{"thread": 3, "count": 1, "blocked_ns": 40}]
    assert slow["samples"] == 3
    assert [row["samples"] for row in slow["functions"]] == [2, 1]
    text = run(FXTREPORT, "-q", "--unsymbolized", "--span", "request", "p.fxt")
    assert "85 ns, self 61 ns, at 0.000000005 s, t2[2] of app[1]\n    table=users, n=-3\n" in text
    assert ("    ran 39 ns, waited for a CPU 6 ns, was blocked 40 ns; woken by t3[3] of\n"
            "    app[1] after 40 ns\n    3 samples: 0x1000 2, 0x2000 1\n") in text, text


def test_spans_that_never_end_and_cross():
    trace = archive()
    put(trace, BEGIN, 10, 2, b"never", args=[arg(STRING, b"x", b"y")])
    span(trace, 20, 40, 2, b"a")
    span(trace, 30, 60, 2, b"a")
    span(trace, 60, 60, 2, b"none")
    write("p.fxt", trace)
    found = report("--span", "never", "p.fxt")["span"]
    assert (found["unfinished"], found["total_ns"], found["self_ns"]) == (1, 50, 10)
    slow, = found["slowest"]
    assert slow["unfinished"] and slow["args"] == [{"name": "x", "value": "y"}]
    # The second "a" is in the first one, in which it goes on for 10.
    assert slow["children"] == [{"name": "a", "count": 1, "total_ns": 20}]
    first = report("--span", "^a", "p.fxt")["span"]["slowest"][1]
    assert first["children"] == [{"name": "a", "count": 1, "total_ns": 10}]
    text = run(FXTREPORT, "-q", "--span", "never", "p.fxt")
    assert "never ended" in text
    none = report("--span", "none", "--critical-path", "p.fxt")
    assert none["instance"]["duration_ns"] == 0 and none["critical_path"] == []
    run(FXTREPORT, "-q", "--span", "none", "--critical-path", "p.fxt")
    run(FXTREPORT, "-q", "--span", "missing", "p.fxt", status=1)


def test_filters_choose_spans():
    trace = archive()
    for i in range(6):
        span(trace, 100 * i, 100 * i + 10 + i, 2 + i % 2, b"a", process=1 + i % 2)
    trace.process(2, b"other")
    write("p.fxt", trace)
    for options, expected in ((["--pid", "1"], [10, 12, 14]), (["--tid", "3"], [11, 13, 15]),
                              (["--process", "oth*"], [11, 13, 15]),
                              (["--time", "105ns-212ns"], [11, 12])):
        found = report("--span", "a", *options, "p.fxt")["span"]
        assert are_numbers(found, expected), (options, found)


def test_names_are_text():
    trace = archive()
    hostile = b"\x1b[31m\n<img src=x>\xff\xe2\x80\xae\\"
    trace.thread(2, hostile, 1)
    span(trace, 0, 10, 2, hostile, arg(STRING, hostile, hostile))
    span(trace, 2, 5, 2, hostile * 9)
    span(trace, 20, 40, 2, b"")
    write("p.fxt", trace)
    views = ["--span", "."], ["--span", ".", "--critical-path"], [
        "--span", ".", "--by-arg", os.fsdecode(hostile)]
    for view in views:
        for width in 80, 120, 200:
            for locale in "C", "C.UTF-8":
                text = run(FXTREPORT, "-q", *view, "--width", width, "p.fxt", text=False,
                           env=dict(os.environ, LC_ALL=locale)).decode()
                for line in text.split("\n"):
                    columns = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)
                    assert columns <= width, (view, line)
                    assert line.isprintable() and "<…>" not in line, line
        report(*view, "p.fxt")


def test_bars_are_as_wide_as_the_terminal():
    trace = archive()
    for i in range(100):
        span(trace, 1000 * i, 1000 * i + 100 + 20 * (i < 50), 2, b"a")
    write("p.fxt", trace)
    for locale, block in ("C", "#"), ("C.UTF-8", "█"):
        for width in 80, 200:
            text = run(FXTREPORT, "-q", "--span", "a", "--width", width, "p.fxt",
                       env=dict(os.environ, LC_ALL=locale))
            rows = [line for line in text.split("\n") if line.endswith(block * 20)]
            assert rows and {len(line) for line in rows} == {width}, text
            assert " 50  50.0%   50.0%  " in rows[0] and " 50  50.0%  100.0%  " in rows[1], rows


if __name__ == "__main__":
    main(sys.modules[__name__])
