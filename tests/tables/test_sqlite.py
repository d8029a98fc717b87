#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxt2sqlite: sums in the database are those of fxtreport and fxt2folded, ids of stacks are
what docs/schema.md says, and no input and no failure leaves a database that is not whole.
Arguments: the tools' directory, and the recorder and a program if there are any."""
import collections
import hashlib
import json
import os
import random
import re
import socket
import signal
import sqlite3
import struct
import subprocess
import sys
import time

import fxtrandom
import fxtwrite
import patience
import server_trace
from fxtwrite import arg, event
from profile_cases import FXT2FOLDED, FXTREPORT, TOOLS, busy_trace, main, run, write

FXT2SQLITE = os.path.join(TOOLS, "fxt2sqlite", "fxt2sqlite")
RECORDER = [os.path.abspath(path) for path in sys.argv[2:4]]
TABLES = ("meta", "loss", "process", "thread", "frame", "stack", "stack_frame", "sample",
          "slice", "instant", "async", "flow", "counter", "args", "sched")


def database(*arguments, status=0):
    """Strings that are not UTF-8 are errors of Python's."""
    if os.path.exists("t.db") and status is None:
        os.remove("t.db")
    run(FXT2SQLITE, "-q", "-o", "t.db", *arguments, status=status, timeout=patience.SECONDS)
    db = sqlite3.connect("t.db")
    assert db.execute("pragma integrity_check").fetchall() == [("ok",)]
    for table in TABLES:
        db.execute(f"select * from {table}").fetchall()
    return db


def report(*arguments, status=0):
    return json.loads(run(FXTREPORT, "-q", "--json", *arguments, status=status,
                          timeout=patience.SECONDS))


def plain(text):
    """A string as tables have it."""
    return text.replace("\0", "\ufffd")


def compare_spans(db, path, status=0):
    found = {row[:2]: row[2:] for row in db.execute("select * from span_stats")}
    # The view puts together names that are equal only in tables.
    rows = report("--spans", path, status=status)["spans"]
    expected = {(plain(r["name"]), plain(r["category"])): (
        r["count"], r["total_ns"], r["self_ns"], r["min_ns"], r["p50_ns"], r["p90_ns"],
        r["p99_ns"], r["max_ns"], r["unfinished"]) for r in rows}
    assert found == expected, (found, expected)
    return found


# ---- Events ----


def test_a_server():
    path = write("s.fxt", server_trace.server_trace(100))
    db, summary = database(path), report(path)
    assert {name for name, _ in compare_spans(db, path)} == {
        "accept", "execute", "handle", "lock", "parse", "query", "read pages", "render", "send",
        "template"}
    found = db.execute("select name, category, count(*), sum(dur), min(dur), max(dur), "
                       "sum(unfinished) from async group by name, category").fetchall()
    assert found == [tuple(r[k] for k in ("name", "category", "count", "total_ns", "min_ns",
                                          "max_ns", "unfinished")) for r in summary["async"]]
    found = db.execute("""select counter.name, category, series, counter_id, pid, count(*), min(value),
        max(value) from counter left join process using (upid) group by 1, 2, 3, 4, 5""")
    assert found.fetchall() == [tuple(r[k] for k in (
        "name", "category", "series", "id", "process", "count", "min", "max"))
        for r in summary["counters"]]
    found = db.execute("select name, category, count(*) from instant group by 1, 2")
    assert found.fetchall() == [tuple(r.values()) for r in summary["instants"]]
    states = collections.defaultdict(collections.Counter)
    for tid, name, pid, process, state, dur in db.execute(
            "select tid, thread_name, pid, process_name, state, dur from thread_states"):
        states[tid, name, pid, process][state] += dur
    expected = {(r["thread"], r["name"], r["process"], r["process_name"]):
                (r["run_ns"], r["wait_ns"], r["blocked_ns"]) for r in summary["scheduling"]}
    assert {key: (s["running"], s["runnable"], s["blocked"] + s["suspended"])
            for key, s in states.items()} == expected
    assert db.execute("select count(*) from flow where kind = 'begin'").fetchone() == (
        summary["flows"][0]["count"],)
    # Each step and end of a flow is in a slice, which its thread has open then.
    assert db.execute("""select count(*), sum(s.utid = f.utid and s.ts <= f.ts
        and f.ts <= s.ts + s.dur) from flow f join slice s on slice_id = s.id""").fetchone() == (
        (db.execute("select count(*) from flow").fetchone()[0],) * 2)
    assert db.execute("""select string_value from slice join args using (arg_set_id)
        where slice.name = 'handle' and key = 'path' group by 1""").fetchall() == [
        (path.decode(),) for path in sorted(server_trace.PATHS)]


