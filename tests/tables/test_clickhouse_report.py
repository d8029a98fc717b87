#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""--clickhouse of fxtreport, fxt2folded and fxt2pprof, with real servers: the sums of what a
server has are those of the archives that were sent to it; also of two shards. A stand-in
gives the answers that no server should. Arguments: the tools' directory, the
dashboard of Grafana, and the recorder and a program if there are any."""
import collections
import json
import os
import random
import re
import socket
import subprocess
import sys

import clickhouse_server
import fxtwrite
import html_read
import patience
import pprof_read
from clickhouse_stand_in import ONE_LOSS, StandIn, have_one_stack
from profile_cases import FXT2FOLDED, FXT2PPROF, FXTREPORT, TOOLS, main, run, skip, write

if clickhouse_server.PROGRAM is None:
    skip("there is no clickhouse-server")

SENDER = os.path.join(TOOLS, "fxt2clickhouse", "fxt2clickhouse")
DASHBOARD = os.path.abspath(sys.argv[2])
RECORDER = [os.path.abspath(path) for path in sys.argv[3:5]]
SERVERS = clickhouse_server.start(2)
FIRST = SERVERS[0]


def send(path, database, *arguments, server=FIRST):
    run(SENDER, "-q", "--url", server.url, "--database", database, *arguments, path,
        timeout=patience.SECONDS)


def at(database, where="1", server=FIRST):
    return ["-q", "--clickhouse", server.url, "--database", database, "--where", where]


def fails(*arguments, program=FXTREPORT, **variables):
    done = subprocess.run([program, *arguments], text=True, capture_output=True, check=False,
                          timeout=patience.SECONDS, env={**os.environ, **variables})
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") <= 2, done
    return done.stderr


def sampled(seed):
    """Samples of processes of few names and many numbers, one of which gets another name; some
    stacks are cut."""
    rng, trace = random.Random(seed), fxtwrite.archive()
    trace.init(10**9, 0, (1700000000 + 40000 * seed) * 10**9)
    trace.recording(rng.choice((1000000, 250000)))
    pids = range(100 + 7 * seed, 103 + 7 * seed)
    for pid in pids:
        trace.module(pid, 0, b"/bin/app", b"\1" * 20)
        trace.mapping(pid, 0, 0x500000, 0x10000, 0)
        trace.process(pid, b"app%d" % rng.randrange(3))
        for thread in range(2):
            trace.thread(1000 * pid + thread, rng.choice((b"main", b"it's \\ \xc3\xa9")), pid)
    # As after a call of exec.
    trace.process(pids[0], b"other", 150000)
    for thread in range(2):
        trace.thread(1000 * pids[0] + thread, b"other %d" % thread, pids[0], 150000)
    trace.lines(b"/bin/app", b"01" * 20, [
        (0x100 * depth + 0x10 - is_caller, b"f%d" % depth, b"app.c", 10 * depth + 1, 10 * depth)
        for depth in range(9) for is_caller in (0, 1)])
    for i in range(300):
        pid = rng.choice(pids)
        stack = [0x500010 + 0x100 * rng.randrange(9) for _ in range(rng.randrange(1, 7))]
        trace.ended(1000 * i, pid, 1000 * pid + rng.randrange(2), rng.choice((1, 1, 2, 3)), *stack)
    return trace


def plain(name):
    """Those that the report tells apart are one function in the tables. Code of no known function
    is called by its place there, and has no name in the report."""
    if name is None or re.fullmatch(r"([^/]+\+)?0x[0-9a-f]+", name):
        return "code"
    return re.sub(r" \([^()]+\)$", "", name)


def sums(*arguments):
    """What a report has: by function, by process and by thread."""
    report = json.loads(run(FXTREPORT, "--json", "-q", *arguments, status=None))
    found = {"all": collections.Counter(n=report["samples"], total=report["total"])}
    for kind, names in (("functions", ("name", "module", "file")), ("processes", ("name",)),
                        ("threads", ("process_name", "name"))):
        for row in report[kind]:
            key = kind, *(plain(row[name]) for name in names)
            found.setdefault(key, collections.Counter()).update(
                {value: row[value] for value in ("self", "total", "self_samples",
                                                 "total_samples")})
    return found


def places(*arguments):
    """By the stacks of a profile for pprof, with module, build id, file and line of each frame,
    how many samples have these."""
    run(FXT2PPROF, "-q", "-o", "places.pb.gz", *arguments)
    profile = pprof_read.read("places.pb.gz")
    modules = {m["id"]: (m["filename"], m["build_id"]) for m in profile["mapping"]}
    functions = {f["id"]: (plain(f["name"]), f["filename"]) for f in profile["function"]}
    locations = {at["id"]: (modules.get(at["mapping_id"]), *(
        (*functions[line["function_id"]], line["line"]) for line in at["line"]))
        for at in profile["location"]}
    found = collections.Counter()
    for sample in profile["sample"]:
        found[tuple(map(locations.get, sample["location_id"]))] += sample["value"][0]
    return found


def same(mine, expected):
    different = {key: (mine.get(key), expected.get(key)) for key in mine.keys() | expected.keys()
                 if mine.get(key) != expected.get(key)}
    assert not different, different


def add(all_sums):
    total = {}
    for found in all_sums:
        for key, values in found.items():
            total.setdefault(key, collections.Counter()).update(values)
    return total


def folded(*arguments):
    return sorted(run(FXT2FOLDED, "-q", "--roots", "process,thread", "--ids", "never",
                      *arguments).splitlines())


def fold_again(lines):
    total = collections.Counter()
    for line in lines:
        stack, n = line.rsplit(" ", 1)
        total[stack] += int(n)
    return sorted(f"{stack} {n}" for stack, n in total.items())


def fold_page(name):
    """By stack, the samples of all threads."""
    return sum(html_read.fold(html_read.Page(name)).values(), collections.Counter())


def test_one_archive_is_the_same_from_both():
    for seed in range(4):
        path = write(f"{seed}.fxt", sampled(seed))
        send(path, "one", "--create", "--host", f"web{seed}", "--label", f"release={seed % 2}")
        where = at("one", f"host = 'web{seed}'")
        same(sums(*where), sums(path))
        assert folded(*where) == fold_again(folded(path))
        process = ["--process", folded(path)[0].partition(";")[0]]
        assert folded(*where, *process) == fold_again(folded(path, *process))
        same(places(*where), places(path))
        run(FXTREPORT, *where, "-o", "a.html")
        run(FXTREPORT, "-q", "-o", "b.html", path)
        a, b = (fold_page(name) for name in ("a.html", "b.html"))
        assert a == b and sum(a.values()) == 300, (a, b)
    assert sorted(FIRST.ask("select distinct ending from one.stack")) == [
        ("depth_limit",), ("no_table",), ("whole",)]


def test_many_archives_and_conditions():
    paths = [write(f"{seed}.fxt", sampled(seed)) for seed in range(10, 18)]
    for i, path in enumerate(paths):
        for _ in range(1 + i % 2):
            send(path, "many", "--create", "--host", f"db{i}", "--label", f"release={i % 2}")
    same(sums(*at("many")), add(map(sums, paths)))
    same(sums(*at("many", "labels.value[indexOf(labels.name, 'release')] = '1'")), add(map(sums, paths[1::2])))
    same(sums(*at("many", "host in ('db2', 'db5')")), add(map(sums, (paths[2], paths[5]))))
    start = 1700000000 + 40000 * 14
    same(sums(*at("many", f"time >= toDateTime({start})")), add(map(sums, paths[4:])))
    run(FXTREPORT, *at("many", "host = 'no'"), status=1)


def test_comparison():
    paths = [write(f"{seed}.fxt", sampled(seed)) for seed in (21, 22)]
    for i, path in enumerate(paths):
        send(path, "diff", "--create", "--label", f"release={i}")
    release = "has(labels.value, '{}')".format
    mine = json.loads(run(FXTREPORT, "--json", *at("diff", release(1)), "--diff-where", release(0)))
    expected = json.loads(run(FXTREPORT, "-q", "--json", "--diff", *paths))
    rows = [[{key: value for key, value in row.items() if key not in ("module", "file", "line")}
             for row in sorted(report["differences"], key=lambda row: row["name"])]
            for report in (mine, expected)]
    assert rows[0] == rows[1] and rows[0], rows
    run(FXT2FOLDED, *at("diff", release(1)), "--diff-where", release(0), "-o", "diff.svg")
    assert "--diff-where has no meaning with --format folded" in fails(
        *at("diff"), "--diff-where", "1", program=FXT2FOLDED)


def test_two_shards():
    schema = run(SENDER, "--schema", "--cluster", "shards", "--database", "two")
    # Without ZooKeeper there are no replicas, and each server is asked separately.
    schema = re.sub(r"Replicated(ReplacingMergeTree)\(.*?\)", r"\1()", schema)
    schema = schema.replace(" ON CLUSTER `shards`", "")
    for server in SERVERS:
        for statement in schema.split(";\n\n")[:-1]:
            server.ask(statement)
    paths = [write(f"{seed}.fxt", sampled(seed)) for seed in range(30, 38)]
    for i, path in enumerate(paths):
        send(path, "two", "--host", f"web{i}", server=SERVERS[i % 2])
    for server in SERVERS:
        same(sums(*at("two", server=server)), add(map(sums, paths)))
        same(sums(*at("two", "host < 'web3'", server)), add(map(sums, paths[:3])))


def test_recording():
    if not RECORDER:
        return
    run(RECORDER[0], "-q", "-o", "r.fxt", RECORDER[1], status=None)
    send("r.fxt", "real", "--create")
    mine, expected = sums(*at("real")), sums("r.fxt")
    # Of functions of one name, a stack may have several.
    for found in mine, expected:
        for key in list(found):
            if key[0] == "functions":
                del found[key]["total"], found[key]["total_samples"]
    same(mine, expected)
    same(places(*at("real")), places("r.fxt"))


def test_what_is_missing_is_named():
    path = write("m.fxt", sampled(40))
    send(path, "gone", "--create")
    FIRST.ask("create table gone.f as gone.frame_rows engine = Memory")
    FIRST.ask("drop table gone.frame_rows")
    FIRST.ask("rename table gone.f to gone.frame_rows")
    stacks = folded(*at("gone"))
    assert sum(int(line.rsplit(" ", 1)[1]) for line in stacks) == 300
    assert "[not in table frame]" in stacks[0], stacks
    FIRST.ask("create table gone.s as gone.stack_rows engine = Memory")
    FIRST.ask("drop table gone.stack_rows")
    FIRST.ask("rename table gone.s to gone.stack_rows")
    assert {line.split(";")[2].rsplit(" ", 1)[0] for line in folded(*at("gone"))} == {
        "[not in table stack]"}


def dropped(*arguments):
    """Of what a report says that is missing, the numbers of dropped records and bytes."""
    report = " ".join(run(FXTREPORT, *arguments, status=None).split())
    found = (re.search(r"(\d+) records dropped .*? \((\d+) bytes\)", report) or
             re.search(r"(?=.*? (\d+) dropped records).*? (\d+) dropped bytes", report))
    return collections.Counter(records=int(found[1]), bytes=int(found[2])), report


def test_losses_are_those_of_the_recordings():
    paths, total = [], collections.Counter()
    for seed in range(70, 73):
        trace = sampled(seed)
        trace.drops(0, seed, 100 * seed, 0, 1)
        trace.drops(3, 1000, 7, 0, 1)
        trace.words(2**64 - 2)
        paths.append(write(f"{seed}.fxt", trace))
        run(SENDER, "-q", "--url", FIRST.url, "--database", "losses", "--create", "--host",
            f"web{seed}", paths[-1], status=1)
        alone = dropped("-q", paths[-1])[0]
        assert dropped(*at("losses", f"host = 'web{seed}'"))[0] == alone, alone
        total += alone
    numbers, report = dropped(*at("losses"))
    assert numbers == total and total["records"] == 70 + 71 + 72 + 3000, (numbers, total)
    assert "dropped records in the whole of 3 recordings: the sampler had no room" in report
    assert "in the whole of 3 recordings, such as: 1 error in the input" in report, report
    # Those of a recording are of all of it.
    assert dropped(*at("losses", "host = 'web70' and ts % 2000 = 0"))[0] == dropped(
        "-q", paths[0])[0]


def test_archives_that_fxtship_dropped():
    ship = [os.path.join(TOOLS, "fxtship", "fxtship"), "-q", "--database", "ship", "--create",
            "--retry", "0s", "d"]
    os.mkdir("d")
    for number in range(1, 5):
        path = write(f"d/machine.{number:04}.fxt", sampled(80))
        os.utime(path, (1700000000 + 100 * number,) * 2)
    size = os.stat(path).st_size
    run(*ship, "--url", "http://127.0.0.1:1", "--host", "web1", "--most", str(2 * size), status=3)
    again = [name for name in os.listdir("d") if name.endswith(".dropped")]
    for _ in range(2):
        run(*ship, "--url", FIRST.url, "--host", "web1")
        assert os.listdir("d") == []
        for name in again:
            with open("d/" + name, "wb"):
                pass

    def lost(where):
        report = " ".join(run(FXTREPORT, *at("ship", where), status=None).split())
        return re.findall(r"(\d+) dropped (archives|archive bytes) in the whole", report)
    assert lost("1") == [(str(2 * size), "archive bytes"), ("2", "archives")], lost("1")
    assert lost("host = 'web2'") == []
    assert lost("host = 'web1' and time < toDateTime(1700000150)") == [
        (str(size), "archive bytes"), ("1", "archives")]
    assert lost("cpu = 0") == []


def test_more_recordings_than_a_query_has():
    """One that was sent, with its rows copied as those of others."""
    path, n = write("n.fxt", sampled(90)), 1400
    send(path, "copies", "--create", "--host", "db")
    for table, in FIRST.ask("select name from system.tables where database = 'copies' and "
                            "name in ('sample_rows', 'thread_rows', 'process_rows', "
                            "'recording_rows', 'loss_rows')"):
        columns = ", ".join(f"`{name}`" for name, in FIRST.ask(
            f"select name from system.columns where database = 'copies' and table = '{table}' "
            "and name != 'recording'"))
        few = " where row < 10" if table == "sample_rows" else ""
        FIRST.ask(f"insert into copies.{table} (recording, {columns}) select toFixedString(concat("
                  f"'copy ', toString(number)), 16), {columns} from (select * from "
                  f"copies.{table}{few}) as t cross join (select number from system.numbers limit {n}) as k")
    found = sums(*at("copies"))["all"]
    assert found["n"] == 300 + 10 * n, found
    assert sums(*at("copies", "recording < 'copy 1'"))["all"]["n"] < found["n"]


def test_an_answer_that_breaks_off_counts_once():
    tries = []

    def wrong(handler, statement):
        if statement.startswith("SELECT name, ") and len(tries) < 2:
            tries.append(handler.send_response(200))
            handler.send_header("Content-Length", "1000")
            handler.end_headers()
            handler.wfile.write(ONE_LOSS * 2)
            handler.close_connection = True
            return True
        return have_one_stack(handler, statement)
    with StandIn("", wrong) as server:
        report = run(FXTREPORT, *at("fxt", server=server))
    assert len(tries) == 2 and "7 samples" in report
    assert "12 dropped records in the whole of 1 recording: no room" in report, report


def test_dashboard():
    """Its queries, with macros and variables as Grafana would replace them."""
    paths = [write(f"{seed}.fxt", sampled(seed)) for seed in (60, 61, 62)]
    for i, path in enumerate(paths):
        send(path, "grafana", "--create", "--host", f"it{i}")
    with open(DASHBOARD, encoding="utf-8") as file:
        dashboard = json.load(file)

    def ask(query):
        query = query.replace("$__timeFilter(time)", "time >= toDateTime(1700000000)")
        query = query.replace("${host:singlequote}", "'it0','it2'").replace("fxt.", "grafana.")
        assert "$" not in query, query
        return FIRST.ask(query)

    flame, series, hosts = (ask(panel["targets"][0]["rawSql"]) for panel in dashboard["panels"])
    # A nested set has one root, and each row is in the last one of the level above.
    path, again = [], collections.Counter()
    left = {}
    for i, (level, value, self, label) in enumerate(flame):
        assert (int(level) == 0) == (i == 0) and int(level) <= len(path)
        path[int(level):] = [label]
        again[";".join(path[1:])] += int(self)
        left[len(path)] = int(value) - int(self)
        if len(path) > 1:
            left[len(path) - 1] -= int(value)
            assert left[len(path) - 1] >= 0
    expected = collections.Counter()
    for one in paths[::2]:
        for line in run(FXT2FOLDED, "-q", "--roots", "none", "--cut-frames", "hide",
                        one).splitlines():
            stack, n = line.rsplit(" ", 1)
            expected[stack] += int(n)
    assert +again == expected and int(flame[0][1]) == 600
    assert sum(int(n) for _, n in series) == 600
    assert sorted(hosts) == [("it0", "300"), ("it2", "300")]
    assert ask(dashboard["templating"]["list"][1]["query"]) == [("it0",), ("it1",), ("it2",)]


def test_conditions_stay_conditions():
    send(write("c.fxt", sampled(50)), "asked", "--create")
    for where, why in (("1) or (1", "parenthesis"), ("(1", "parenthesis"), ("'", "quote"),
                       ("'\\'", "quote"), ("1 -- ", "comment"), ("1 /* ", "comment"),
                       ("1; drop table x", ";"), (" ", "condition is needed")):
        assert why in fails(*at("asked", where)), where
    run(FXTREPORT, *at("asked", "host != ')' and host != '\\'(' and host != '--'"), status=0)
    assert "nothing" in fails(*at("asked", "nothing = 1"))
    assert "nowhere" in fails(*at("nowhere"))
    # Status 500, which is not asked again: it would be the same.
    why = fails(*at("asked", "host = 5"))
    assert "Code: 43" in why and "again" not in why, why
    assert "letters" in fails(*at("x`y"))
    for more in (["x.fxt"], ["--spans"], ["--time", "0-1"], ["--diff", "x.fxt"], ["--pid", "1"]):
        assert "--clickhouse" in fails(*at("asked"), *more), more
    assert "--where" in fails("--where", "1", "x.fxt")
    assert "--netrc is for --clickhouse" in fails("--netrc", "x", "x.fxt")
    # A user who may only read; the password is wrong first.
    assert "password" in fails(*at("asked"), CLICKHOUSE_USER="other",
                               CLICKHOUSE_PASSWORD="x").lower()


def test_users_who_may_only_read():
    path = write("s.fxt", sampled(1))
    send(path, "readers", "--create")
    expected = run(FXTREPORT, *at("readers"))
    for user in "reader", "reader_with_settings":
        variables = {**os.environ, "CLICKHOUSE_USER": user}
        assert run(FXTREPORT, *at("readers"), env=variables) == expected, user
        done = subprocess.run([SENDER, "-q", "--url", FIRST.url, "--database", "readers", path],
                              text=True, capture_output=True, check=False, env=variables)
        assert done.returncode == 3 and "Code: 164" in done.stderr, done
        assert done.stderr.count("\n") == 1, done


def test_answers_that_no_server_should_give():
    row = b"\1a\1b" + bytes(16) + (5).to_bytes(8, "little") + bytes(8)
    bodies = {"cut": row[:-1], "negative": row[:-9] + b"\xff" + bytes(8),
              "long": b"\xff" * 10, "text": b"<html>not found</html>"}
    wanted = None

    def wrong(handler, statement):
        if not statement.startswith(wanted[0]):
            return have_one_stack(handler, statement)
        StandIn.answer(handler, 200, wanted[1])
        return True
    with StandIn("", wrong) as server:
        for about, start in (("recordings", "SELECT recording "), ("stacks", "SELECT id, frames"),
                             ("samples", "SELECT process_name"), ("stacks", "SELECT id, name"),
                             ("losses", "SELECT name, ")):
            for name, body in bodies.items():
                if name == "negative" and about != "samples":
                    continue
                wanted = start, body
                why = fails("-q", "--clickhouse", server.url, "--where", "1", "--retry", "0s")
                assert f"the answer about {about} is damaged" in why, (name, why)

    def shorter(handler, statement):
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(row)
        handler.close_connection = True
        return True
    with StandIn("", shorter) as server:
        assert "with" in fails("-q", "--clickhouse", server.url, "--where", "1", "--retry", "0s")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        assert "time" in fails("-q", "--clickhouse", url, "--where", "1", "--timeout", "100ms",
                               "--retry", "0s").lower()
    assert "onnect" in fails("-q", "--clickhouse", url, "--where", "1", "--retry", "0s")


if __name__ == "__main__":
    main(sys.modules[__name__])
