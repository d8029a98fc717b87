#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Folded stacks as an input: what fxt2folded, fxtquery and other programs write is drawn,
and nothing of it is lost without a report. Argument: the tools' build directory."""
import glob
import gzip
import json
import os
import random
import re
import subprocess
import sys

import fxtwrite
import pprof_read
from profile_cases import FXT2FOLDED, FXT2PPROF, FXTREPORT, TOOLS, main, run, write

FXTQUERY = os.path.join(TOOLS, "fxtquery", "fxtquery")
FXT2FIREFOX = os.path.join(TOOLS, "fxt2firefox", "fxt2firefox")
CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../fuzz/corpus/profile")


def fold(*arguments, data=None, status=0):
    done = subprocess.run([FXT2FOLDED, *arguments], input=data, capture_output=True, check=False)
    assert done.returncode == status, (arguments, data, done)
    return done.stdout, done.stderr.decode()


def test_what_is_written_is_read_as_it_is():
    n = 0
    for name in glob.glob(os.path.join(CORPUS, "*")):
        for options in ((), ("--spans",)):
            first = subprocess.run([FXT2FOLDED, "-q", *options, name], check=False,
                                   capture_output=True).stdout
            if first:
                assert fold("-q", "--from", "folded", "-", data=first)[0] == first, name
                n += first.count(b"\n")
    assert n > 50


def test_random_stacks():
    rng = random.Random(35)
    names = ["main", "a b", "operator new(unsigned long)", "na\u00efve", "f 12", "", "x:y", "-1"]
    for _ in range(20):
        stacks = {}
        lines = []
        for _ in range(rng.randrange(1, 60)):
            stack = ";".join(["root"] + rng.choices(names, k=rng.randrange(4)) + ["leaf"])
            count = rng.choice((1, 7, 10 ** 9, 1 << 55))
            stacks[stack] = stacks.get(stack, 0) + count
            # Fractions are cut off.
            lines.append("%s %d%s" % (stack, count, rng.choice(("", "", ".", ".0", ".75"))))
        data = rng.choice(("\n", "\r\n")).join(lines + [""]).encode()
        out, err = fold(data=data)
        found = [line.rsplit(" ", 1) for line in out.decode().splitlines()]
        expected = {s.replace(";;", ";_;").replace(";;", ";_;"): n for s, n in stacks.items()}
        assert {s: int(n) for s, n in found} == expected, (data, out)
        cut = sum(line.endswith(".75") for line in lines)
        assert ("%d count" % cut in err) == (cut > 0), err


def test_a_query_is_drawn():
    trace = fxtwrite.Trace()
    for i in range(300):
        trace.backtrace(i, 1, 2, 0x1000 + i % 3, 0x2000)
    write("trace.fxt", trace)
    query = "select 'all;stack ' || hex(stack_id), sum(count) from sample group by stack_id"
    text = run(FXTQUERY, "--folded", "trace.fxt", query, text=False)
    assert len(text.splitlines()) == 3
    svg = fold("--format", "svg", "-", data=text)[0].decode()
    assert svg.count("\n100 samples, 33.33 %") == 3 and "all\n300 samples" in svg
    flame = run(FXTQUERY, "--folded", "trace.fxt", "@flame", text=False)
    assert fold("-q", data=flame)[0] == fold("-q", "--roots", "none", "trace.fxt")[0]


def test_other_ways_out():
    with open("in.folded", "w", encoding="ascii") as file:
        file.write("main;work 30\nmain;idle;wait 12\n")
    data = gzip.compress(b"main;work 30\nmain;idle;wait 12\n")
    assert fold("-q", data=data)[0] == b"main;idle;wait 12\nmain;work 30\n"
    assert fold("-q", "in.folded", "in.folded")[0] == b"main;idle;wait 24\nmain;work 60\n"
    report = run(FXTREPORT, "in.folded")
    assert "42 samples" in report and re.search(r"30 +71.4% +30 +71.4% +work", report), report
    run(FXTREPORT, "-o", "page.html", "in.folded")
    run(FXT2PPROF, "-o", "out.pb.gz", "in.folded")
    assert pprof_read.fold(pprof_read.read("out.pb.gz")) == {
        ("main", "idle", "wait"): 12, ("main", "work"): 30}
    scope = json.loads(fold("--format", "speedscope", "in.folded")[0])
    assert [p["weights"] for p in scope["profiles"]] == [[12, 30]], scope
    assert run(FXTQUERY, "--csv", "in.folded", "select sum(count), count(ts) from sample"
               ).splitlines()[1] == "42,0"
    with open("before.folded", "w", encoding="ascii") as file:
        file.write("main;work 10\nmain;idle;wait 12\n")
    svg = fold("--format", "svg", "--diff", "before.folded", "in.folded")[0].decode()
    assert "work\n30 samples, 71.43 %; before 45.45 %" in svg, svg


def test_what_other_programs_write_first():
    """And files too short to be anything else."""
    for data, out in ((b"\xef\xbb\xbfa;b 1\nc 2\n", b"a;b 1\nc 2\n"),
                      (b"# By a query\n\n#\r\na;b 1\n# In between\n#c;d 2\n", b"#c;d 2\na;b 1\n"),
                      (b"main 3\n", b"main 3\n"), (b"main 33\n", b"main 33\n"),
                      (b"a;b 1\n", b"a;b 1\n"), (b"start 12\nmain 3\n", b"main 3\nstart 12\n")):
        assert fold("-q", data=data)[0] == fold("-q", "--from", "folded", data=data)[0] == out, data


def test_what_cannot_be_read_is_reported():
    text = b"a;b 1\nno count\nc;d x\ne 1.x\nf\0g;h 2\n" + b"i;j 9223372036854775807\n 5\nk 4"
    out, err = fold("--from", "folded", "-", data=text, status=1)
    assert out == b"a;b 1\nf g;h 2\nk 4\n", out
    for line in (2, 3, 4):
        assert "fxt2folded: -: line %d: no count after the last space\n" % line in err, err
    assert "line 6: with this count the sum of all is 2^63 or more\n" in err, err
    assert "line 8: no end of line: its count may be cut\n" in err, err
    assert "5 samples left out: a stack without frames\n" in err, err
    assert "4 errors in the input" in err, err
    with open("long.folded", "wb") as file:
        file.write(b"a;b 1\n" + b"x" * (17 << 20) + b" 5\n" + b"y;" * (1 << 20) + b"z 6\n")
    out, err = fold("long.folded", status=1)
    assert out.startswith(b"a;b 1\ny;y;") and out.endswith(b";z 6\n"), len(out)
    assert "long.folded: line 2: a line of more than 16 MiB: left out\n" in err, err
    assert "no samples" in fold("--from", "folded", "-", data=b"\n\n", status=1)[1]


def test_what_sums_do_not_have():
    with open("in.folded", "w", encoding="ascii") as file:
        file.write("main;work 30\n")
    with open("log", "w", encoding="ascii") as file:
        file.write("Thread 1 (Thread 1.1):\n#0  0x10 in main ()\n")
    with open("cpu0.bin", "wb") as file:
        file.write(bytes(64))
    sums = "folded stacks are sums: they lack the times that this format has"
    assert sums in fold("--format", "json", "in.folded", status=2)[1]
    done = subprocess.run([FXT2FIREFOX, "in.folded"], capture_output=True, check=False)
    assert done.returncode == 2 and sums.encode() in done.stderr, done
    for other in ("log", "cpu0.bin"):
        for names in (("in.folded", other), (other, "in.folded")):
            assert "cannot be read together" in fold(*names, status=2)[1]


if __name__ == "__main__":
    main(sys.modules[__name__])