def test_spans_that_nest_and_cross():
    for seed in range(20):
        rng, trace = random.Random(seed), fxtwrite.archive()
        for _ in range(100):
            start, thread = rng.randrange(60), (1, rng.randrange(2, 4))
            kind, name = rng.choice((2, 3, 4)), b"s%d" % rng.randrange(4)
            extra = [start + rng.choice((0, 0, 1, 7, 30))] if kind == 4 else []
            trace.add(event(kind, start, thread, b"c", name if kind != 3 else b"", extra=extra))
        db = database(write("s.fxt", trace))
        compare_spans(db, "s.fxt")
        # Self times are of disjoint times, and a parent was open when its slice began.
        assert db.execute("select count(*) from slice where self_dur > dur").fetchone() == (0,)
        assert db.execute("""select count(*) from slice s join slice p on s.parent_id = p.id
            where p.utid != s.utid or p.ts > s.ts or p.ts + p.dur < s.ts
            or p.depth + 1 != s.depth""").fetchone() == (0,)


def test_flows_are_in_the_innermost_slice():
    trace = fxtwrite.archive()
    trace.complete(0, 100, 1, 2, b"outer")
    trace.complete(10, 20, 1, 2, b"inner")
    trace.complete(12, 60, 1, 2, b"crossing")
    for kind, when in (8, 5), (9, 15), (9, 30), (9, 80), (10, 150):
        trace.add(event(kind, when, (1, 2), b"c", b"flow", extra=[7]))
    db = database(write("f.fxt", trace))
    assert db.execute("select kind, ts, slice.name, trace_id from flow left join (select id, name "
                      "from slice) as slice on slice.id = slice_id order by ts").fetchall() == [
        ("begin", 5, "outer", 7), ("step", 15, "crossing", 7), ("step", 30, "crossing", 7),
        ("step", 80, "outer", 7), ("end", 150, None, 7)]


def test_values_of_arguments():
    trace = fxtwrite.archive()
    values = [arg(1, b"i", -3), arg(4, b"u", 2**64 - 1), arg(5, b"d", 0.5),
              arg(6, b"s", b"x'\"; drop table slice; --"), arg(7, b"p", 2**63), arg(9, b"b", True),
              arg(0, b"n", None)]
    trace.add(event(0, 1, (1, 2), b"c", b"n", values))
    trace.add(event(1, 2, (2**64 - 1, 2), b"c", b"count", [arg(4, b"big", 2**63), arg(6, b"s", b"no")],
                    extra=[9]))
    db = database(write("a.fxt", trace))
    assert db.execute("select key, value_type, int_value, string_value, real_value from args "
                      "order by rowid").fetchall() == [
        ("i", "int", -3, None, None), ("u", "uint", -1, None, None),
        ("d", "real", None, None, 0.5), ("s", "string", None, "x'\"; drop table slice; --", None),
        ("p", "pointer", -2**63, None, None), ("b", "bool", 1, None, None),
        ("n", "null", None, None, None), ("s", "string", None, "no", None)]
    assert db.execute("select series, value, counter_id, printf('%u', pid) from counter "
                      "join process using (upid)").fetchall() == [
        ("big", float(2**63), 9, str(2**64 - 1))]


def test_wall_clock():
    trace = fxtwrite.archive()
    trace.init(10**9, 1000, 1700000000 * 10**9)
    for begin in (400, 1500):
        trace.complete(begin, begin + 7, 1, 2, b"span")
    db = database(write("w.fxt", trace))
    assert db.execute("select ts - 1700000000000000000, dur from slice").fetchall() == [
        (-600, 7), (500, 7)]
    meta = {name: (number, string) for name, number, string in db.execute("select * from meta")}
    assert meta["clock"] == (None, "realtime")
    assert meta["clock_offset_ns"] == (1700000000 * 10**9 - 1000, None)


# ---- Samples ----


def without_places(name):
    """Other tools tell functions of one name apart by their source files."""
    return re.sub(r" \([^();]+\)(?=;|$)", "", name)


