#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtship before a stand-in for the server: what is complete is sent, each archive once, and
removed after that; what cannot be sent neither stays in the way nor gets lost. Argument: the
tools' directory."""
import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import patience
import server_trace
from clickhouse_stand_in import StandIn
from profile_cases import TOOLS, main, run

SHIP = os.path.join(TOOLS, "fxtship", "fxtship")
RECORD = os.path.join(TOOLS, "fxtrecord", "fxtrecord")
SCHEMA = run(os.path.join(TOOLS, "fxt2clickhouse", "fxt2clickhouse"), "--schema")
GOOD, BAD, UNUSABLE, NOT_TAKEN = range(4)


def trace(n):
    """Archives that differ."""
    return server_trace.server_trace(3 + n).data()


def fill(directory, numbers, age=100, make=trace):
    os.makedirs(directory, exist_ok=True)
    for i in numbers:
        path = os.path.join(directory, f"machine.{i:04}.fxt")
        with open(path, "wb") as file:
            file.write(make(i))
        os.utime(path, (time.time() - age + i,) * 2)
    return directory


def ship(url, directory, *arguments, status=GOOD, **options):
    """Returns both of its outputs."""
    done = subprocess.run([SHIP, "-q", "--url", url, *arguments, directory], text=True,
                          capture_output=True, check=False, timeout=patience.SECONDS, **options)
    assert done.returncode == status, done
    return done.stdout, done.stderr


def n_recordings(stand_in):
    return len(stand_in.rows["recording"])


def read(path):
    with open(path, "rb") as file:
        return file.read()


# ---- What is sent ----


def test_all_are_sent_and_removed():
    fill("d", range(1, 4))
    with open("d/note.fxt", "wb") as file:
        file.write(trace(9))
    with StandIn(SCHEMA) as stand_in:
        said, told = ship(stand_in.url, "d", "--label", "env=prod", "--host", "web1")
        assert len(re.findall(r"^\w{32}: the server took \d+ rows$", said, re.M)) == 3, said
        assert not told
        rows = stand_in.rows["recording"].values()
        assert {(row["host"], row["labels.value"]) for row in rows} == {(b"web1", (b"prod",))}
        assert len(rows) == 3 and os.listdir("d") == ["note.fxt"]
        n = len(stand_in.requests)
        assert ship(stand_in.url, "d") == ("", "") and len(stand_in.requests) == n


def test_odd_names():
    names = ["a b.0001.fxt", "new\nline.0002.fxt", "-q.0003.fxt", "\\$(x).10000.fxt",
             "x.0004.fxt"]
    other = ["0001.fxt", ".0001.fxt", "x.001.fxt", "x.0001.fxt.gz", "x0001.fxt", "x.0001.fxt.abcdef",
             "x.0001.fxt.unreadable", "y.0001.2.unreadable"]
    os.makedirs("a directory")
    for i, name in enumerate(names + other):
        with open(os.path.join("a directory", name), "wb") as file:
            file.write(trace(i))
    with StandIn(SCHEMA) as stand_in:
        ship(stand_in.url, "a directory")
        assert n_recordings(stand_in) == len(names)
    assert sorted(os.listdir("a directory")) == sorted(other)


