#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""pprof's own Compact, which merges what is equal, finds nothing to merge in a profile: of
a file that many processes have mapped, each part is one mapping.

test_compact.py TOOLS_DIR COMPACT_GO [FXTRECORD WORKLOAD]"""
import collections
import glob
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

import fxtwrite
import pprof_read
from profile_cases import (FXT2FOLDED, FXT2PPROF, HAS_LINES, main, need, run, skip,
                           symbols, write)

RECORDER = [os.path.abspath(program) for program in sys.argv[3:5]]
KERNEL = 0xffffffff80000000
FILES = [("/usr/bin/app%d" % i, bytes([i + 1] * 20)) for i in range(2)] + \
        [("/usr/lib/lib%d.so" % i, bytes([i + 11] * 20)) for i in range(2)] + \
        [("/usr/lib/no_build_id.so", b"")]
OPTIONS = ([], ["--raw-labels"], ["--timestamps"], ["--inlines", "frames"])


def build_compact():
    """pprof's package is part of Go's own sources, where no other program may use it."""
    need("go")
    sources = glob.glob(run("go", "env", "GOROOT").strip() +
                        "/src/cmd/vendor/github.com/google/pprof/profile/*.go")
    if not sources:
        skip("Go's sources are not there")
    directory = tempfile.mkdtemp()
    os.mkdir(directory + "/profile")
    for source in sources:
        shutil.copy(source, directory + "/profile")
    shutil.copy(sys.argv[2], directory + "/main.go")
    with open(directory + "/go.mod", "w", encoding="utf-8") as file:
        file.write("module compact\n\ngo 1.18\n")
    environment = dict(os.environ, GOCACHE=directory + "/cache", GOFLAGS="-mod=mod",
                       GO111MODULE="on", GOPROXY="off", HOME=directory)
    run("go", "build", "-o", "compact", ".", cwd=directory, env=environment)
    return directory


def compact(name):
    return json.loads(run(COMPACT + "/compact", name))


def check(*arguments):
    """Returns the profile, and what is in it by pprof's own count."""
    run(FXT2PPROF, "-q", "-o", "p.pb.gz", *arguments)
    found = compact("p.pb.gz")
    assert found["Before"] == found["After"], (arguments, sizes(found))
    assert found["Outside"] == 0, (arguments, found["Outside"])
    return pprof_read.read("p.pb.gz"), found["Before"]


def sizes(found):
    return [[found[when][what] for what in ("Mappings", "Locations", "Functions", "Samples")]
            for when in ("Before", "After")]


def processes(numbers, seed):
    """Each at different addresses; what they execute is at the same places in the files."""
    rng = random.Random(seed)
    trace = fxtwrite.archive()
    for process in numbers:
        trace.process(process, b"p%d" % process)
        starts = []
        for i, (name, build_id) in enumerate(FILES):
            start = (0x550000000000 + (i << 36)) + 0x1000 * rng.randrange(1 << 20)
            trace.module(process, i, name.encode(), build_id)
            # Sizes that are equal in pages, and of one file parts that are not equal.
            size = 0x5000 - (0x10 if process % 3 == 0 else 0) + 0x1000 * (i == 3) * (process % 2)
            trace.mapping(process, i, start, size, 0x2000, time=1)
            starts.append(start)
        trace.module(process, 9, b"[kernel.kallsyms]", bytes([99] * 20))
        trace.mapping(process, 9, KERNEL, 0x100000, KERNEL, time=1)
        for i in range(30):
            stack = [KERNEL + 16 * rng.randrange(8)] if i % 4 == 0 else []
            stack += [rng.choice(starts) + 16 * rng.randrange(1, 40) for _ in range(6)]
            trace.backtrace(10 + rng.randrange(50), process, process + rng.randrange(2), *stack)
    return trace


def function_totals(*arguments):
    """How many samples have each function on their stack, as fxt2folded sees it."""
    totals = collections.Counter()
    for stack, count in pprof_read.read_folded(run(FXT2FOLDED, "-q", *arguments)).items():
        for name in set(stack[1:]):
            totals[name] += count
    return dict(totals)


def test_the_same_file_in_many_processes_is_one_mapping():
    write("p.fxt", processes(range(100, 160), 1))
    for options in OPTIONS:
        profile, counts = check(*options, "p.fxt")
        # Five files, of one of which there are parts of two sizes, and the kernel.
        assert len(profile["mapping"]) == 7, profile["mapping"]
        assert counts["Total"] == function_totals("p.fxt")
        assert profile["mapping"][0]["filename"] == "/usr/bin/app0"


def test_the_mapping_is_that_of_the_process_with_the_lowest_number():
    write("all.fxt", processes(range(100, 130), 2))
    check("all.fxt")
    shown = pprof_read.read("p.pb.gz")["mapping"]
    run(FXT2PPROF, "-q", "--pid", "100,101", "-o", "two.pb.gz", "all.fxt")
    for mapping in pprof_read.read("two.pb.gz")["mapping"]:
        assert mapping["memory_start"] in {m["memory_start"] for m in shown}, mapping


def test_the_order_of_the_input_does_not_matter():
    files = [write("%d.fxt" % i, processes(range(100 + 10 * i, 110 + 10 * i), i))
             for i in range(3)]
    written = set()
    for order in itertools.permutations(files):
        run(FXT2PPROF, "-q", "--no-gzip", "-o", "p.pb", *order)
        profile = pprof_read.read("p.pb")
        profile["comment"] = None
        profile["string_table"] = None
        written.add(json.dumps(profile, sort_keys=True))
    assert len(written) == 1