def folded(*arguments):
    lines = run(FXT2FOLDED, "-q", "--roots", "none", "--cut-frames", "hide", *arguments)
    sums = collections.Counter()
    for line in lines.splitlines():
        stack, _, n = line.rpartition(" ")
        sums[without_places(stack)] += int(n)
    return sums


def compare_samples(path, value="count"):
    db, sums = database(path), collections.Counter()
    option = "time" if value == "value" else "samples"
    for stack, n in db.execute(f"select stack, {value} from flame"):
        sums[stack] += n
    assert sums == folded("--value", option, path), (sums, folded("--value", option, path))
    rows = report("--by", "function", "--cut-frames", "hide", "--value", option, path)["functions"]
    if any(row["name"] is None for row in rows):
        return db
    mine, theirs = collections.Counter(), collections.Counter()
    column = "" if value == "count" else "_value"
    for name, own, total in db.execute(f"select name, self{column}, total{column} from top_functions"):
        mine[name, "self"] += own
        mine[name, "total"] += total
    for row in rows:
        theirs[without_places(row["name"]), "self"] += row["self"]
        theirs[without_places(row["name"]), "total"] += row["total"]
    assert +mine == +theirs, (mine - theirs, theirs - mine)
    return db


def hash_row(*parts):
    return hashlib.sha256(b"".join(parts)).digest()[:16]


def check_ids(db):
    frames = {}
    for row in db.execute("select * from frame"):
        strings = [(s or "").encode() for s in row[1:5]]
        number = struct.Struct("<Q").pack
        assert row[0] == hash_row(*[number(len(s)) + s for s in strings],
                                  number(row[5] or 0), number(row[6])), row
        frames[row[0]] = row
    stacks = collections.defaultdict(list)
    for stack, position, frame in db.execute("select * from stack_frame order by 1, 2"):
        assert position == len(stacks[stack]) and frame in frames
        stacks[stack].append(frame)
    for stack, ending in db.execute("select * from stack"):
        listed = stacks.pop(stack, [])
        assert stack == hash_row(struct.pack("<Q", len(listed)), *listed, (ending or "").encode())
    assert not stacks
    assert db.execute("select count(*) from sample where stack_id not in "
                      "(select id from stack)").fetchone() == (0,)


def test_samples_are_those_of_folded_stacks():
    db = compare_samples(write("b.fxt", busy_trace()))
    check_ids(db)


def recorded(base, pid):
    """A program loaded at `base`, with lines as fxtsymbolize adds them."""
    trace = fxtwrite.archive()
    trace.recording(1000000)
    trace.module(pid, 0, b"/bin/app", b"\1" * 20)
    trace.mapping(pid, 0, base, 0x10000, 0)
    trace.process(pid, b"app")
    trace.lines(b"/bin/app", b"01" * 20, [
        (0x100 * depth + 0x10 - is_caller, b"f%d" % depth, b"app.c", 10 * depth + 1, 10 * depth)
        for depth in range(3) for is_caller in (0, 1)])
    for i, depth in enumerate((1, 2, 3, 2, 1, 1)):
        trace.ended(1000 * i + base, pid, pid, 1, *[base + 0x100 * d + 0x10 for d in range(depth)])
    return trace


def test_ids_are_equal_in_every_recording():
    one = compare_samples(write("1.fxt", recorded(0x500000, 7)), "value")
    check_ids(one)
    ids = [one.execute(f"select id from {table} order by id").fetchall()
           for table in ("frame", "stack")]
    assert list(map(len, ids)) == [3, 3], ids
    assert one.execute("select name, source_file, line_number, build_id from frame order by 1"
                       ).fetchall() == [("f%d" % i, "app.c", 10 * i + 1, "01" * 20)
                                        for i in range(3)]
    two = database(write("2.fxt", recorded(0x7f0000000000, 99)))
    assert ids == [two.execute(f"select id from {table} order by id").fetchall()
                   for table in ("frame", "stack")]
    assert two.execute("select pid, tid, process.name, sum(value) from sample join thread "
                       "using (utid) join process using (upid)").fetchall() == [
        (99, 99, "app", 6000000)]


def test_functions_of_one_name_have_their_files():
    db = database(write("t.fxt", busy_trace()))
    for i, file in enumerate(("a.c", "b.c", None)):
        db.execute("insert into frame values (?, 'helper', 'm', null, ?, 1, 0)", (bytes([i]), file))
        db.execute("insert into stack_frame (stack_id, position, frame_id) values (x'aa', ?, ?)",
                   (i, bytes([i])))
    db.execute("insert into sample (stack_id, event, unit, count, value) "
               "values (x'aa', 'cpu', null, 3, 7)")
    assert db.execute("select source_file, self, total, total_value from top_functions "
                      "where name = 'helper' order by 1").fetchall() == [
        (None, 0, 3, 7), ("a.c", 3, 3, 7), ("b.c", 0, 3, 7)]


