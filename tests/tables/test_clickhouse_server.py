#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxt2clickhouse with real servers: sums are those of fxt2sqlite, which test_sqlite.py
compares with fxtreport; in a cluster of two shards, too; and each row counts once, whatever
is killed. Arguments: the tools' directory, and docs/schema.md, whose queries are run."""
import collections
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time

import clickhouse_server
import fxtwrite
import patience
import server_trace
from profile_cases import TOOLS, main, run, skip, write

if clickhouse_server.PROGRAM is None:
    skip("there is no clickhouse-server")

SENDER = os.path.join(TOOLS, "fxt2clickhouse", "fxt2clickhouse")
SHIP = os.path.join(TOOLS, "fxtship", "fxtship")
FXT2SQLITE = os.path.join(TOOLS, "fxt2sqlite", "fxt2sqlite")
with open(sys.argv[2], encoding="utf-8") as page:
    TEXT = page.read()
QUERIES = dict(re.findall(r"^-- ([^\n]+)\n(select .*?)\n```", TEXT, re.M | re.S))
ADDED = re.search(r"^alter table .*?(?=;\n```)", TEXT, re.M | re.S)[0]
SERVERS = clickhouse_server.start(2)
FIRST = SERVERS[0]


def send(path, database, *arguments, server=FIRST):
    run(SENDER, "-q", "--url", server.url, "--database", database, *arguments, path,
        timeout=patience.SECONDS)


def sqlite(path):
    run(FXT2SQLITE, "-q", "-o", path + ".db", path, timeout=patience.SECONDS)
    return sqlite3.connect(path + ".db")


# How many columns are keys, of which the others are sums; for both databases, and where they
# differ the second one for ClickHouse.
SUMS = (
    (2, "select name, category, count(*), sum(dur), sum(self_dur), sum(unfinished) from slice "
        "group by name, category"),
    (3, "select event, unit, cpu, sum(count), sum(ifnull(value, 0)) from sample "
        "group by event, unit, cpu"),
    (2, "select name, series, count(*), sum(value) from counter group by name, series"),
    (1, "select state, count(*), sum(dur) from sched group by state"),
    (1, "select name, count(*), sum(dur) from async group by name"),
    (2, "select name, kind, count(*) from instant group by name, kind"),
    (2, "select name, kind, sum(ifnull(value, 0)) from loss group by name, kind"),
    (2, "select key, value_type, sum(ifnull(int_value, 0)) from args group by key, value_type"),
    (3, "select pid, name, kind, count(*) from flow join (select utid, pid from thread "
        "join process using (upid)) using (utid) group by pid, name, kind",
        "select pid, name, kind, count(*) from flow global any left join (select recording, utid, "
        "pid from thread global any left join (select recording, upid, pid from process) as p "
        "using (recording, upid)) as t using (recording, utid) group by pid, name, kind"),
    (1, "select pid, sum(count), sum(ifnull(value, 0)) from sample join (select utid, pid from "
        "thread join process using (upid)) using (utid) group by pid",
        "select pid, sum(count), sum(ifnull(value, 0)) from sample global any left join (select "
        "recording, utid, pid from thread global any left join (select recording, upid, pid from "
        "process) as p using (recording, upid)) as t using (recording, utid) group by pid"),
)


def printed(value):
    """As ClickHouse prints it."""
    if value is None:
        return "\\N"
    return str(int(value) if isinstance(value, float) else value)


def compare(database, dbs, server=FIRST):
    """Sums over recordings, each of which is also a database of SQLite."""
    for n_keys, statement, *other in SUMS:
        expected = collections.defaultdict(lambda: [0] * 9)
        for db in dbs:
            for row in db.execute(statement):
                sums = expected[row[:n_keys]]
                sums[:] = [a + b for a, b in zip(sums, row[n_keys:])]
        rows = sorted(tuple(map(printed, (*key, *sums))) for key, sums in expected.items())
        mine = re.sub(r"(from|join) (\w+)", rf"\1 {database}.\2", (other or [statement])[0])
        found = sorted(server.ask(mine))
        assert found == rows, (mine, found, rows)


