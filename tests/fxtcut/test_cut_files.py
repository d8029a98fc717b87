#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtcut's files: none is half written, none of the user's is lost, and what cannot be done
is reported.

    test_cut_files.py FXTCUT FXTDUMP
"""
import gzip
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import fxtwrite as w
import patience

FXTCUT, FXTDUMP = map(os.path.abspath, sys.argv[1:3])
FOLDER = tempfile.TemporaryDirectory()
os.chdir(FOLDER.name)


def run(*args, status=0, data=None, **options):
    done = subprocess.run([FXTCUT, *args], input=data, stdout=subprocess.PIPE, check=False,
                          stderr=subprocess.PIPE, timeout=patience.SECONDS, **options)
    assert done.returncode == status, (args, done.returncode, done.stderr)
    return done.stderr.decode() if status else done.stdout


def write(name, data):
    with open(name, "wb") as file:
        file.write(data)


def read(name):
    with open(name, "rb") as file:
        return file.read()


def events(data):
    done = subprocess.run([FXTDUMP, "--json", "--type", "event", "-"], input=data, check=True,
                          stdout=subprocess.PIPE)
    return [json.loads(line) for line in done.stdout.splitlines()]


def trace(n, *more):
    parts = [w.magic(), w.string(1, b"tick")]
    parts += [w.event(0, 10 * i, (5, 7), b"cat", 1) for i in range(n)]
    return b"".join(w.to_bytes(part) for part in parts + list(more))


def test_killed():
    """At any moment: while it reads, and between parts."""
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
        write("old.fxt", b"as it was")
        command = [FXTCUT, "-o", "old.fxt"]
        if number == signal.SIGKILL:
            command += ["--split", "1000"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE)
        process.stdin.write(trace(20000))
        process.stdin.flush()
        deadline = time.monotonic() + patience.SECONDS
        while len(os.listdir(".")) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(number)
        process.stdin.close()
        assert process.wait() == -number
        assert read("old.fxt") == b"as it was"
        for name in os.listdir("."):
            if name.startswith("old.0"):
                whole = name.endswith(".fxt")
                assert number == signal.SIGKILL, name
                assert not whole or len(events(read(name))) == 1000, name
            os.unlink(name)


def test_output():
    data = trace(100)
    write("in.fxt", data)
    assert run("in.fxt") == data == run(data=data) == run("-", data=gzip.compress(data))
    run("in.fxt", "-o", "out.fxt.gz")
    assert gzip.decompress(read("out.fxt.gz")) == data
    assert "overwritten" in run("in.fxt", "-o", "in.fxt", status=1)
    os.symlink("in.fxt", "in.0001.fxt")
    assert "overwritten" in run("in.fxt", "--split", "9", "-o", "in.fxt", status=1)
    assert read("in.fxt") == data
    with open("/dev/full", "wb") as full:
        done = subprocess.run([FXTCUT, "in.fxt"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1 and b"No space" in done.stderr, done
    assert "No such file" in run("in.fxt", "-o", "nowhere/out.fxt", status=1)
    assert "No such file" in run("nothing.fxt", "-o", "out.fxt", status=2)
    assert not os.path.exists("out.fxt")


def test_parts():
    write("in.fxt", trace(100))
    run("in.fxt", "--split", "200ns", "-o", "part.fxt")
    names = ["part.%04d.fxt" % (i + 1) for i in range(5)]
    assert sorted(name for name in os.listdir(".") if name.startswith("part")) == names
    for i, name in enumerate(names):
        assert [one["timestamp"] for one in events(read(name))] == list(
            range(200 * i, 200 * i + 200, 10)), name
    done = subprocess.run([FXTCUT, "in.fxt", "--split", "60", "-o", "part"], check=True,
                          stderr=subprocess.PIPE)
    assert b"part.0003.fxt: is there already" in done.stderr, done.stderr
    assert [len(events(read(name))) for name in names[:2]] == [60, 40]
    run("in.fxt", "--split", "1K", "-o", "size.fxt.gz")
    sizes = [len(gzip.decompress(read(name))) for name in sorted(os.listdir("."))
             if name.startswith("size")]
    assert sizes and all(900 < size <= 1024 + 16 for size in sizes[:-1]), sizes


def test_damage():
    data = trace(10) + bytes(16) + trace(10, [0x20])[8:-4]
    write("in.fxt", data)
    said = run("in.fxt", "-o", "out.fxt", status=1)
    assert "in.fxt:0x" in said and "ends inside a record" in said, said
    assert len(events(read("out.fxt"))) == 20
    assert run("-q", "in.fxt", "-o", "out.fxt", status=1) == ""
    # A name of which the registration is damaged is not the earlier one.
    bad = w.string(1, b"other")
    bad[0] |= 0x7FFF << 32
    write("in.fxt", trace(1, bad, w.event(0, 99, (5, 7), b"cat", 1)))
    run("-q", "in.fxt", "-o", "out.fxt", status=1)
    assert [one["name"] for one in events(read("out.fxt"))] == ["tick", "#1"]


def test_code():
    """A mapping is of the module that came last before it, though only it is in the time."""
    parts = [w.module(1, (5, 0), 3, b"old", b"id"), w.mapping(1, (5, 0), 3, 4096, 1, 0, 5),
             w.module(2, (5, 0), 3, b"new", b"id"), w.mapping(60, (5, 0), 3, 8192, 1, 0, 5),
             w.module(3, (6, 0), 4, b"other", b"id"), w.sample(100, (5, 7), [8192])]
    write("in.fxt", b"".join(w.to_bytes(part) for part in [w.magic()] + parts))
    write("out.fxt", run("--time", "50ns-", "in.fxt"))
    done = subprocess.run([FXTDUMP, "--json", "--type", "profiler", "out.fxt"], check=True,
                          stdout=subprocess.PIPE)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one.get("name", one.get("start")) for one in found] == [
        "old", "0x1000", "new", "0x2000"], found


def test_usage():
    write("in.fxt", trace(10))
    for wrong in (["--time", "9-1"], ["--time", "x"], ["--pid", "a"], ["--type", "nothing"],
                  ["--name", "("], ["--every", "0"], ["--split", "0"], ["--split", "9"],
                  ["--each"], ["--around", "x", "--each"], ["--nothing"], ["in.fxt"],
                  ["-o", "x.svg"], ["--byte-order", "middle"]):
        assert "Try" in run(*wrong, "in.fxt", status=2), wrong
    assert "no span" in run("--around", "nothing", "in.fxt", "-o", "x.fxt", status=1)
    assert not os.path.exists("x.fxt")
    write("in.json", b'{"traceEvents": []}')
    assert "not FXT" in run("in.json", status=2)
    assert events(run("--process", "nothing", "in.fxt")) == []


def test_every():
    parts = [w.event(2, 10 * i, (5, 7), b"cat", b"span") for i in range(5)]
    parts += [w.event(3, 100 + 10 * i, (5, 7), b"", b"") for i in range(5)]
    parts += [w.context_switch(9, 0, 3, 7, 8)] * 3
    write("in.fxt", trace(9, *parts))
    found = events(run("--every", "4", "in.fxt"))
    assert [one["timestamp"] for one in found] == [0, 40, 80, 0, 40, 100, 140], found
    everything = run("--every", "4", "in.fxt")
    # Of a type, it says that it is a part: ends of others may be missing.
    chosen = run("--every", "4", "--type", "event", "in.fxt")
    assert chosen.endswith(b"fxt-part") and b"fxt-part" not in everything
    assert len(everything) - len(chosen) == 3 * 32 - 16


def test_marks():
    """A part of a part is one, and a copy of it is the same."""
    span = [w.event(2, 5, (5, 7), b"cat", b"span"), w.event(3, 300, (5, 7), b"", b"")]
    write("in.fxt", trace(30, *span))
    write("part.fxt", run("--tid", "7", "in.fxt"))
    assert read("part.fxt") == read("in.fxt") + w.to_bytes(w.string(32767, b"fxt-part"))
    assert run("part.fxt") == read("part.fxt")
    assert run("--time", "0-", "part.fxt") == read("part.fxt")
    assert run("--time", "0-", "in.fxt") == read("in.fxt")
    # Also if all that it has of a span is what is made of it at the edges.
    write("open.fxt", trace(30, *span[:1]) + w.to_bytes(w.string(32767, b"fxt-part")))
    assert run("--time", "250ns-", "open.fxt").endswith(b"fxt-part")
    write("full.fxt", read("in.fxt") + w.to_bytes(w.provider_event(0, 0)))
    for name, marks in (("in.fxt", [b"fxt-part 1", b"fxt-part 2", b"fxt-part 3 of 3"]),
                        ("part.fxt", [b"fxt-part 1", b"fxt-part 2", b"fxt-part"]),
                        ("full.fxt", [b"fxt-part 1", b"fxt-part 2", b"fxt-part"])):
        run("--split", "12", "-o", "split.fxt", name)
        ends = [w.to_bytes(w.string(32767, mark)) for mark in marks]
        parts = [read("split.%04d.fxt" % (i + 1)) for i in range(len(marks))]
        assert all(part.endswith(end) for part, end in zip(parts, ends)), (name, parts)
        assert [part.count(b"fxt-part") for part in parts] == [1] * len(marks), (name, parts)


def main():
    tests = [test for name, test in globals().items() if name.startswith("test_")]
    for test in tests:
        test()
        for name in os.listdir("."):
            os.unlink(name)


main()
