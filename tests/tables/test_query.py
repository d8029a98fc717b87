#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtquery: rows in every form, queries that have names against fxtreport, places of errors,
and that nothing but the tables can be read. Argument: the tools' directory."""
import csv
import io
import json
import os
import pty
import re
import subprocess
import sys

import fxtrandom
import fxtwrite
import patience
import server_trace
import span_traces
from fxtwrite import arg, event
from profile_cases import FXT2FOLDED, FXTREPORT, TOOLS, busy_trace, main, run, write

FXTQUERY = os.path.join(TOOLS, "fxtquery", "fxtquery")


def query(*arguments, status=0):
    return run(FXTQUERY, "-q", *arguments, status=status, timeout=patience.SECONDS)


def rows(*arguments):
    """The rows, as dictionaries; in CSV they are the same."""
    found = json.loads(query("--json", *arguments))
    lines = list(csv.reader(io.StringIO(query("--csv", *arguments), newline="")))
    assert len(lines) == len(found) + 1
    for line, row in zip(lines[1:], found):
        assert lines[0] == list(row), (lines[0], row)
        assert [word for word in line] == ["" if v is None else str(v) for v in row.values()]
    return found


def report(*arguments):
    return json.loads(run(FXTREPORT, "-q", "--json", *arguments, timeout=patience.SECONDS))


def server():
    return write("s.fxt", server_trace.server_trace(60))


# ---- Queries that have names ----


def names():
    return re.findall(r"^@(\S+)", query("--queries"), re.M)


def test_each_is_listed_documented_and_can_be_run():
    page = os.path.join(os.path.dirname(__file__), "../../tools/fxtquery/fxtquery.1")
    with open(page, encoding="utf-8") as file:
        items = re.findall(r"^\.It @(\S+)\n(.+)$", file.read(), re.M)
    assert items == re.findall(r"^@(\S+) +(.+)$", query("--queries"), re.M)
    assert len(items) >= 12
    files = os.listdir(os.path.join(os.path.dirname(page), "queries"))
    assert {name.replace("-", "_") + ".sql" for name in names()} == set(files)
    busy = write("b.fxt", busy_trace())
    empty = write("e.fxt", fxtwrite.archive())
    for name in names():
        query(server(), "@" + name)
        query(busy, "@" + name)
        query(empty, "@" + name, status=1)


def pick(rows_found, *keys):
    return [tuple(row[key] for key in keys) for row in rows_found]


def test_sums_are_those_of_reports():
    path = server()
    summary = report(path)
    spans = pick(report("--spans", path)["spans"], "name", "count", "total_ns", "self_ns", "p99_ns")
    found = rows(path, "@span-stats")
    assert sorted(pick(found, "name", "count", "total_dur", "self_dur", "p99_dur")) == sorted(spans)
    assert pick(found, "total_dur") == sorted(pick(found, "total_dur"), reverse=True)
    assert sorted(pick(rows(path, "@span-self"), "name", "self_dur")) == sorted(
        (name, own) for name, _, _, own, _ in spans)
    assert pick(rows(path, "@operations"), "name", "count", "total_dur") == pick(
        summary["async"], "name", "count", "total_ns")
    assert pick(rows(path, "@counters"), "name", "series", "count", "min", "max", "last") == pick(
        summary["counters"], "name", "series", "count", "min", "max", "last")
    found = pick(rows(path, "@thread-states"), "tid", "running_dur", "runnable_dur", "blocked_dur")
    assert sorted(found) == sorted(pick(summary["scheduling"], "thread", "run_ns", "wait_ns",
                                        "blocked_ns"))
    assert sum(row["running_dur"] for row in rows(path, "@cpus")) == sum(
        row["run_ns"] for row in summary["scheduling"])
    assert sum(row["running_dur"] or 0 for row in rows(path, "@threads")) == sum(
        row["run_ns"] for row in summary["scheduling"])
    slowest = rows(path, "@slowest-spans")
    assert len(slowest) == 20 and slowest[0]["dur"] == max(
        row["max_ns"] for row in report("--spans", path)["spans"])
    assert "path=/" in slowest[0]["args"] or slowest[0]["name"] != "handle"
    steps = {(row["from_span"], row["to_span"]): row["count"] for row in rows(path, "@flows")}
    assert steps["accept", "handle"] == 60, steps
    assert sum(steps.values()) == summary["flows"][0]["steps"]


def test_wakeups_and_waits_for_cpus():
    path = write("w.fxt", span_traces.worked_trace())
    assert pick(rows(path, "@wakeups"), "waker", "woken", "count", "waited_dur") == [
        ("t2", "t3", 1, 1), ("t3", "t2", 1, 5)]
    found = {row["tid"]: (row["count"], row["max_dur"]) for row in rows(path, "@latency")}
    assert found[3] == (1, 1) and found[2][1] == 5, found


