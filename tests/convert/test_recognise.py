#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What is no FXT is named as what it is, and nothing that is FXT ever is. Arguments: the
tools' build directory, the project's source directory."""
import glob
import gzip
import json
import os
import random
import shutil
import struct
import subprocess
import sys

import fxtrandom
import fxtwrite
from profile_cases import FXT2FOLDED, FXT2PPROF, TOOLS, main, run, write

FXTDUMP = os.path.join(TOOLS, "fxtdump", "fxtdump")
CONVERTERS = (FXT2FOLDED, FXT2PPROF)
ALL = (FXTDUMP, *CONVERTERS)
SOURCE = sys.argv[2]
PERF = "perf.data, which 'perf script' reads"
PPROF = "a pprof profile, which 'go tool pprof' reads"
CHROME = "a trace in Chrome's JSON, which ui.perfetto.dev shows"
SVG = "an SVG image, which browsers show"


def region(n=3):
    trace = fxtwrite.Trace()
    for i in range(n):
        trace.backtrace(i, 1, 2, 0x1000 + i, 0x2000 + 7 * i)
    return trace


def give(tool, data, *options, pipe=False):
    """Exit status and messages, of one input."""
    with open("in", "wb") as file:
        file.write(data)
    done = subprocess.run([tool, *options, "-o", "out"] + ([] if pipe else ["in"]), check=False,
                          input=data if pipe else b"", capture_output=True)
    return done.returncode, done.stderr.decode(), done.stdout


def is_named(tool, data, what):
    for pipe in (False, True):
        for packed in (data, gzip.compress(data)):
            status, said, out = give(tool, packed, pipe=pipe)
            name = ("standard input" if tool == FXTDUMP else "-") if pipe else "in"
            line = "%s: %s: not FXT but %s" % (os.path.basename(tool), name, what)
            assert status == 2 and out == b"", (tool, what, status, said)
            assert said.splitlines()[0] == line, (tool, said, line)
            assert not os.path.exists("out"), (tool, what)
    # With --region, the content is not checked.
    status, said, _ = give(tool, data, "--region")
    assert status in (0, 1) and "not FXT" not in said, (tool, what, status, said)
    if os.path.exists("out"):
        os.unlink("out")


def varint(value):
    out = b""
    while value > 0x7f:
        out += bytes([value & 0x7f | 0x80])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, content):
    return varint(field << 3 | 2) + varint(len(content)) + content


def go_profile(n):
    """As Go's runtime writes it: the time first, samples before what they refer to."""
    kind = message(1, number(1, 1) + number(2, 2))
    samples = b"".join(message(2, message(1, varint(1) + varint(i + 1)) + message(2, varint(9)))
                       for i in range(n))
    places = b"".join(
        message(4, number(1, i + 1) + number(3, 0x400000 + i) + message(4, number(1, 1)))
        for i in range(n + 1))
    strings = b"".join(message(6, s) for s in (b"", b"samples", b"count", b"main"))
    return (number(9, 1700000000 * 10**9) + kind + number(10, 10**9) +
            message(11, number(1, 1) + number(2, 2)) + number(12, 10**7) + samples +
            message(3, number(1, 1)) + places + message(5, number(1, 1) + number(2, 3)) + strings)


def perf_header(magic, size=104):
    return magic + struct.pack("<10Q", size, 144, 120, 272, 200, 0, 0, 0, 0, 0)


def test_what_it_is_and_what_reads_it():
    write("region.bin", region())
    profile = run(FXT2PPROF, "-q", "--no-gzip", "region.bin", text=False)
    with open(sys.executable, "rb") as file:
        program = file.read(4096)
    elf = ("an ELF file, which readelf reads; fxt2folded and fxt2pprof take names of functions "
           "from it with --elf")
    text = [run(FXTDUMP, "-q", "region.bin"), "samples of a program:\n\n  50.0 %  main\n",
            "na\u00efve \u65e5\u672c\u8a9e " * 9000]
    foreign = [
        (program, elf),
        (b"\x7fELF\x01\x02\x01" + bytes(45), elf),
        *((perf_header(magic), PERF)
          for magic in (b"PERFILE2", b"2ELIFREP", b"PERFFILE", b"ELIFFREP")),
        (perf_header(b"PERFILE2", 16)[:16], PERF),
        (b"SQLite format 3\0" + bytes(84), "a database, which sqlite3 reads"),
        (profile, PPROF),
        (go_profile(1), PPROF),
        (go_profile(20000), PPROF),
        (run(FXT2FOLDED, "-q", "--format", "speedscope", "region.bin", text=False),
         "a profile that www.speedscope.app shows"),
        (run(FXT2FOLDED, "-q", "--format", "svg", "region.bin", text=False), SVG),
        (b'<svg xmlns="http://www.w3.org/2000/svg"/>', SVG),
        (run(FXTDUMP, "-q", "--json", "region.bin", text=False), "JSON, which jq reads"),
        (b"\xef\xbb\xbf \n[] \n", "JSON, which jq reads"),
        (b"main 12\nis no stack\n", "text"),
        (b"# a comment\n" * 3, "text"),
        (json.dumps({"traceEvents": [{"ph": "X"}]}).encode(), CHROME),
        (json.dumps([{"name": "a", "ph": "B", "ts": 1}], indent=1).encode(), CHROME),
        *((one.encode(), "text") for one in text),
    ]
    for data, what in foreign:
        for tool in ALL:
            is_named(tool, data, what)