def test_samples_of_changing_names():
    trace = fxtwrite.archive()
    trace.recording(1000)
    for i, name in enumerate((b"sh", b"xz", b"sh", b"cat")):
        trace.process(7, name, 100 * i)
        trace.thread(8, name, 7, 100 * i)
        for k in range(1 + i):
            trace.ended(100 * i + k, 7, 8, 1, 0x1000)
    trace.complete(1, 350, 7, 8, b"span")
    path = write("names.fxt", trace)
    db, summary = database(path), report(path)
    by_names = ("select process.name, thread.name, {} join thread using (utid) "
                "join process using (upid) group by 1, 2 order by 1, 2")
    assert db.execute(by_names.format("sum(count) from sample")).fetchall() == sorted(
        (t["process_name"], t["name"], t["self_samples"]) for t in summary["threads"]) == [
        ("cat", "cat", 4), ("sh", "sh", 4), ("xz", "xz", 2)]
    assert db.execute(by_names.format("count(*) from slice")).fetchall() == [("cat", "cat", 1)]
    assert db.execute("select tid, count(*) from process join thread using (upid) where pid = 7 "
                      "group by 1").fetchall() == [(8, 3)]


def test_weights_of_events():
    trace = fxtwrite.archive()
    trace.several()
    trace.sampled(1, b"faults", b"count", 1)
    trace.sampled(2, b"cpu-clock", b"nanoseconds", 1000)
    rng = random.Random(3)
    for i in range(200):
        trace.weighed(i, 1, 2, 1 + i % 2, rng.randrange(1, 9), 0x1000 + rng.randrange(3))
    path = write("e.fxt", trace)
    db = database(path)
    for name in "faults", "cpu-clock":
        sums = {stack: n for stack, n in db.execute(
            "select stack, value from flame where event = ?", (name,))}
        assert sums == folded("--value", name, path), name
    assert db.execute("select count(*), sum(count), count(distinct ts) from sample").fetchone() == (
        200, 200, 200)


def test_a_recording():
    if not RECORDER:
        return
    run(RECORDER[0], "-q", "-o", "r.fxt", "--trace", RECORDER[1], status=None)
    if not os.path.exists("r.fxt"):
        return
    db = compare_samples("r.fxt")
    check_ids(db)
    meta = collections.defaultdict(list)
    for name, number, string in db.execute("select * from meta"):
        meta[name].append(number if string is None else string)
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        assert meta["boot_id"] == [file.read().strip()]
    assert meta["host"] == [socket.gethostname()]
    assert meta["clock"] == ["realtime"] and meta["recorder_version"] == meta["libfxt_version"]
    # Samples and spans are of the time for which it ran.
    assert db.execute("select min(ts), max(ts) from sample").fetchone() == (
        meta["start_ns"][0], meta["start_ns"][0] + meta["duration_ns"][0])
    assert abs(meta["start_ns"][0] / 1e9 - os.stat("r.fxt").st_mtime) < patience.SECONDS


def test_heaps():
    fxtheap = os.path.join(TOOLS, "fxtheap", "fxtheap")
    if not os.path.exists(fxtheap):
        return
    run(fxtheap, "run", "--at-exit", "h.fxt", "sort", "/dev/null", status=None)
    if not os.path.exists("h.fxt"):
        return
    db, heap = database("h.fxt"), report("h.fxt")
    assert heap["total"] > 0 and db.execute(
        "select sum(count), sum(value) from sample where event = 'inuse_space'").fetchone() == (
        heap["samples"], heap["total"])
    check_ids(db)


# ---- Any input ----