def test_stacks():
    path = write("b.fxt", busy_trace())
    expected = run(FXT2FOLDED, "-q", "--roots", "none", "--cut-frames", "hide", path)
    assert sorted(query("--folded", path, "@flame").splitlines()) == sorted(expected.splitlines())
    found = pick(rows(path, "@top-functions"), "self")
    assert len(found) == 26 and found == sorted(found, reverse=True), found
    spans = query("--folded", server(), "@span-paths").splitlines()
    expected = run(FXT2FOLDED, "-q", "--spans", "--roots", "none", "s.fxt").splitlines()
    assert sorted(spans) == sorted(expected), (spans, expected)


# ---- Forms ----


def test_a_table_is_aligned():
    trace = fxtwrite.archive()
    for i, name in enumerate((b"a", "漢字".encode(), b"with space", b"\x1b[31mred")):
        trace.complete(10 * i, 10 * i + 10**i, 1, 2, name)
    path = write("t.fxt", trace)
    assert query(path, "select name, dur, null as none from slice order by id") == (
        "name          dur  none\n"
        "-----------  ----  ----\n"
        "a               1      \n"
        "漢字           10      \n"
        "with space    100      \n"
        "\\x1b[31mred  1000      \n")


def terminal(*arguments):
    """What a terminal gets."""
    main_end, other_end = pty.openpty()
    with subprocess.Popen([FXTQUERY, "-q", *arguments], stdout=other_end) as process:
        os.close(other_end)
        data = b""
        while True:
            try:
                piece = os.read(main_end, 4096)
            except OSError:
                break
            if not piece:
                break
            data += piece
        assert process.wait() == 0
    os.close(main_end)
    return data.decode().replace("\r\n", "\n")


def test_terminals_get_units_and_no_commands():
    trace = fxtwrite.archive()
    trace.complete(0, 1530411, 1, 2, b"\x1b[31mred")
    path = write("t.fxt", trace)
    lines = terminal(path, "select name, dur, max(s.dur), ts from slice s").splitlines()
    assert lines[2].split() == ["\\x1b[31mred", "1.53", "ms", "1.53", "ms", "0"], lines
    assert "\x1b" not in terminal("--csv", path, "select name from slice")
    assert "\x1b" in query("--csv", path, "select name from slice")


def test_values_in_every_form():
    path = write("e.fxt", server_trace.server_trace(1))
    sql = "select 1 as i, -0.5 as r, 'a,\"b\"\n' as s, null as n, x'00ff' as b, 1e999 as inf"
    assert json.loads(query("--json", path, sql)) == [
        {"i": 1, "r": -0.5, "s": 'a,"b"\n', "n": None, "b": "00ff", "inf": None}]
    assert query("--csv", path, sql) == 'i,r,s,n,b,inf\n1,-0.5,"a,""b""\n",,00ff,inf\n'
    assert query("--json", path, "select 1 where 0") == "[]\n"
    assert query("--folded", path, "select 'a b;c\td;;' , 7") == "a b;c d;_;_ 7\n"
    assert query("--folded", path, "values ('a', 0.0), ('b', 2.5), ('c', 1e18)") == (
        "a 0\nb 2.500000\nc 1000000000000000000\n")
    for name, option, expected in (("o.csv", "--csv", "x\n1\n"), ("o", "--csv", "x\n1\n"),
                                   ("o.json", "--json", '[\n{"x":1}\n]\n')):
        query("-o", name, option, path, "select 1 as x")
        with open(name, encoding="utf-8") as file:
            assert file.read() == expected
    query("-o", "o.folded", "--folded", path, "@span-paths")
    query("-o", "o.svg", "--csv", path, "select 1 as x", status=2)
    for name, option in ("o.csv", "--json"), ("o.json", "--csv"), ("o.folded", "--csv"):
        assert "written with --" + name[2:] in complaint("-o", name, option, path, "select 1 as x")
    query("-o", "o.json", "--json", path, "select 1 as x")
    with open("o.json", encoding="utf-8") as file:
        assert json.load(file) == [{"x": 1}]


def test_rows_that_are_no_folded_stacks_are_counted():
    rows = ("null, 1", "'', 1", "'a', null", "'a', 'x'", "'a', '1'", "'a', -1", "'a', -0.5",
            "'a', 9e999", "'a', x'31'")
    sql = "values ('a;b', 3), (" + "), (".join(rows) + "), ('c', 4)"
    done = subprocess.run([FXTQUERY, "--folded", server(), sql], capture_output=True, check=False)
    assert done.returncode == 1 and done.stdout == b"a;b 3\nc 4\n", done
    assert b"fxtquery: query: %d rows left out: " % len(rows) in done.stderr, done