def test_what_is_written_waits():
    fill("d", range(1, 3))
    with StandIn(SCHEMA) as stand_in:
        with open("d/machine.0002.fxt", "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            for _ in range(2):
                ship(stand_in.url, "d", "--most", "1")
                assert os.listdir("d") == ["machine.0002.fxt"]
                assert n_recordings(stand_in) == 1
        ship(stand_in.url, "d")
        assert n_recordings(stand_in) == 2 and not os.listdir("d")


def test_what_changes_while_it_is_sent_stays():
    """By who takes no lock."""
    fill("d", [1])

    def append(_, statement):
        if statement.startswith("INSERT"):
            with open("d/machine.0001.fxt", "ab") as file:
                file.write(trace(1))

    with StandIn(SCHEMA, append) as stand_in:
        _, told = ship(stand_in.url, "d", status=BAD)
        assert "has changed" in told and os.listdir("d") == ["machine.0001.fxt"]


def test_what_is_removed_while_it_is_sent_is_gone():
    fill("d", [1])

    def remove(_, statement):
        if statement.startswith("INSERT"):
            shutil.rmtree("d", ignore_errors=True)

    with StandIn(SCHEMA, remove) as stand_in:
        _, told = ship(stand_in.url, "d", status=BAD)
        assert "machine.0001.fxt: was removed by another program" in told, told
        assert told.count("\n") == 1, told


# ---- What cannot be sent ----


def test_a_hostile_directory():
    fill("d", [5])
    os.mkfifo("d/machine.0001.fxt")
    os.mkdir("d/machine.0002.fxt")
    with open("target", "wb") as file:
        file.write(trace(2))
    os.symlink("../target", "d/machine.0003.fxt")
    os.symlink("nowhere", "d/machine.0004.fxt")
    with open("d/machine.0006.fxt", "wb") as file:
        file.write(b"\x7fELF" * 100)
    with StandIn(SCHEMA) as stand_in:
        _, told = ship(stand_in.url, "d", status=BAD)
        assert "machine.0006.fxt: was not sent, and is .unreadable" in told, told
        assert n_recordings(stand_in) == 1
        left = [f"machine.{i:04}.fxt" for i in range(1, 5)] + ["machine.0006.fxt.unreadable"]
        assert sorted(os.listdir("d")) == left
        done = subprocess.run([SHIP, "--url", stand_in.url, "d"], text=True, check=True,
                              capture_output=True, timeout=patience.SECONDS)
        assert done.stderr.count("not a regular file") == 4, done
        # Another one of that name.
        with open("d/machine.0006.fxt", "wb") as file:
            file.write(b"#!/bin/sh\n" * 100)
        ship(stand_in.url, "d", status=BAD)
        assert read("d/machine.0006.fxt.2.unreadable")[:1] == b"#"
        assert read("d/machine.0006.fxt.unreadable")[:1] == b"\x7f"
    assert os.path.exists("target")


def test_damaged_archives_are_sent_as_far_as_they_go():
    def cut(i):
        data = bytearray(trace(30))
        return bytes(data[:len(data) // 2 + 3] if i == 1 else data[:16] if i == 2 else data)

    fill("d", range(1, 4), make=cut)
    with StandIn(SCHEMA) as stand_in:
        _, told = ship(stand_in.url, "d", status=BAD)
        assert told.count("damaged or empty") == 2, told
        assert n_recordings(stand_in) == 3 and not os.listdir("d")
        assert len(stand_in.rows["slice"]) > 30


def test_options_that_cannot_be_used_cost_nothing():
    fill("d", range(1, 3))
    with StandIn(SCHEMA) as stand_in:
        _, told = ship(stand_in.url, "d", "--kallsyms", "missing", status=BAD)
        assert "missing" in told and "stays" in told, told
        assert len(os.listdir("d")) == 2 and not n_recordings(stand_in)


def test_memory_that_runs_out_costs_nothing():
    fill("d", [1], make=lambda _: server_trace.server_trace(3000).data())
    with StandIn(SCHEMA) as stand_in:
        done = subprocess.run(["sh", "-c", 'ulimit -v 60000; exec "$@"', "sh", SHIP, "-q",
                               "--threads", "1", "--url", stand_in.url, "d"], text=True,
                              # With a sanitizer it does not start, which is no finding.
                              env={**os.environ, "ASAN_OPTIONS": "", "UBSAN_OPTIONS": ""},
                              capture_output=True, check=False)
        if done.returncode != GOOD:
            assert os.listdir("d") and not n_recordings(stand_in), done
        else:
            print("there was enough")


# ---- Servers that are away ----


def test_a_server_that_is_away():
    fill("d", range(1, 4))
    with StandIn(SCHEMA) as stand_in:
        url = stand_in.url
    _, told = ship(url, "d", "--retry", "0s", status=NOT_TAKEN)
    assert told.count("\n") == 1 and url in told and len(os.listdir("d")) == 3, told


def test_a_server_that_refuses():
    fill("d", range(1, 7))

    def refuse(handler, statement):
        return statement.startswith("INSERT") and not StandIn.answer(handler, 403, b"Code: 497.")

    with StandIn(SCHEMA, refuse) as stand_in:
        _, told = ship(stand_in.url, "d", status=NOT_TAKEN)
        assert told.count("Code: 497.") == 3 and len(os.listdir("d")) == 6, told


def test_one_that_is_refused_does_not_block_others():
    fill("d", range(1, 4))
    first = []

    def refuse(handler, statement):
        if not statement.startswith("INSERT") or first[1:]:
            return False
        first.append(statement)
        return len(first) == 1 and not StandIn.answer(handler, 400, b"Code: 33.")

    with StandIn(SCHEMA, refuse) as stand_in:
        ship(stand_in.url, "d", status=NOT_TAKEN)
        assert os.listdir("d") == ["machine.0001.fxt"] and n_recordings(stand_in) == 2


def test_the_oldest_are_dropped():
    fill("d", range(1, 6))
    os.utime("d/machine.0004.fxt", (1, 1))
    sizes = {name: os.stat("d/" + name).st_size for name in os.listdir("d")}
    most = sum(sizes.values()) - sizes["machine.0004.fxt"] - 1
    with StandIn(SCHEMA) as stand_in:
        url = stand_in.url
    _, told = ship(url, "d", "--retry", "0s", "--most", str(most), status=NOT_TAKEN)
    dropped = sizes["machine.0004.fxt"] + sizes["machine.0001.fxt"]
    left = [name for name in os.listdir("d") if name.endswith(".dropped")]
    assert re.search(rf"d: dropped 2 archives of {dropped} bytes, written until "
                     r"1970-01-01T00:00:01Z to 20\d\d-[-\dT:]+Z, which were not sent", told), told
    assert sorted(set(os.listdir("d")).difference(left)) == [
        f"machine.{i:04}.fxt" for i in (2, 3, 5)]
    assert sorted(name.rsplit(".", 2)[0] for name in left) == [
        f"machine.{i:04}.fxt.{sizes[f'machine.{i:04}.fxt']}" for i in (1, 4)]
    assert not any(os.stat("d/" + name).st_size for name in left)
    # The next time, nothing more is dropped.
    _, told = ship(url, "d", "--retry", "0s", "--most", str(most), status=NOT_TAKEN)
    assert "dropped" not in told and set(left) < set(os.listdir("d"))


def test_what_was_dropped_is_a_loss():
    fill("d", range(1, 3))
    sizes = [os.stat(f"d/machine.000{i}.fxt").st_size for i in (1, 2)]
    os.utime("d/machine.0001.fxt", ns=(1, 1700000000123456789))
    with StandIn(SCHEMA, lambda handler, _: not StandIn.answer(handler, 500, b"")) as stand_in:
        ship(stand_in.url, "d", "--retry", "0s", "--most", "0", status=NOT_TAKEN)
    # One that was killed after it has named a file has not emptied it.
    fill("d", [3])
    os.rename("d/machine.0003.fxt", "d/machine.0003.fxt.unreadable.77.1600000000000000000.dropped")
    for name in ("machine.0001.fxt.x.1.dropped", "machine.0001.fxt.1.dropped", "1.1.dropped",
                 f"machine.0001.fxt.1.{2**64}.dropped"):
        with open("d/" + name, "wb"):
            pass
    fill("d", [4])
    with StandIn(SCHEMA) as stand_in:
        n = 0

        def refuse(handler, statement):
            nonlocal n
            n += statement.startswith("INSERT")
            return statement.startswith("INSERT") and n == 3 and not StandIn.answer(
                handler, 400, b"Code: 33.")
        # The second one is refused at its first row, which is no reason to send no archive.
        stand_in.wrong = refuse
        ship(stand_in.url, "d", "--host", "h", status=NOT_TAKEN)
        assert n_recordings(stand_in) == 2 and "machine.0004.fxt" not in os.listdir("d")
        assert len(os.listdir("d")) == 7
        said, told = ship(stand_in.url, "d", "--host", "h", "--label", "env=prod", "--most", "1")
        assert not said and not told and len(os.listdir("d")) == 4
        losses = {}
        for (recording, *_), row in stand_in.rows["loss"].items():
            if row["name"].startswith(b"dropped_arch"):
                losses.setdefault(recording, []).append((row["name"], row["value"]))
        assert sorted(losses.values()) == sorted(
            [(b"dropped_archives", 1), (b"dropped_archive_bytes", size)] for size in [*sizes, 77])
        rows = {row["time"]: row for row in stand_in.rows["recording"].values()
                if row["recording"] in losses}
        assert len(rows) == 3 and rows[1700000000]["rows"] == 2, rows
        assert {row["host"] for row in rows.values()} == {b"h"}


# ---- Once, and only once ----


def test_killed_at_any_moment():
    archives = range(1, 5)
    fill("all", archives, make=lambda i: trace(40 + i))
    with StandIn(SCHEMA) as stand_in:
        # The directory is in meta, as part of the command.
        command = [SHIP, "-q", "--url", stand_in.url, "--host", "h", "d"]
        os.rename("all", "d")
        start = time.monotonic()
        run(*command)
        took = time.monotonic() - start
        whole, n = stand_in.rows, 100 if patience.IS_LONG else 10
        assert n_recordings(stand_in) == 4
        stand_in.rows = {name: {} for name in whole}
        fill("d", archives, make=lambda i: trace(40 + i))
        partial = 0
        for i in range(n):
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  start_new_session=True) as process:
                time.sleep(took * i / n)
                number = (signal.SIGKILL, signal.SIGTERM)[i % 2]
                os.killpg(process.pid, number)
            with stand_in.lock:
                got = {name: dict(rows) for name, rows in stand_in.rows.items()}
            partial += any(got.values()) and got != whole
            for name, rows in got.items():
                assert rows.items() <= whole[name].items(), name
            assert len(os.listdir("d")) + len(got["recording"]) >= 4
        run(*command)
        assert stand_in.rows == whole and not os.listdir("d")
        print(partial, "of", n, "in the middle")


def test_a_signal_ends_it_and_its_child():
    fill("d", range(1, 3))
    waiting = []

    def hang(_, statement):
        if statement.startswith("INSERT"):
            waiting.append(statement)
            time.sleep(0.5)

    with StandIn(SCHEMA, hang) as stand_in:
        with subprocess.Popen([SHIP, "-q", "--url", stand_in.url, "d"]) as process:
            patience.wait_for(lambda: waiting, "the first rows")
            _, told = ship(stand_in.url, "d", status=NOT_TAKEN)
            assert "another fxtship" in told, told
            process.terminate()
        assert process.returncode == -signal.SIGTERM
        assert len(os.listdir("d")) == 2
        # The lock is free, since the child is gone, too.
        waiting[:] = []
        stand_in.wrong = lambda *_: False
        ship(stand_in.url, "d")
        assert n_recordings(stand_in) == 2 and not os.listdir("d")


# ---- With the recorder ----


def test_while_it_is_recorded():
    if not os.path.exists(RECORD):
        print("not tried: there is no fxtrecord")
        return
    os.mkdir("d")
    command = [RECORD, "-F", "2000", "--rotate", "64K", "--embed-symbols", "-o",
               "d/machine.fxt", "sh", "-c",
               "i=0; while [ $i -lt 150 ]; do i=$((i + 1)); /bin/true; j=0; "
               "while [ $j -lt 1000 ]; do j=$((j + 1)); done; done"]
    n_rounds = 0
    with StandIn(SCHEMA) as stand_in:
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as recorder:
            while recorder.poll() is None:
                time.sleep(0.1)
                ship(stand_in.url, "d")
                n_rounds += n_recordings(stand_in) > 0
            told = recorder.stderr.read()
        ship(stand_in.url, "d")
        assert recorder.returncode == 0 and not os.listdir("d"), (told, os.listdir("d"))
        n_recorded = int(re.search(r"(\d+) samples", told)[1])
        n_sent = sum(row["count"] for row in stand_in.rows["sample"].values())
        print(n_sent, "samples;", n_rounds, "rounds after the first archive and before the end;",
              n_recordings(stand_in), "archives")
        assert n_sent == n_recorded > 0, told
        assert n_rounds > 0 and n_recordings(stand_in) > 2


# ---- The command line ----


def test_usage():
    os.mkdir("d")
    url = "http://127.0.0.1:1"
    for arguments in ([], ["d", "d"], ["-"], ["missing"], ["d", "--most", "x"],
                      ["d", "--label", "x"], ["d", "--schema"], ["d", "--cpu", "1"]):
        run(SHIP, "--url", url, *arguments, status=UNUSABLE, stdin=subprocess.DEVNULL)
    run(SHIP, "d", status=UNUSABLE)
    run(SHIP, "--url", "http://me:secret@h:1", "d", status=UNUSABLE)
    # No connection is tried where nothing is to be sent.
    run(SHIP, "--url", url, "d")


if __name__ == "__main__":
    main(sys.modules[__name__])
