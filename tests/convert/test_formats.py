#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What fxt2folded writes in the order of time: speedscope's files, captures, and folded
stacks that are not merged. The samples are random, and what they should become is worked
out here. Argument: the tools' build directory."""
import json
import random
import sys
from collections import Counter

import fxtwrite
from profile_cases import FXT2FOLDED, FXT2PPROF, main, run, write

NAMES = {10: b"one;two", 11: b"\xff<\x1b[1m>\"\\\x00", 20: b"main", 21: b"worker"}
UNITS = {"bytes", "microseconds", "milliseconds", "nanoseconds", "none", "seconds"}


def random_samples(rng, n):
    """(time, process, thread, cpu, PCs leaf first), of different times."""
    samples = []
    for time in rng.sample(range(1, 10 * n + 2), n):
        pcs = [rng.choice((0x10, 0x20, 0xffffffff80001000))
               for _ in range(rng.randrange(1, 5))]
        samples.append((time, rng.choice((10, 11)), rng.choice((20, 21, 22)),
                        rng.randrange(3), pcs))
    return samples


def write_regions(samples):
    """A file for each CPU, in no order of time, and one of names."""
    names = fxtwrite.Trace()
    names.magic()
    for koid, name in NAMES.items():
        (names.process if koid < 20 else names.thread)(koid, name)
    files = [write("names.fxt", names)]
    for cpu in range(3):
        trace = fxtwrite.Trace()
        for time, process, thread, _, pcs in samples:
            if _ == cpu:
                trace.backtrace(time, process, thread, *pcs)
        files.append(write("cpu%d.bin" % cpu, trace))
    return files


def text(koid, kind):
    return "%s[%d]" % (NAMES.get(koid, kind.encode()).decode(errors="replace"), koid)


def stack(pcs):
    return ["0x%x" % pc for pc in reversed(pcs)]


# ---- speedscope ----


def check_schema(document):
    """What the schema of speedscope's own files requires."""
    assert document["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert set(document) <= {"$schema", "activeProfileIndex", "exporter", "name",
                             "profiles", "shared"}
    frames = document["shared"]["frames"]
    for frame in frames:
        assert isinstance(frame["name"], str)
        assert set(frame) <= {"name", "file", "line", "col"}
    for profile in document["profiles"]:
        assert set(profile) == {"type", "name", "unit", "startValue", "endValue",
                                "samples", "weights"}
        assert profile["type"] == "sampled" and profile["unit"] in UNITS
        assert isinstance(profile["name"], str)
        assert len(profile["samples"]) == len(profile["weights"])
        assert profile["endValue"] - profile["startValue"] == sum(profile["weights"])
        for sample in profile["samples"]:
            assert all(isinstance(i, int) and 0 <= i < len(frames) for i in sample)
    used = {i for p in document["profiles"] for s in p["samples"] for i in s}
    assert used == set(range(len(frames)))
    assert len({f["name"] for f in frames}) == len(frames)


def speedscope(*arguments):
    run(FXT2FOLDED, "-q", "-o", "o.speedscope.json", *arguments)
    with open("o.speedscope.json", encoding="utf-8") as file:
        document = json.load(file)
    check_schema(document)
    frames = [frame["name"] for frame in document["shared"]["frames"]]
    return {p["name"]: [([frames[i] for i in s], w)
                        for s, w in zip(p["samples"], p["weights"])]
            for p in document["profiles"]}, document


def test_speedscope_has_each_thread_in_the_order_of_time():
    for seed in range(10):
        rng = random.Random(seed)
        samples = random_samples(rng, 60)
        files = write_regions(samples)
        expected = {}
        for _, process, thread, _, pcs in sorted(samples):
            key = text(process, "process") + " " + text(thread, "thread")
            expected.setdefault(key, []).append((stack(pcs), 1))
        found, document = speedscope(*files)
        assert found == expected, (found, expected)
        assert list(found) == sorted(expected, key=lambda k: k.encode())
        assert {p["unit"] for p in document["profiles"]} == {"none"}


def test_speedscope_makes_profiles_of_what_stacks_would_begin_with():
    samples = random_samples(random.Random(3), 30)
    files = write_regions(samples)
    for roots, number, prefix in (("cpu", 3, "cpu%d"), ("none", None, "all")):
        expected = {}
        for sample in sorted(samples):
            key = prefix % sample[number] if number else prefix
            expected.setdefault(key, []).append((stack(sample[4]), 2000000))
        found, document = speedscope("--roots", roots, "--value", "time", "--period",
                                     "2ms", *files)
        assert found == expected
        assert {p["unit"] for p in document["profiles"]} == {"nanoseconds"}


