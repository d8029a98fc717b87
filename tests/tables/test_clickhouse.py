#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxt2clickhouse before a stand-in for the server: the rows that arrive are those of
fxt2sqlite, each once however often the sender is killed; no answer, a slow one and a wrong
one are told apart from success. Argument: the tools' directory."""
import gzip
import hashlib
import os
import re
import shutil
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import time

import fxtrandom
import fxtwrite
import patience
import server_trace
from clickhouse_stand_in import StandIn, tables_of
from fxtwrite import arg, event
from profile_cases import TOOLS, busy_trace, main, run, write

SENDER = os.path.join(TOOLS, "fxt2clickhouse", "fxt2clickhouse")
FXT2SQLITE = os.path.join(TOOLS, "fxt2sqlite", "fxt2sqlite")
SCHEMA = run(SENDER, "--schema")
NOT_TAKEN = 3


def send(url, *arguments, status=0, **options):
    """Returns both of its outputs."""
    done = subprocess.run([SENDER, "--url", url, *arguments], capture_output=True, text=True,
                          check=False, timeout=patience.SECONDS, **options)
    assert done.returncode == status, done
    return done.stdout, done.stderr


def rows_of(stand_in, table, *more):
    """Without what only this database has."""
    left_out = ("recording", "row", "time") + more
    return [tuple(value for name, value in row.items() if name not in left_out)
            for _, row in sorted(stand_in.rows[table].items())]


def blob(value):
    return value.encode() if isinstance(value, str) else value


def signed(value):
    return value - 2**64 if isinstance(value, int) and value >= 2**63 else value


def compare(stand_in, *paths, status=0):
    """All rows are those that fxt2sqlite writes, but what names the program."""
    run(FXT2SQLITE, "-q", "-o", "t.db", *paths, status=status, timeout=patience.SECONDS)
    db, n = sqlite3.connect("t.db"), 0
    for table in stand_in.types.keys() - {"recording", "stack", "frame", "meta"}:
        expected = [tuple(map(blob, row)) for row in db.execute(f"select * from {table}")]
        mine = [tuple(map(signed, row)) for row in rows_of(stand_in, table)]
        assert mine == expected, (table, mine[:3], expected[:3])
        n += len(mine)
    frames = [tuple(map(blob, row)) for row in db.execute("select * from frame order by id")]
    assert rows_of(stand_in, "frame") == frames
    stacks = {row["id"]: (row["ending"], row["frames"]) for row in stand_in.rows["stack"].values()}
    expected = {key: (blob(ending), tuple(frame for frame, in db.execute(
        "select frame_id from stack_frame where stack_id = ? order by position", (key,))))
                for key, ending in db.execute("select * from stack")}
    assert stacks == expected
    os.remove("t.db")
    return n


# ---- Rows ----


def test_rows_are_those_of_sqlite():
    for trace in server_trace.server_trace(60), busy_trace():
        path = write("t.fxt", trace)
        with StandIn(SCHEMA) as stand_in:
            said, _ = send(stand_in.url, "-q", path)
            assert compare(stand_in, path) > 200
            n = sum(map(len, stand_in.rows.values()))
            with open(path, "rb") as file:
                name = hashlib.sha256(file.read()).hexdigest()[:32]
            assert said == f"{name}: the server took {n} rows\n", said
            (row,) = stand_in.rows["recording"].values()
            assert (row["recording"].hex(), row["rows"]) == (name, n - 1)
            assert "recording" in stand_in.requests[-1][0]