def sampled(seed):
    """Samples of a machine: other numbers of processes, and the same functions."""
    rng, trace = random.Random(seed), fxtwrite.archive()
    trace.init(10**9, 0, (1700000000 + 40000 * seed) * 10**9)
    trace.recording(1000000)
    pid = 100 + seed
    trace.module(pid, 0, b"/bin/app", b"\1" * 20)
    trace.mapping(pid, 0, 0x500000, 0x10000, 0)
    trace.process(pid, b"app")
    trace.thread(pid, b"main", pid)
    trace.lines(b"/bin/app", b"01" * 20, [
        (0x100 * depth + 0x10 - is_caller, b"f%d" % depth, b"app.c", 10 * depth + 1, 10 * depth)
        for depth in range(4) for is_caller in (0, 1)])
    for i in range(200):
        stack = [0x500010 + 0x100 * rng.randrange(4) for _ in range(rng.randrange(1, 5))]
        trace.ended(1000 * i, pid, pid, 1, *stack)
    return trace


def recordings():
    paths = [write("server.fxt", server_trace.server_trace(50))]
    return paths + [write(f"{seed}.fxt", sampled(seed)) for seed in range(8)]


def run_queries(database, dbs, server=FIRST):
    """Those of the page, with the answers that SQLite has."""
    assert len(QUERIES) == 3, QUERIES
    answers = {name: server.ask(query.replace("fxt.", database + "."))
               for name, query in QUERIES.items()}
    for name, column in (("self", "self"), ("total", "total")):
        expected = {}
        for db in dbs:
            for function, n in db.execute(
                    f"select name, sum({column}) from top_functions group by 1"):
                expected[function] = expected.get(function, 0) + n
        found = answers["functions by " + name]
        assert {f: int(n) for f, n in found} == {f: n for f, n in expected.items() if n}, found
    graph, folded = answers["flame graph"], {}
    for db in dbs:
        for stack, n in db.execute("select stack, count from flame"):
            folded[stack] = folded.get(stack, 0) + n
    path, again = [], {}
    for level, value, self, label in graph:
        path[int(level):] = [label]
        again[";".join(path)] = int(self)
        assert int(value) == sum(n for stack, n in folded.items()
                                 if (stack + ";").startswith(";".join(path) + ";"))
    assert {stack: n for stack, n in again.items() if n} == folded


def test_sums_and_what_is_sent_twice():
    paths = recordings()
    dbs = [sqlite(path) for path in paths]
    for i, path in enumerate(paths + paths[:4]):
        send(path, "fxt", "--create", "--host", f"web{i}", "--label", "env=prod")
    compare("fxt", dbs)
    run_queries("fxt", dbs)
    n = FIRST.ask("select count() from fxt.sample_rows"), FIRST.ask("select count() from fxt.sample")
    assert n == ([("2200",)], [("1600",)]), n
    FIRST.ask("optimize table fxt.sample_rows final")
    hosts = FIRST.ask("select host, labels.value[indexOf(labels.name, 'env')], rows > 0 "
                      "from fxt.recording")
    assert sorted(hosts) == sorted((f"web{i}", "prod", "1") for i in range(4, 13)), hosts
    # What is stored does not depend on which copy came last.
    compare("fxt", dbs)


def test_sums_of_hours():
    """Those that docs/fleet.md keeps in place of samples; of one day and of all others."""
    with open(os.path.join(os.path.dirname(sys.argv[2]), "fleet.md"), encoding="utf-8") as page:
        create, insert = re.findall(r"^```sql\n((?:create|insert) .*?)\n```", page.read(), re.M | re.S)
    for i, path in enumerate(recordings()):
        send(path, "hours", "--create", "--host", f"web{i % 3}")
    FIRST.ask(create.replace("fxt.", "hours."))
    for how in "=", "!=":
        FIRST.ask(insert.replace("fxt.", "hours.").replace("= '2026-11-01'", how + " '2023-11-14'"))
    by_host = "select host, sum({}) from {} group by host order by host"
    found = FIRST.ask(by_host.format("count", "hours.hourly"))
    samples = ("(select recording, count from hours.sample) as s global any left join (select "
               "recording, host from hours.recording) as h using (recording)")
    assert len(found) == 3 and found == FIRST.ask(by_host.format("count", samples)), found
    assert sum(int(n) for _, n in found) == 1600, found