def test_random_archives():
    for seed in range(30):
        data = fxtrandom.Generator(seed).archive(120)
        with open("r.fxt", "wb") as file:
            file.write(data if seed % 3 else data[:len(data) * 2 // 3])
        db = database("r.fxt", status=None)
        status = None
        rows = report("--spans", "r.fxt", status=status)["spans"]
        assert db.execute("select count(*) from slice").fetchone()[0] == sum(
            r["count"] for r in rows)
        check_ids(db)


def test_losses_are_rows():
    trace = fxtwrite.archive()
    trace.backtrace(1, 1, 2, 0x1000)
    trace.drops(3, 17, 4096, 5, 9)
    with open("l.fxt", "wb") as file:
        file.write(trace.data() + struct.pack("<Q", 0x0000000000000044) + b"\0" * 8)
    db = database("l.fxt", status=None)
    assert db.execute("select name, cpu, value from loss where cpu is not null").fetchall() == [
        ("dropped_records", 3, 17), ("dropped_bytes", 3, 4096)]
    kinds = collections.Counter(kind for kind, in db.execute(
        "select kind from loss where name = 'note'"))
    assert kinds == {"sampler": 1, "damage": 1}, kinds
    assert set(db.execute("select name, kind from loss where name != 'note'")) == {
        ("dropped_records", "sampler"), ("dropped_bytes", "sampler"), ("errors", "damage")}


def test_no_input_is_no_crash():
    open("empty.fxt", "wb").close()
    db = database("empty.fxt", status=1)
    assert db.execute("select count(*) from slice").fetchone() == (0,)
    run(FXT2SQLITE, "-o", "n.db", "missing.fxt", status=2)
    assert not os.path.exists("n.db")


def test_several_inputs_are_one_recording():
    one, two = fxtwrite.archive(), fxtwrite.archive()
    one.complete(1, 5, 1, 2, b"a")
    two.complete(2, 4, 1, 2, b"b")
    two.complete(2, 4, 3, 4, b"b")
    db = database(write("1.fxt", one), write("2.fxt", two))
    assert db.execute("select name, pid, tid, depth from thread_slice order by 1, 2").fetchall() == [
        ("a", 1, 2, 0), ("b", 1, 2, 0), ("b", 3, 4, 0)]


# ---- The file ----


def complaint(*arguments):
    done = subprocess.run([FXT2SQLITE, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2, done
    return done.stderr


def test_what_cannot_be_a_database():
    write("s.fxt", server_trace.server_trace(3))
    assert "use -o" in complaint("s.fxt")
    os.mkfifo("pipe")
    for name in "/dev/full", "pipe":
        assert "regular file" in complaint("-o", name, "s.fxt", "missing.fxt"), name
        assert "missing.fxt" not in complaint("-o", name, "s.fxt", "missing.fxt"), name
    os.remove("pipe")
    for name in "x.svg", "x.db.gz", "x.fxt":
        assert ".db" in complaint("-o", name, "s.fxt"), name
    assert "--spans" in complaint("-o", "x.db", "--spans", "s.fxt")
    assert os.listdir() == ["s.fxt"]


def test_a_database_is_replaced_when_it_is_whole():
    write("s.fxt", server_trace.server_trace(3))
    with open("t.db", "w", encoding="ascii") as file:
        file.write("something else")
    os.chmod("t.db", 0o640)
    db = database("s.fxt")
    assert os.stat("t.db").st_mode & 0o777 == 0o640
    assert db.execute("pragma user_version").fetchone() == (1,)


def count_slices(path):
    return sqlite3.connect(path).execute("select count(*) from slice").fetchone()


def test_killed_it_leaves_no_half_database():
    write("s.fxt", server_trace.server_trace(3000))
    database("s.fxt")
    os.rename("t.db", "whole.db")
    for i in range(12):
        number = (signal.SIGTERM, signal.SIGKILL)[i % 2]
        with subprocess.Popen([FXT2SQLITE, "-q", "-o", "k.db", "s.fxt"]) as process:
            time.sleep(0.02 * i)
            process.send_signal(number)
            status = process.wait()
        # It may be killed when the database has its name already.
        is_whole = os.path.exists("k.db")
        assert is_whole or status != 0, status
        assert not is_whole or count_slices("k.db") == count_slices("whole.db"), status
        left = [name for name in os.listdir() if name.startswith("k.db.")]
        assert status == -signal.SIGKILL or not left, (left, status)
        for name in left + ["k.db"] * is_whole:
            os.remove(name)


def test_a_full_disk_is_an_error():
    write("s.fxt", server_trace.server_trace(300))
    done = subprocess.run(["sh", "-c", 'ulimit -f 200; trap "" XFSZ; exec "$0" -q -o f.db s.fxt',
                           FXT2SQLITE], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "f.db: " in done.stderr, done
    assert os.listdir() == ["s.fxt"]


if __name__ == "__main__":
    main(sys.modules[__name__])