def test_values_at_their_limits():
    trace = fxtwrite.archive()
    trace.init(10**9, 0, 2**61)
    values = [arg(1, b"i", -2**63), arg(4, b"u", 2**64 - 1), arg(5, b"d", -0.5),
              arg(6, b"s", b"x'\"`\\\n\t\xff" * 40), arg(9, b"b", True), arg(0, b"n", None)]
    trace.add(event(0, 0, (1, 2), b"", b"n" * 300, values))
    trace.add(event(0, 2**63, (2**64 - 1, 2), b"c", b"n"))
    path = write("v.fxt", trace)
    with StandIn(SCHEMA) as stand_in:
        send(stand_in.url, "-q", path)
        compare(stand_in, path)
        assert {row["time"] for row in stand_in.rows["instant"].values()} == {
            2**61 // 10**9, 2**32 - 1}


def test_random_archives():
    for seed in range(12):
        data = fxtrandom.Generator(seed).archive(120)
        with open("r.fxt", "wb") as file:
            file.write(data if seed % 3 else data[:len(data) * 2 // 3])
        with StandIn(SCHEMA) as stand_in:
            done = subprocess.run([SENDER, "-q", "--url", stand_in.url, "r.fxt"],
                                  capture_output=True, check=False)
            assert done.returncode in (0, 1), done
            compare(stand_in, "r.fxt", status=None)


def test_one_recording_has_one_id():
    path = write("a.fxt", server_trace.server_trace(5))
    with open(path, "rb") as file, gzip.open("a.fxt.gz", "wb") as packed:
        packed.write(file.read())
    shutil.copy(path, "b.fxt")
    with StandIn(SCHEMA) as stand_in:
        before = {}
        for name in path, "a.fxt.gz", "b.fxt":
            said, _ = send(stand_in.url, "-q", "--host", "h", name)
            assert len(stand_in.rows["recording"]) == 1, said
            before = before or {key: dict(rows) for key, rows in stand_in.rows.items()}
        for table in before.keys() - {"meta"}:
            assert before[table] == stand_in.rows[table], table
        send(stand_in.url, "-q", "a.fxt", "b.fxt")
        assert len(stand_in.rows["recording"]) == 2


def test_labels_are_data():
    path = write("a.fxt", server_trace.server_trace(1))
    with StandIn(SCHEMA) as stand_in:
        odd = "'); drop table sample; --`\"\\\n"
        send(stand_in.url, "-q", "--host", odd, "--label", "env=prod", "--label", f"{odd}={odd}=",
             "--label", "empty=", path)
        (row,) = stand_in.rows["recording"].values()
        assert row["host"].decode() == odd
        assert row["labels.name"] == (b"env", odd.encode(), b"empty")
        assert row["labels.value"] == (b"prod", (odd + "=").encode(), b"")


def test_memory_is_bounded():
    trace = fxtwrite.archive()
    for i in range(400):
        trace.add(event(0, i, (1, 2), b"c", b"n", [arg(6, b"s", b"x" * 30000)]))
    path = write("l.fxt", trace)
    with StandIn(SCHEMA) as stand_in:
        send(stand_in.url, "-q", path)
        inserts = [s for s, _ in stand_in.requests if s.startswith("INSERT")]
        assert 2**22 <= stand_in.largest < 2**22 + 2**15, stand_in.largest
        assert len(inserts) > len(set(inserts))
        compare(stand_in, path)


def test_blocks_of_many_days():
    trace = fxtwrite.archive()
    trace.init(10**9, 1000, 10**18)
    for day in range(230):
        trace.complete(1000 + day * 86400 * 10**9, 2000 + day * 86400 * 10**9, 1, 2, b"daily")
    path = write("d.fxt", trace)
    with StandIn(SCHEMA) as stand_in:
        send(stand_in.url, "-q", path)
        assert sum("slice_rows" in s for s, _ in stand_in.requests) == 5
        compare(stand_in, path)


# ---- Once, and only once ----


def test_killed_at_any_moment():
    path = write("k.fxt", server_trace.server_trace(150))
    with StandIn(SCHEMA) as stand_in:
        # The command is in meta, as in all outputs.
        command = [SENDER, "--url", stand_in.url, "-q", "--host", "h", path]
        start = time.monotonic()
        run(*command)
        took = time.monotonic() - start
        whole, n = stand_in.rows, 100 if patience.IS_LONG else 12
        stand_in.rows = {name: {} for name in whole}
        partial = 0
        for i in range(n):
            with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
                time.sleep(took * i / n)
                process.send_signal(signal.SIGKILL)
            with stand_in.lock:
                got = {name: dict(rows) for name, rows in stand_in.rows.items()}
            partial += any(got.values()) and got != whole
            for name, rows in got.items():
                assert rows.items() <= whole[name].items(), name
            assert not got["recording"] or got == whole
            if i % 3 == 2:
                run(*command)
                assert stand_in.rows == whole
                stand_in.rows = {name: {} for name in whole}
        print(partial, "of", n, "in the middle")


def test_what_may_pass_is_tried_again():
    failures = []

    def fail(handler, statement):
        """The first two of some requests: rows are taken, and the answer is lost."""
        if "thread" not in statement or failures.count(statement) == 2:
            return False
        failures.append(statement)
        if len(failures) % 2:
            StandIn.answer(handler, 503, b"Code: 202. Too many simultaneous queries")
        else:
            handler.connection.shutdown(socket.SHUT_RDWR)
            handler.close_connection = True
        return True

    path = write("s.fxt", server_trace.server_trace(1))
    with StandIn(SCHEMA, fail) as stand_in:
        said, told = send(stand_in.url, "--retry", "60s", "--create", path)
        assert "the server took" in said and "trying again" in told
        assert len(failures) == 2 * len(set(failures)) == 6
        compare(stand_in, path)


# ---- Servers that fail ----


def failure(url, *arguments, status=NOT_TAKEN):
    path = write("s.fxt", server_trace.server_trace(1))
    said, told = send(url, *arguments, path, status=status)
    assert "took" not in said and url in told, told
    assert re.fullmatch(r"[ -~\n]*", told), told
    return told


def wrong_answer(wrong, *arguments):
    with StandIn(SCHEMA, wrong) as stand_in:
        told = failure(stand_in.url, *arguments)
    return told, len(stand_in.requests)


def answering(status, body, **headers):
    return lambda handler, _: StandIn.answer(handler, status, body, **headers) or True


def test_no_server():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert "onnect" in failure(f"http://127.0.0.1:{port}", "--retry", "0s")
    assert "no-such-host.invalid" in failure("http://no-such-host.invalid:8123", "--retry", "0s")


def test_a_server_that_says_nothing():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        assert "timed out" in failure(url, "--timeout", "200ms", "--retry", "300ms")


def test_a_server_that_answers_a_byte_at_a_time():
    def drip(handler, _):
        handler.send_response(200)
        handler.send_header("Content-Length", 1000)
        handler.end_headers()
        try:
            for _ in range(1000):
                handler.wfile.write(b"C")
                time.sleep(0.02)
        except OSError:
            pass
        return True

    told, _ = wrong_answer(drip, "--timeout", "300ms", "--retry", "0s")
    assert "timed out" in told


def test_wrong_answers():
    def endless(handler, _):
        handler.send_response(200)
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(b"x" * 65536)
        except OSError:
            return True

    def cut(handler, _):
        handler.send_response(200)
        handler.send_header("Content-Length", 1000)
        handler.end_headers()
        handler.wfile.write(b"ClickHouse\t")
        handler.close_connection = True
        return True

    def other_protocol(handler, _):
        handler.wfile.write(b"220 mail.example ESMTP\r\n")
        handler.close_connection = True
        return True

    def late(handler, statement):
        """An exception after the status was sent."""
        return statement.startswith("INSERT") and not StandIn.answer(handler, 200, b"Code: 1. x")

    for wrong, words in (
            (answering(200, b"<html>\x1b[31m\n"), r"not that of ClickHouse: <html>\\x1b[31m"),
            (answering(200, b""), "not that of ClickHouse"),
            (answering(302, b"", Location="http://127.0.0.1:1/"), "status 302"),
            (answering(403, b"Code: 516. Authentication failed"), "403: Code: 516. Auth"),
            (answering(404, b"y" * 10000), "y..."),
            (endless, "no end"), (other_protocol, "HTTP/0.9"), (late, "Code: 1. x")):
        told, n = wrong_answer(wrong, "-q")
        assert words.replace("\\\\", "\\") in told, (words, told)
        assert n < 10 and len(told) < 600, (n, told)
    for status in 404, 500:
        told, _ = wrong_answer(answering(status, b""), "-q", "--retry", "0s")
        assert told.endswith(f"status {status}\n"), told
    told, n = wrong_answer(answering(500, b"Code: 241.\n" + bytes(2 << 20)), "-q", "--retry", "600ms")
    assert told.endswith("500: Code: 241.\n") and n > 1, told
    told, n = wrong_answer(cut, "-q", "--retry", "600ms")
    assert "transfer closed" in told and n > 1, told
    told, n = wrong_answer(answering(500, b"Code: 241. Memory limit"), "-q", "--retry", "600ms")
    assert "500: Code: 241. Memory limit" in told and n > 1, told


def test_how_many_rows_were_taken_before():
    def fail(handler, statement):
        return "slice_rows" in statement and not StandIn.answer(handler, 400, b"Code: 60. No table")

    told, _ = wrong_answer(fail, "-q")
    assert re.search(r"No table: --create makes the tables; it took \d+ rows, which count once "
                     r"when all are sent again", told)


def test_a_cluster_answers_with_its_servers():
    """And with what went wrong on one of them, when all have answered."""
    path, n = write("s.fxt", server_trace.server_trace(1)), []

    def answer(handler, statement):
        if " ON CLUSTER `shards`" not in statement:
            return False
        n.append("wait_end_of_query=1" in handler.path)
        if len(n) == n_wrong:
            StandIn.answer(handler, 500, b"Code: 253. There was an error on [127.0.0.1:9001]")
        else:
            StandIn.answer(handler, 200, b"127.0.0.1\t9000\t0\t\t1\t0\n127.0.0.1\t9001\t0\t\t0\t0\n")
        return True

    with StandIn(SCHEMA, answer) as stand_in:
        for n_wrong, status in (0, 0), (5, NOT_TAKEN):
            n[:] = []
            _, told = send(stand_in.url, "-q", "--create", "--cluster", "shards", "--retry", "0s",
                           path, status=status)
            assert all(n) and len(n) == (n_wrong or 46), n
            assert ("error on [127.0.0.1:9001]" in told) == (n_wrong > 0), told


# ---- Users and TLS ----


def test_users_and_passwords():
    path = write("s.fxt", server_trace.server_trace(1))
    with StandIn(SCHEMA) as stand_in:
        send(stand_in.url, "-q", path)
        assert "Authorization" not in stand_in.requests[-1][1]
        send(stand_in.url, "-q", path,
             env={**os.environ, "CLICKHOUSE_USER": "u", "CLICKHOUSE_PASSWORD": "p:w"})
        assert stand_in.requests[-1][1]["Authorization"] == "Basic dTpwOnc="
        with open("netrc", "w", encoding="ascii") as file:
            file.write("machine 127.0.0.1 login me password other\n")
        send(stand_in.url, "-q", "--netrc", "netrc", path)
        assert stand_in.requests[-1][1]["Authorization"] == "Basic bWU6b3RoZXI="
        for entry in "machine other.example login me password other\n", "machine 127.0.0.1\n", "":
            with open("netrc", "w", encoding="ascii") as file:
                file.write(entry)
            n = len(stand_in.requests)
            said, told = send(stand_in.url, "--create", "--netrc", "netrc", path, status=NOT_TAKEN)
            assert not said and "netrc has no user for this host\n" in told, told
            assert len(stand_in.requests) == n + 1
        n = len(stand_in.requests)
        _, told = send(stand_in.url, "-q", "--netrc", "missing", path, status=NOT_TAKEN)
        assert "missing: No such file" in told
        for url in stand_in.url.replace("//", "//me:hidden@"), stand_in.url.replace("//", "//me@"):
            _, told = send(url, "-q", path, status=2)
            assert "--netrc" in told and len(stand_in.requests) == n, told
            assert "hidden" not in told


def test_tls():
    if shutil.which("openssl") is None:
        return
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
        "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=here",
        "-addext", "subjectAltName=IP:127.0.0.1")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("cert.pem", "key.pem")
    context.verify_mode = ssl.CERT_OPTIONAL
    context.load_verify_locations("cert.pem")
    with StandIn(SCHEMA, tls=context) as stand_in:
        told = failure(stand_in.url)
        assert "certificate" in told and not stand_in.requests, told
        assert failure(stand_in.url, "--cacert", "missing.pem")
        for trust in ["--insecure"], ["--cacert", "cert.pem"], [
                "--cacert", "cert.pem", "--cert", "cert.pem", "--key", "key.pem"]:
            send(stand_in.url, "-q", *trust, "s.fxt")


# ---- The command line ----


def test_the_schema():
    tables = tables_of(SCHEMA)
    assert len(tables) == 15, tables
    assert tables["sample"][1] == ["recording", "row"] and tables["stack"][1] == ["id"]
    cluster = run(SENDER, "--schema", "--cluster", "a-b.c", "--database", "d_1")
    assert cluster.count(" ON CLUSTER `a-b.c`") == 46
    assert cluster.count("ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/d_1/") == 15
    assert cluster.count("Distributed('a-b.c', 'd_1', '") == 15
    for option in ("--database", "--cluster"):
        for name in "", "a`b", "a b", "a'b", "a;b", "x" * 65, "\u00e4":
            run(SENDER, "--schema", option, name, status=2)
    for useless in (["--label", "a=b"], ["--host", "web1"], ["--url", "http://h"], ["a.fxt"],
                    ["--", "-a.fxt"]):
        run(SENDER, "--schema", *useless, status=2)
    done = subprocess.run([SENDER, "--database", "a\nb\33[1m", "x"], capture_output=True,
                          check=False)
    assert b"--database cannot be 'a\\nb\\x1b[1m': a name is of" in done.stderr, done


def test_what_cannot_be_sent():
    path = write("s.fxt", server_trace.server_trace(1))
    with StandIn(SCHEMA) as stand_in:
        for arguments, status in (
                ([], 2), (["-"], 2), (["missing.fxt"], 2), ([path, "missing.fxt"], 2),
                (["--cluster", "x", path], 2), (["--label", "x", path], 2),
                (["--label", "=x", path], 2), (["--label", "a=1", "--label", "a=2", path], 2),
                (["--timeout", "0s", path], 2)):
            said, _ = send(stand_in.url, *arguments, status=status, stdin=subprocess.DEVNULL)
            assert not said and not stand_in.requests, arguments
        os.mkfifo("pipe")
        with subprocess.Popen(["sh", "-c", "cat s.fxt > pipe"]):
            assert "regular file" in send(stand_in.url, "pipe", status=2)[1]
        os.utime(path, (time.time() + 100,) * 2)
        assert "still being written" in send(stand_in.url, path, status=2)[1]
        assert not stand_in.requests
    run(SENDER, path, status=2)
    for url in "ftp://127.0.0.1/", "file:///etc/passwd", "127.0.0.1 x", "http://h:1/?query=x":
        _, told = send(url, path, status=2)
        assert "URL" in told


if __name__ == "__main__":
    main(sys.modules[__name__])