def test_samples_that_become_equal_are_one():
    """A process has a library twice, as with dlmopen, and a thread is in both."""
    trace = fxtwrite.archive()
    trace.module(5, 1, b"/usr/lib/lib.so", b"\x01" * 20)
    for start in (0x700000000000, 0x710000000000):
        trace.mapping(5, 1, start, 0x4000, 0x1000)
        for i in range(3):
            trace.backtrace(10, 5, 6, start + 0x100, start + 0x200 + 0x10 * i)
    profile, _ = check(write("twice.fxt", trace))
    assert len(profile["mapping"]) == 1, profile["mapping"]
    assert [s["value"] for s in profile["sample"]] == [[2], [2], [2]]
    assert {loc["address"] >> 32 for loc in profile["location"]} == {0x7000}


def test_samples_of_a_process_that_ran_a_program_again():
    """The same program at other addresses, where there was something else before."""
    trace = fxtwrite.archive()
    for time, starts in ((10, (0x550000000000, 0x560000000000)),
                         (20, (0x560000000000, 0x550000000000))):
        for i, start in enumerate(starts):
            trace.module(5, i, b"/usr/bin/file%d" % i, bytes([i + 1] * 20))
            trace.mapping(5, i, start, 0x4000, 0x1000, time=time)
            trace.backtrace(time + 1, 5, 5, start + 0x100)
    profile, _ = check(write("again.fxt", trace))
    assert len(profile["mapping"]) == 2, profile["mapping"]
    assert [s["value"] for s in profile["sample"]] == [[2], [2]]


def test_files_without_a_name_or_with_two():
    """By its build id a file is the same under another name; without one, by its name."""
    trace = fxtwrite.archive()
    files = [(b"/old/lib.so", b"\x01" * 20), (b"/new/lib.so", b"\x01" * 20), (b"/no/id", b""),
             (b"/no/id", b""), (b"", b""), (b"", b""), (b"", b"\x02" * 20), (b"x", b"\x02" * 20)]
    for i, (name, build_id) in enumerate(files):
        trace.module(50 + i, 1, name, build_id)
        trace.mapping(50 + i, 1, 0x10000 * (i + 1), 0x1000, 0)
        trace.backtrace(1, 50 + i, 50 + i, 0x10000 * (i + 1) + 0x10)
    profile, _ = check(write("names.fxt", trace))
    assert len(profile["mapping"]) == 4, profile["mapping"]
    assert sum(s["value"][0] for s in profile["sample"]) == len(files)


def test_a_recursive_function_that_is_inlined_into_itself():
    """It has the same line several times at one address."""
    if not HAS_LINES:
        return
    with open("r.c", "w", encoding="utf-8") as file:
        file.write("volatile int sink;\n"
                   "static void inner(int n)\n"
                   "{ sink += n; if (n > 0) { inner(n - 1); inner(n - 2); } }\n"
                   "__attribute__((noinline)) void outer(int n) { inner(n); }\n"
                   "int main(int n, char **v) { (void)v; outer(n); return sink; }\n")
    run("gcc", "-g", "-O3", "-no-pie", "-o", "r", "r.c")
    trace = fxtwrite.archive()
    at = symbols("r")
    for address in range(at["inner"], at["inner.end"]):
        trace.backtrace(10, 5, 5, address)
    profile, _ = check("--inlines", "frames", "--elf", "r", write("r.fxt", trace))
    assert any(len(ids) > len(set(ids)) for ids in
               [sample["location_id"] for sample in profile["sample"]]), profile
    totals = function_totals("--inlines", "frames", "--elf", "r", "r.fxt")
    assert compact("p.pb.gz")["Before"]["Total"] == totals


def test_mappings_that_end_where_addresses_end():
    trace = fxtwrite.archive()
    for process, start, size in ((1, 2 ** 64 - 0x800, 0x700), (2, 2 ** 64 - 0x2000, 0x1000),
                                 (3, 0x7ffffffffffff000, 0x1000), (4, 0x1000, 0xfff)):
        trace.module(process, 1, b"/usr/lib/lib.so", b"")
        trace.mapping(process, 1, start, size, 0x1000)
        trace.backtrace(1, process, process, start + 0x10)
        trace.backtrace(1, process, process, start + size - 1)
    run(FXT2PPROF, "-q", "-o", "p.pb.gz", write("ends.fxt", trace))
    assert compact("p.pb.gz")["Outside"] == 0


def test_a_recording():
    """Twelve processes of one program, each with its libraries at other addresses."""
    if not RECORDER:
        return
    fxtrecord, workload = RECORDER
    line = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do '%s' -n 40 -j 2 & done; wait" % workload
    done = subprocess.run([fxtrecord, "-q", "-o", "r.fxt", "sh", "-c", line],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        print("left out: nothing can be recorded here:", done.stderr.decode().strip())
        return
    for options in (*OPTIONS, ["--skip-above", "solve_queens|mix"],
                    ["--fold-recursion", "--inlines", "frames"]):
        check(*options, "r.fxt")
    profile, counts = check("r.fxt")
    processes = {pprof_read.labels(sample)["process_koid"] for sample in profile["sample"]}
    assert len(processes) >= 12, processes
    assert counts["Total"] == function_totals("r.fxt")
    files = [(m["filename"], m["file_offset"]) for m in profile["mapping"]]
    assert len(files) == len(set(files)), files


COMPACT = build_compact()
try:
    main(sys.modules[__name__])
finally:
    shutil.rmtree(COMPACT)