def test_speedscope_of_spans_is_a_flame_chart():
    trace = fxtwrite.Trace()
    trace.magic()
    trace.begin(100, 1, 2, b"main")
    trace.complete(110, 120, 1, 2, b"f")
    trace.complete(130, 150, 1, 2, b"f")
    trace.end(200, 1, 2)
    write("t.fxt", trace)
    found, _ = speedscope("--spans", "t.fxt")
    assert found == {"process[1] thread[2]": [
        (["main"], 10), (["main", "f"], 10), (["main"], 10), (["main", "f"], 20),
        (["main"], 50)]}
    chart = run(FXT2FOLDED, "-q", "--spans", "--no-merge", "--roots", "none", "t.fxt")
    assert chart == "main 10\nmain;f 10\nmain 10\nmain;f 20\nmain 50\n"
    svg = run(FXT2FOLDED, "-q", "--spans", "--no-merge", "--roots", "none", "--format",
              "svg", "t.fxt")
    assert svg.count("<title>f\n") == 2 and svg.count("<title>main\n") == 1
    assert "<title>main\n100 nanoseconds, " in svg


def test_an_empty_speedscope_file():
    write("e.bin", fxtwrite.Trace())
    out = run(FXT2FOLDED, "-q", "--format", "speedscope", "e.bin", status=1)
    check_schema(json.loads(out))


# ---- Captures ----


def captures(samples):
    """As cargo-osdk makes them: a new one begins when a CPU comes again."""
    found = []
    for _, _, _, cpu, pcs in sorted(samples):
        if not found or str(cpu) in found[-1]:
            found.append({})
        found[-1][str(cpu)] = stack(pcs)[::-1]
    return found


def test_captures():
    for seed in range(10):
        samples = random_samples(random.Random(seed), 50)
        files = write_regions(samples)
        out = run(FXT2FOLDED, "-q", "--roots", "thread", "-o", "o.json", *files)
        assert out == ""
        with open("o.json", encoding="utf-8") as file:
            document = json.load(file)
        assert list(document) == ["stack_traces"]
        assert document["stack_traces"] == captures(samples)


def test_captures_of_unknown_cpus_keep_all_samples():
    trace = fxtwrite.Trace()
    trace.magic()
    for time in (3, 2, 2, 1):
        trace.backtrace(time, 1, 2, 0x10 + time)
    write("t.fxt", trace)
    out = json.loads(run(FXT2FOLDED, "-q", "--format", "json", "t.fxt"))
    assert out == {"stack_traces": [{"65536": ["0x1%d" % i]} for i in (1, 2, 2, 3)]}
    write("e.fxt", fxtwrite.Trace())
    out = run(FXT2FOLDED, "-q", "--format", "json", "e.fxt", status=1)
    assert json.loads(out) == {"stack_traces": []}
    run(FXT2FOLDED, "-q", "--format", "json", "--spans", "t.fxt", status=2)


# ---- Samples that are not merged ----


def test_folded_stacks_that_are_not_merged_are_in_the_order_of_time():
    samples = random_samples(random.Random(5), 80)
    files = write_regions(samples)
    expected = ["cpu%d;%s 1" % (s[3], ";".join(stack(s[4]))) for s in sorted(samples)]
    out = run(FXT2FOLDED, "-q", "--roots", "cpu", "--no-merge", *files)
    assert out.splitlines() == expected
    merged = run(FXT2FOLDED, "-q", "--roots", "cpu", *files).splitlines()
    counts = Counter(line.rsplit(" ", 1)[0] for line in expected)
    assert merged == sorted("%s %d" % item for item in counts.items())


def test_kernel_functions_are_marked():
    trace = fxtwrite.Trace()
    trace.backtrace(1, 1, 2, 0xffffffff80001000, 0x10)
    write("t.bin", trace)
    out = run(FXT2FOLDED, "-q", "--annotate", "--roots", "none", "t.bin")
    assert out == "0x10;0xffffffff80001000_[k] 1\n"


# ---- pprof ----


def test_timestamps_and_raw_labels():
    trace = fxtwrite.Trace()
    trace.magic()
    trace.init(1000)
    trace.process(1, b"shell")
    for time in (5, 4, 5):
        trace.backtrace(time, 1, 2, 0x10)
    write("t.fxt", trace)
    plain = run(FXT2PPROF, "-q", "--no-gzip", "t.fxt", text=False)
    times = run(FXT2PPROF, "-q", "--no-gzip", "--timestamps", "t.fxt", text=False)
    raw = run(FXT2PPROF, "-q", "--no-gzip", "--raw-labels", "t.fxt", text=False)
    assert b"timestamp_ns" not in plain and b"timestamp_ns" in times
    # Two samples, the earlier one first: field 2 of the profile begins with its frame.
    assert plain.count(b"\x0a\x01\x01\x12\x01") == 1
    assert times.index(b"\x0a\x01\x01\x12\x01\x01") < times.index(b"\x0a\x01\x01\x12\x01\x02")
    assert b"execution_mode" not in plain
    trace.backtrace(6, 1, 2, 1 << 63)
    write("k.fxt", trace)
    kernel = run(FXT2PPROF, "-q", "--no-gzip", "k.fxt", text=False)
    assert b"execution_mode" in kernel and b"kernel" in kernel
    kernel = run(FXT2PPROF, "-q", "--no-gzip", "--raw-labels", "k.fxt", text=False)
    assert b"execution_mode" not in kernel
    assert b"shell" in plain and b"thread[2]" in plain
    assert b"shell" not in raw and b"thread[2]" not in raw and b"process_koid" in raw


if __name__ == "__main__":
    main(sys.modules[__name__])
