#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxt2parquet: its tables are those of fxt2sqlite, sums of DuckDB are those of fxtreport, and
no failure leaves a file that is not whole. Arguments: the tools' directory, and the recorder
and a program if there are any. See support/parquet_readers.py."""
import collections
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import fxtrandom
import fxtwrite
import parquet_readers
import patience
import server_trace
from fxtwrite import event
from parquet_readers import clickhouse, duckdb, read
from profile_cases import FXTREPORT, TOOLS, busy_trace, main, run, skip, write

FXT2PARQUET = os.path.join(TOOLS, "fxt2parquet", "fxt2parquet")
FXT2SQLITE = os.path.join(TOOLS, "fxt2sqlite", "fxt2sqlite")
RECORDER = [os.path.abspath(program) for program in sys.argv[2:4]]
TABLES = ("args", "async", "counter", "flow", "frame", "instant", "loss", "meta", "process",
          "sample", "sched", "slice", "stack", "thread")
FILES = sorted(f"{table}.parquet" for table in TABLES)


def convert(*arguments, to="out", status=0):
    shutil.rmtree(to, ignore_errors=True)
    run(FXT2PARQUET, "-q", "-o", to, *arguments, status=status, timeout=patience.SECONDS)


def report(*arguments, status=0):
    return json.loads(run(FXTREPORT, "-q", "--json", *arguments, status=status,
                          timeout=patience.SECONDS))


# ---- Rows ----


def plain(value, kind):
    """A cell, the same of both. SQLite has no bools, no uint64 and no NaN."""
    if kind == "DOUBLE":
        return "NaN" if value is None else str(float(value))
    if isinstance(value, bytes):
        return value.hex()
    if kind == "UINT_64" and value is not None:
        return str(int(value) & (2**64 - 1))
    return str(int(value)) if isinstance(value, (int, bool)) else value


def column_kinds(metadata):
    leaves = [e for e in metadata["schema"] if "type" in e and e["name"] != "element"]
    return [e.get("converted_type", e["type"]) for e in leaves]


def as_hex(value):
    return value.hex() if isinstance(value, bytes) else value


def compare_stacks(db, rows):
    """Lists are a table in SQLite. Returns the other columns."""
    lists = collections.defaultdict(list)
    for stack, frame in db.execute("""select stack_id, frame_id from stack_frame
            order by stack_id, position"""):
        lists[stack.hex()].append(frame.hex())
    for stack, frames, _ in rows:
        assert lists.pop(as_hex(stack), []) == list(map(as_hex, frames)), stack
    assert not lists
    return [[stack, ending] for stack, _, ending in rows]


def compare_table(db, table, rows, kinds):
    if table == "stack":
        rows = compare_stacks(db, rows)
    found, expected = (sorted(str([plain(v, k) for v, k in zip(row, kinds)]) for row in some
                              if row[0] != "comment")
                       for some in (rows, db.execute(f'select * from "{table}"')))
    assert found == expected, (table, found, expected)


def compare_with_sqlite(path, status=None):
    """Every row of every table, but for what is stated of the conversion."""
    convert(path, status=status)
    run(FXT2SQLITE, "-q", "-o", "t.db", path, status=status)
    db = sqlite3.connect("t.db")
    for table in TABLES:
        rows, metadata = read(f"out/{table}.parquet")
        compare_table(db, table, rows, column_kinds(metadata))
        rows = parquet_readers.read_by_arrow(f"out/{table}.parquet")
        if rows is not None:
            compare_table(db, table, rows, column_kinds(metadata))


def test_rows_are_those_in_sqlite():
    if not os.path.exists(FXT2SQLITE):
        return
    compare_with_sqlite(write("s.fxt", server_trace.server_trace(50)))
    compare_with_sqlite(write("b.fxt", busy_trace()))
    for seed in range(12):
        with open("r.fxt", "wb") as file:
            file.write(fxtrandom.Generator(seed).archive(120))
        compare_with_sqlite("r.fxt")


# ---- Sums ----


def test_spans_are_those_of_the_report():
    path = write("s.fxt", server_trace.server_trace(100))
    convert(path)
    found = duckdb("""select name, category, count(*), sum(dur), sum(self_dur), min(dur), max(dur),
        sum(unfinished::int) from '@/out/slice.parquet' group by all order by all""")
    expected = sorted([row["name"], row["category"], *[str(row[k]) for k in (
        "count", "total_ns", "self_ns", "min_ns", "max_ns", "unfinished")]]
        for row in report("--spans", path)["spans"])
    assert found == expected, (found, expected)
    assert duckdb("""select count(*) from '@/out/flow.parquet' f join '@/out/slice.parquet' s
        on f.slice_id = s.id where f.utid = s.utid and s.ts <= f.ts
        and epoch_ns(f.ts) <= epoch_ns(s.ts) + s.dur""") == duckdb(
            "select count(*) from '@/out/flow.parquet'")


def printed(row):
    """As strings, of what is a number, too, where only one of the two has bools."""
    return [str(int(value) if isinstance(value, bool) else value) for value in row]


def test_views_of_sqlite_are_those_of_duckdb():
    """Which reads databases of SQLite with an extension, by its own idea of SQL."""
    if not os.path.exists(FXT2SQLITE):
        return
    n = 0
    for path in write("s.fxt", server_trace.server_trace(100)), write("b.fxt", busy_trace()):
        convert(path)
        run(FXT2SQLITE, "-q", "-o", "t.db", path)
        db = sqlite3.connect("t.db")
        for table in TABLES:
            columns = "* replace (epoch_ns(ts) as ts)" if table == "slice" else "*"
            duckdb(f"create or replace view {table} as select {columns} from '@/out/{table}.parquet'")
        duckdb("""create or replace view stack_frame as select id as stack_id, unnest(frames) as
            frame_id, generate_subscripts(frames, 1) - 1 as position from stack""")
        for name, statement in db.execute("select name, sql from sqlite_master where type = 'view'"):
            duckdb(statement.replace("CREATE VIEW", "create or replace view"))
            found = sorted(map(printed, duckdb(f"select * from {name}")))
            expected = sorted(map(printed, db.execute(f"select * from {name}")))
            assert found == expected, (name, found[:3], expected[:3])
            n += len(found)
    assert n > 500, n


def compare_functions(*arguments):
    """Self and total of every function, of files by host."""
    convert(*arguments)
    found = {}
    for name, own, total in duckdb("""
            with f as (select s.id, unnest(s.frames) as frame, generate_subscripts(s.frames, 1) as position
                       from '@/out/stack.parquet' s)
            select name, sum(n) filter (position = 1), sum(n) from
                (select p.stack_id, f.name, min(f1.position) as position, any_value(p.n) as n
                 from f f1 join '@/out/frame.parquet' f on f1.frame = f.id
                 join (select stack_id, sum(value) as n from '@/out/sample.parquet' group by 1) p
                 on p.stack_id = f1.id group by 1, 2) group by 1"""):
        found[name] = (int(own or 0), int(total))
    rows = report("--by", "function", *arguments)["functions"]
    expected = {row["name"]: (row["self"], row["total"]) for row in rows if row["name"]}
    assert found == expected, (found, expected)


def test_functions_are_those_of_the_report():
    trace = fxtwrite.archive()
    trace.recording(1000000)
    trace.module(7, 0, b"/bin/app", b"\1" * 20)
    trace.mapping(7, 0, 0x500000, 0x10000, 0)
    trace.lines(b"/bin/app", b"01" * 20, [
        (0x100 * f + 0x10 - is_caller, b"f%d" % f, b"app.c", 10 * f + 1, 10 * f)
        for f in range(9) for is_caller in (0, 1)])
    rng = random.Random(4)
    for i in range(500):
        trace.ended(1000 * i, 7, 7 + i % 3, 1, *[0x500000 + 0x100 * rng.randrange(9) + 0x10
                                                 for _ in range(rng.randrange(1, 6))])
    compare_functions(write("f.fxt", trace))


def test_a_recording():
    if not RECORDER:
        return
    run(RECORDER[0], "-q", "-o", "r.fxt", "--trace", RECORDER[1], status=None)
    if not os.path.exists("r.fxt"):
        return
    convert("r.fxt")
    n = report("r.fxt")["samples"]
    assert duckdb("select sum(\"count\")::int from '@/out/sample.parquet'") == [[n]]
    assert duckdb("""select count(*) from '@/out/sample.parquet'
        where ts between now()::timestamp - interval 1 hour and now()::timestamp""") == [[str(n)]]
    if parquet_readers.HAS_CLICKHOUSE:
        assert clickhouse("select sum(count) from file('@/out/sample.parquet')") == [[n]]


def test_strings_are_utf8():
    trace = fxtwrite.archive()
    for name in (b"\xff\xfe", b"a\0b", b"\xed\xa0\x80", "\u00e9".encode()):
        trace.add(event(0, 1, (1, 2), b"c", name))
    convert(write("u.fxt", trace))
    rows, _ = read("out/instant.parquet")
    assert {row[3] for row in rows} == {"\ufffd\ufffd", "a\ufffdb", "\ufffd\ufffd\ufffd", "\u00e9"}, rows


# ---- Partitions ----


def test_partitions_are_columns():
    trace = fxtwrite.archive()
    trace.init(10**9, 1000, 1700000000 * 10**9)
    trace.complete(400, 500, 1, 2, b"span")
    write("1.fxt", trace)
    trace.complete(600, 700, 1, 2, b"span")
    trace.recording(1000000)
    write("2.fxt", trace)
    # The last byte is not UTF-8.
    arguments = ("--partition", "host=a/b=\u00e9%\udcff", "--partition", "date")
    convert(*arguments, "1.fxt")
    run(FXT2PARQUET, "-q", "-o", "out", *arguments, "2.fxt")
    # Once more is not twice.
    run(FXT2PARQUET, "-q", "-o", "out", *arguments, "2.fxt")
    assert sorted(os.listdir("out")) == sorted(TABLES)
    assert os.listdir("out/slice") == ["host=a%2Fb%3D\u00e9%25\ufffd"]
    found = duckdb("""select host, date, count(*), count(distinct recording) from
        read_parquet('@/out/slice/**/*.parquet', hive_partitioning = true) group by all""")
    assert found == [["a/b=\u00e9%\ufffd", "2023-11-14", "3", "2"]], found
    assert duckdb("""select count(*) from read_parquet('@/out/slice/**/*.parquet') s join
        read_parquet('@/out/thread/**/*.parquet') t using (recording, utid)""") == [["3"]]


def test_without_a_clock_the_date_is_null():
    trace = fxtwrite.archive()
    trace.complete(400, 500, 1, 2, b"span")
    convert("--partition", "date", write("1.fxt", trace))
    assert os.listdir("out/slice") == ["date=__HIVE_DEFAULT_PARTITION__"]
    found = duckdb("""select date is null, count(*) from
        read_parquet('@/out/slice/**/*.parquet') group by 1""")
    assert found == [[True, "1"]], found


def complaint(*arguments, status=2):
    done = subprocess.run([FXT2PARQUET, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == status, done
    return done.stderr


def test_options_that_are_refused():
    write("s.fxt", server_trace.server_trace(3))
    assert "use -o DIRECTORY" in complaint("s.fxt")
    assert "a directory" in complaint("-o", "x.svg", "s.fxt")
    for partition in ("host", "host=", "1=2", "=x", "na-me=x", "name=x", "recording=x", "TS=1", ""):
        complaint("-o", "out", "--partition", partition, "s.fxt")
    assert "of that name already" in complaint("-o", "out", "--partition", "date", "--partition",
                                               "Date=2026-11-26", "s.fxt")
    complaint("-o", "out", "--compress", "lz4", "s.fxt")
    assert "reads the input twice" in complaint("-o", "out", "--partition", "date")
    assert os.listdir() == ["s.fxt"]


# ---- Files ----


def test_files_are_replaced_and_inputs_are_not():
    path = write("s.fxt", server_trace.server_trace(3))
    convert(path)
    os.chmod("out/slice.parquet", 0o640)
    run(FXT2PARQUET, "-q", "-o", "out", path)
    assert sorted(os.listdir("out")) == FILES
    assert os.stat("out/slice.parquet").st_mode & 0o777 == 0o640
    os.rename(path, "out/slice.parquet")
    assert "is also an input" in complaint("-q", "-o", "out", "out/slice.parquet", status=1)
    write("out/meta.parquet", server_trace.server_trace(3))
    assert "is also an input" in complaint("-q", "-o", "out", "out/meta.parquet", status=1)
    open("file", "wb").close()
    assert "file/" in complaint("-q", "-o", "file", "out/meta.parquet", status=1)
    for file in FILES:
        shutil.rmtree("out")
        os.mkdir("out")
        write("out/" + file, server_trace.server_trace(3))
        assert "is also an input" in complaint("-q", "-o", "out", "out/" + file, status=1)
        assert os.listdir("out") == [file]


def check_files(*whole):
    """All are whole; and if meta is there, they are together of one conversion, of which
    `whole` has the numbers of rows."""
    names = sorted(os.listdir("out")) if os.path.exists("out") else []
    names = [name for name in names if name.endswith(".parquet")]
    found = {name: int(read("out/" + name)[1]["num_rows"]) for name in names}
    assert "meta.parquet" not in names or found in whole, found
    return found


def test_killed_it_leaves_whole_files():
    write("s.fxt", server_trace.server_trace(3000))
    convert("s.fxt")
    new = {name: int(read("out/" + name)[1]["num_rows"]) for name in FILES}
    convert(write("old.fxt", server_trace.server_trace(10)))
    old = {name: int(read("out/" + name)[1]["num_rows"]) for name in FILES}
    os.rename("out", "old")
    for i in range(20):
        shutil.rmtree("out", ignore_errors=True)
        shutil.copytree("old", "out")
        with subprocess.Popen([FXT2PARQUET, "-q", "-o", "out", "s.fxt"]) as process:
            # From when on it writes.
            while i > 1 and process.poll() is None and len(os.listdir("out")) == len(FILES):
                time.sleep(0.0005)
            time.sleep(0.0005 * i)
            process.send_signal((signal.SIGTERM, signal.SIGKILL)[i % 2])
            status = process.wait()
        check_files(old, new)
        left = [name for name in os.listdir("out") if not name.endswith(".parquet")]
        assert status == -signal.SIGKILL or not left, (left, status)


def test_a_full_disk_is_an_error():
    write("s.fxt", server_trace.server_trace(3000))
    done = subprocess.run(["sh", "-c", 'ulimit -f 200; trap "" XFSZ; exec "$0" -q -o out s.fxt',
                           FXT2PARQUET], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "out/slice.parquet: " in done.stderr, done
    check_files()
    assert "slice.parquet" not in os.listdir("out") and "meta.parquet" not in os.listdir("out")


if __name__ == "__main__":
    if parquet_readers.missing():
        skip(parquet_readers.missing())
    main(sys.modules[__name__])