def test_two_shards():
    schema = run(SENDER, "--schema", "--cluster", "shards", "--database", "two")
    clickhouse_server.make_tables(SERVERS, schema)
    paths = recordings()
    dbs = [sqlite(path) for path in paths]
    for i, path in enumerate(paths + paths[::2]):
        send(path, "two", "--host", "web", server=SERVERS[i % 2])
    for server in SERVERS:
        compare("two", dbs, server)
        run_queries("two", dbs, server)
        (n,), = server.ask("select uniqExact(recording) from two.recording_local")
        assert 0 < int(n) < len(paths), "all recordings are in one shard"


def test_tables_that_lack_a_column():
    """As those that an earlier version made: the statements of docs/schema.md add it."""
    trace = fxtwrite.archive()
    trace.backtrace(1, 1, 2, 0x1000)
    trace.drops(3, 17, 4096, 5, 9)
    path = write("old.fxt", trace)
    for statement in run(SENDER, "--schema", "--database", "old").split(";\n\n")[:-1]:
        FIRST.ask(statement.replace("  `kind` String,\n  `cpu`", "  `cpu`"))
    done = subprocess.run([SENDER, "-q", "--url", FIRST.url, "--database", "old", path], check=False,
                          stderr=subprocess.PIPE, timeout=patience.SECONDS)
    assert done.returncode != 0 and b"kind" in done.stderr, done
    for statement in ADDED.replace("fxt.", "old.").split(";\n"):
        FIRST.ask(statement)
    send(path, "old")
    compare("old", [sqlite(path)])


def test_killed_senders():
    path = write("k.fxt", server_trace.server_trace(300))
    db = sqlite(path)
    send(path, "killed", "--create")
    start = time.monotonic()
    send(path, "killed")
    took = time.monotonic() - start
    FIRST.ask("drop database killed")
    command = [SENDER, "-q", "--create", "--url", FIRST.url, "--database", "killed", path]
    n = 100 if patience.IS_LONG else 8
    for i in range(n):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            time.sleep(took * (i + 1) / n)
            process.send_signal(signal.SIGKILL)
    run(*command)
    compare("killed", [db])


def test_killed_ships():
    """fxtship: nothing is lost, nothing counts twice, and nothing stays."""
    dbs = []
    os.mkdir("ships")
    for i in range(3):
        path = write(f"ships/machine.{i:04}.fxt", server_trace.server_trace(100 + i))
        dbs.append(sqlite(path))
        os.rename(path + ".db", f"{i}.db")
    command = [SHIP, "-q", "--create", "--url", FIRST.url, "--database", "ships", "ships"]
    n = 100 if patience.IS_LONG else 6
    for i in range(n):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL,
                              start_new_session=True) as process:
            time.sleep(0.6 * (i + 1) / n)
            os.killpg(process.pid, signal.SIGKILL)
    run(*command)
    assert not os.listdir("ships")
    compare("ships", dbs)


def test_killed_servers():
    path = write("k.fxt", server_trace.server_trace(300))
    db = sqlite(path)
    send(path, "ends", "--create")
    for i in range(10 if patience.IS_LONG else 2):
        command = [SENDER, "-q", "--retry", "600s", "--url", FIRST.url, "--database", "ends", path]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            time.sleep(0.1 + 0.05 * i)
            FIRST.kill()
            FIRST.start()
            FIRST.wait()
        assert process.returncode == 0
        compare("ends", [db])


def test_users_and_errors():
    path = write("s.fxt", server_trace.server_trace(1))

    def fails(*arguments, **variables):
        done = subprocess.run([SENDER, "-q", "--url", FIRST.url, *arguments, path], text=True,
                              capture_output=True, check=False, env={**os.environ, **variables})
        assert done.returncode == 3, done
        return done.stderr

    told = fails("--database", "nowhere")
    assert "Database nowhere" in told and "--create makes the tables" in told, told
    FIRST.ask("create database half")
    assert "--create makes the tables" in fails("--database", "half")
    assert "password" in fails(CLICKHOUSE_USER="other", CLICKHOUSE_PASSWORD="wrong").lower()
    with open("netrc", "w", encoding="ascii") as file:
        file.write('machine 127.0.0.1 login other password "secret word"\n')
    send(path, "users", "--create", "--netrc", "netrc")
    FIRST.ask("alter table users.slice_rows drop column self_dur")
    assert "self_dur" in fails("--database", "users", "--retry", "0s")


if __name__ == "__main__":
    main(sys.modules[__name__])