def test_recordings_of_perf():
    if shutil.which("perf") is None:
        print("left out: there is no perf")
        return
    command = ["perf", "record", "-q", "-e", "cpu-clock", "-o"]
    for output in ("data", "-"):
        done = subprocess.run([*command, output, "true"], check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
        if done.returncode != 0:
            print("left out: perf may not record here")
            return
        if output == "data":
            with open("data", "rb") as file:
                recorded = file.read()
        else:
            recorded = done.stdout
        for tool in ALL:
            is_named(tool, recorded, PERF)


def test_captures_are_for_the_converters():
    """Which know whether they can read JSON."""
    write("region.bin", region())
    folded = (run(FXT2FOLDED, "-q", "region.bin", text=False), b"main;run 12\n",
              b"main;run 12\r\nmain 1\r\n", b"main;run 12.5\n", b"\xef\xbb\xbfmain;run 12\n",
              b"\n# from a query\nmain;run 12\n", b"main, which is all 12\nrun 30\n")
    captures = {b'{"stack_traces":[{"0":["main"]}]}\n': "captures of stacks in JSON",
                b"Thread 1 (Thread 1.1):\n#0  0x10 in main ()\n": "a log of gdb",
                **{data: "folded stacks" for data in folded}}
    for data, what in captures.items():
        is_named(FXTDUMP, data, what + ", which fxt2folded and fxt2pprof read")
        for tool in CONVERTERS:
            status, said, _ = give(tool, data)
            assert "not FXT" not in said, said
            assert status == 0 or "JSON" in said, (tool, status, said)
            if os.path.exists("out"):
                os.unlink("out")


def test_what_is_beside_it_is_read():
    write("region.bin", region())
    for tool in CONVERTERS:
        for kind in (perf_header(b"PERFILE2"), go_profile(3), b"[]          \n"):
            with open("other", "wb") as file:
                file.write(kind)
            for names in (("other", "region.bin"), ("region.bin", "other")):
                done = subprocess.run([tool, "-o", "out", *names], check=False,
                                      stderr=subprocess.PIPE)
                assert done.returncode == 2, done
                assert done.stderr.count(b"not FXT but") == 1, done
                assert b"3 samples, merged into 3" in done.stderr, done
                os.unlink("out")


def is_read(names):
    """Good or bad, it is FXT to all tools."""
    for start in range(0, len(names), 200):
        some = names[start : start + 200]
        for tool in ALL:
            done = subprocess.run([tool, "-q", "-o", "out", *some], check=False,
                                  stderr=subprocess.PIPE)
            assert done.returncode in (0, 1), (done, [n for n in some if give_one(tool, n) == 2])


def give_one(tool, name):
    return subprocess.run([tool, "-o", "out", name], check=False, stderr=subprocess.PIPE).returncode


def test_golden_data_is_fxt():
    found = [path for folder in ("tests/data/*.fxt", "tests/data/*.bin*", "fuzz/corpus/reader/*",
                                 "fuzz/corpus/round_trip/*", "fuzz/corpus/profile/*")
             for path in glob.glob(os.path.join(SOURCE, folder))]
    # What the tables of fxtheap look like is not FXT, and not recognised either.
    assert len(found) > 100, found
    is_read(found)


def as_region(data):
    """An archive's records alone, so that any of them comes first."""
    return data[8:]


def test_random_regions_are_fxt():
    names = []
    for seed in range(300):
        rng = random.Random(seed)
        generator = fxtrandom.Generator(seed, seed % 3 == 0)
        data = as_region(generator.archive(1 + rng.randrange(12)))
        names.append("%d.bin" % seed)
        with open(names[-1], "wb") as file:
            file.write(data[: rng.choice((len(data), rng.randrange(len(data) + 1)))])
    is_read(names)


def test_regions_that_look_like_something_else_are_fxt():
    """Records full of text, ones whose first byte is a field of a profile, and the shortest."""
    letters = b"main;run 12\n" * 90
    cases = [b"", b"F", b"FXT", b"{", b"[1]", b"<svg/>", b"a;b 1", b"0123456"]
    for n in range(256):
        trace = fxtwrite.Trace()
        trace.backtrace(0x0a040801, 0x0801, 0x1002, *[0x0a0408011002] * n)
        trace.sample(0x6e69616d, 1, 2, *[0x6e69616d3b6e7572] * min(n, 64))
        cases.append(trace.data())
    for name in (letters, b"{" + letters, b'{"stack_traces":[]}' * 60, b"\x0a\x04\x08\x01" * 300):
        trace = fxtwrite.Trace()
        trace.begin(0x2020202020202020, 0x2020202020202020, 0x2020202020202020, name)
        trace.end(0x2020202020202020, 0x2020202020202020, 0x2020202020202020, name)
        cases += [trace.data(), trace.data()[:-1]]
    whole = region().data()
    cases += [whole[:n] for n in range(len(whole))]
    names = []
    for i, data in enumerate(cases):
        names.append("%d.bin" % i)
        with open(names[-1], "wb") as file:
            file.write(data)
    is_read(names)


def test_a_pipe_may_give_a_byte_at_a_time():
    data = region().data()
    process = subprocess.Popen([FXT2FOLDED, "-q"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for byte in data:
        process.stdin.write(bytes([byte]))
        process.stdin.flush()
    out, _ = process.communicate()
    assert out.count(b"\n") == 3, out


if __name__ == "__main__":
    main(sys.modules[__name__])