def test_many_rows_are_not_held():
    path = server()
    sql = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000) select i from n"
    lines = query(path, sql).splitlines()
    assert len(lines) == 5002 and lines[0] == "   i" and lines[-1] == "5000", lines[:3]


# ---- What is asked ----


def complaint(*arguments, status=2):
    done = subprocess.run([FXTQUERY, "-q", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == status and not done.stdout, done
    return done.stderr


def test_errors_have_places():
    path = server()
    text = complaint(path, "select name,\n  dir from slice")
    assert "query:2:3: no such column: dir\n      dir from slice\n      ^\n" in text, text
    assert "query:1:15: no such table: slices" in complaint(path, "select 1 from slices")
    assert "query:1:11: only one query" in complaint(path, "select 1; select 2")
    assert "query:1:14: only one query" in complaint(path, "select 1; ;  select 2")
    assert "\n    select '漢', nowhere\n                 ^\n" in complaint(path, "select '漢', nowhere")
    assert "there is no query" in complaint(path, "; -- nothing")
    assert "there is no query" in complaint(path)
    assert "'@nothing'" in complaint(path, "@nothing")
    assert "two columns" in complaint("--folded", path, "select 1")
    assert "only one of" in complaint("--csv", "--json", path, "select 1")
    with open("q.sql", "w", encoding="utf-8") as file:
        file.write("-- a comment\nselect nowhere from slice\n")
    assert "q.sql:2:8: no such column" in complaint("-f", "q.sql", path)
    assert "missing.sql" in complaint("-f", "missing.sql", path)
    with open("z.sql", "wb") as file:
        file.write(b"select 1\0, 2")
    assert "zero byte" in complaint("-f", "z.sql", path)
    # Only when it runs: the sum is too large.
    text = complaint(path, "select sum(9223372036854775807 * 1 + 0 * id) from slice")
    assert "integer overflow" in text, text
    complaint("-o", "o.csv", "--csv", path, "select sum(9223372036854775807 + 0 * id) from slice")
    assert not os.path.exists("o.csv")


def test_queries_in_files():
    with open("q.sql", "w", encoding="utf-8") as file:
        file.write("-- all of them\nselect count(*) as n from slice where name = 'accept';\n-- end\n")
    assert json.loads(query("--json", "-f", "q.sql", server())) == [{"n": 60}]
    with open("s.fxt", "rb") as file:
        done = subprocess.run([FXTQUERY, "-q", "--csv", "select count(*) as n from async"], stdin=file,
                              capture_output=True, text=True, check=True)
    assert done.stdout == "n\n60\n"


def test_only_tables_can_be_read():
    path = server()
    for sql in ("attach 'x.db' as x", "delete from slice", "create table t (a)", "pragma journal_mode",
                "insert into meta values (1, 2, 3)", "vacuum into 'y.db'", "drop table slice",
                "begin", "update slice set dur = 0"):
        assert complaint(path, sql), sql
    assert os.listdir() == ["s.fxt"]


def test_lists_need_no_trace():
    tables = query(".tables")
    assert re.search(r"^slice +Spans", tables, re.M) and len(tables.splitlines()) == 14
    assert query("s.fxt", ".tables") == tables
    schema = query("--schema")
    assert schema == query(".schema") and '"self_dur" INTEGER NOT NULL' in schema
    assert "CREATE VIEW span_stats" in schema
    stack = query(".schema", "stack")
    assert stack == query("x.fxt", ".schema stack") and stack in schema
    assert stack.count("CREATE TABLE") == 2 and "CREATE VIEW" not in stack
    assert "no_such: there is no such table" in complaint(".schema", "no_such")
    subprocess.run(["sqlite3", ":memory:"], input=schema, text=True, check=True)


# ---- Any input ----


def test_hostile_names():
    for seed in range(12):
        with open("r.fxt", "wb") as file:
            file.write(fxtrandom.Generator(seed).archive(150))
        for name in names():
            done = subprocess.run([FXTQUERY, "-q", "r.fxt", "@" + name], capture_output=True,
                                  text=True, check=False)
            # A sum of a query's may be too large.
            assert done.returncode in (0, 1) or "integer overflow" in done.stderr, done
            assert not re.search("[\x00-\x09\x0b-\x1f\x7f]", done.stdout), (seed, name)
            found = query("--json", "r.fxt", "@" + name, status=None)
            if found.endswith("]\n"):
                json.loads(found)


def test_names_are_data():
    trace = fxtwrite.archive()
    trace.add(event(4, 1, (1, 2), b"c", b"'); drop table slice; --", [arg(6, b"k';--", b"v\"")],
                    extra=[5]))
    path = write("n.fxt", trace)
    assert rows(path, "@slowest-spans")[0]["args"] == "k';--=v\""
    assert rows(path, "@span-stats")[0]["name"] == "'); drop table slice; --"


if __name__ == "__main__":
    main(sys.modules[__name__])
