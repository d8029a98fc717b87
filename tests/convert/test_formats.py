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
import pprof_read
import speedscope_read
from profile_cases import FXT2FOLDED, FXT2PPROF, main, run, write

NAMES = {10: b"one;two", 11: b"\xff<\x1b[1m>\"\\\x00", 20: b"main", 21: b"worker"}


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
    names = fxtwrite.archive()
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


def speedscope(*arguments):
    run(FXT2FOLDED, "-q", "-o", "o.speedscope.json", *arguments)
    with open("o.speedscope.json", encoding="utf-8") as file:
        document = json.load(file)
    speedscope_read.check_schema(document)
    return speedscope_read.stacks(document), document


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
        # All samples are within two periods of each other, so there are no gaps.
        found, document = speedscope("--roots", roots, "--value", "time", "--period",
                                     "2ms", *files)
        assert found == expected
        assert {p["unit"] for p in document["profiles"]} == {"nanoseconds"}


def test_speedscope_of_spans_is_a_flame_chart():
    trace = fxtwrite.archive()
    trace.begin(100, 1, 2, b"main")
    trace.complete(110, 120, 1, 2, b"f")
    trace.complete(130, 150, 1, 2, b"f")
    trace.end(200, 1, 2)
    write("t.fxt", trace)
    found, document = speedscope("--spans", "t.fxt")
    assert found == {"process[1] thread[2]": [
        (["main"], 10), (["main", "f"], 10), (["main"], 10), (["main", "f"], 20),
        (["main"], 50)]}
    assert [profile["type"] for profile in document["profiles"]] == ["evented"]
    # As many spans as there were, though the stacks do not differ.
    assert [(event["type"], event["at"]) for event in document["profiles"][0]["events"]] == [
        ("O", 0), ("O", 10), ("C", 20), ("O", 30), ("C", 50), ("C", 100)]
    found, document = speedscope("--spans", "--value", "spans", "t.fxt")
    assert found == {"process[1] thread[2]": [(["main"], 1), (["main", "f"], 1),
                                              (["main", "f"], 1)]}
    chart = run(FXT2FOLDED, "-q", "--spans", "--no-merge", "--roots", "none", "t.fxt")
    assert chart == "main 10\nmain;f 10\nmain 10\nmain;f 20\nmain 50\n"
    svg = run(FXT2FOLDED, "-q", "--spans", "--no-merge", "--roots", "none", "--format",
              "svg", "t.fxt")
    assert svg.count("<title>f\n") == 2 and svg.count("<title>main\n") == 1
    assert "<title>main\n100 ns, " in svg


def test_spans_keep_their_gaps_and_one_axis_of_time():
    trace = fxtwrite.archive()
    trace.complete(100, 200, 1, 2, b"f")
    trace.complete(200, 250, 1, 2, b"f")
    trace.complete(400, 450, 1, 2, b"f")
    trace.complete(150, 300, 1, 3, b"g")
    trace.complete(150, 160, 1, 3, b"g")
    write("t.fxt", trace)
    found, document = speedscope("--spans", "t.fxt")
    assert found == {
        "process[1] thread[2]": [(["f"], 100), (["f"], 50), ([], 150), (["f"], 50)],
        "process[1] thread[3]": [([], 50), (["g", "g"], 10), (["g"], 140), ([], 150)]}, found
    assert {profile["endValue"] for profile in document["profiles"]} == {350}
    assert document["activeProfileIndex"] == 0
    # Spans of several threads at once have no stack of their own.
    found, document = speedscope("--spans", "--roots", "process", "t.fxt")
    assert [profile["type"] for profile in document["profiles"]] == ["sampled"]
    assert sum(weight for _, weight in found["process[1]"]) == 350


def test_speedscope_has_gaps_where_a_thread_did_not_run():
    trace = fxtwrite.archive()
    trace.recording(1000, None, b"fxtrecord ./server")
    for time in (5000, 6010, 7990, 20000, 21000):
        trace.backtrace(time, 1, 2, 0x10)
    trace.backtrace(9000, 1, 3, 0x10)
    for time in range(9000, 16000, 1000):
        trace.backtrace(time, 1, 4, 0x20)
    write("t.fxt", trace)
    found, document = speedscope("t.fxt")
    one = (["0x10"], 1)
    assert found == {
        "process[1] thread[2]": [one, one, one, ([], 11), one, one],
        "process[1] thread[3]": [one],
        "process[1] thread[4]": [(["0x20"], 1)] * 7}, found
    assert document["activeProfileIndex"] == 2 and document["name"] == "fxtrecord ./server"
    found, _ = speedscope("--value", "time", "t.fxt")
    assert found["process[1] thread[2]"][2:5] == [(["0x10"], 1000), ([], 11010),
                                                  (["0x10"], 1000)]
    # Without a period it is not known how much of the time is missing.
    assert [] not in [stack for profile in speedscope("--period", "50us", "t.fxt")[0].values()
                      for stack, _ in profile]


def test_an_empty_speedscope_file():
    write("e.bin", fxtwrite.Trace())
    out = run(FXT2FOLDED, "-q", "--format", "speedscope", "e.bin", status=1)
    speedscope_read.check_schema(json.loads(out))


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
    trace = fxtwrite.archive()
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
    trace = fxtwrite.archive()
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


def samples_of(*arguments):
    """The values of each stack with its labels but for the CPU; and all samples' labels."""
    run(FXT2PPROF, "-q", "-o", "p.pb.gz", *arguments)
    samples = pprof_read.read("p.pb.gz")["sample"]
    values = Counter()
    for sample in samples:
        labels = sorted(pair for pair in pprof_read.labels(sample).items() if pair[0] != "cpu")
        values[tuple(sample["location_id"]), tuple(labels)] += sample["value"][0]
    return values, [pprof_read.labels(sample) for sample in samples]


def test_merged_cpus():
    """The same samples, each once; what --cpus leaves out stays out."""
    pick = random.Random(1)
    regions = [fxtwrite.Trace() for _ in range(40)]
    for i in range(4000):
        add = regions[i % 40].sample if i % 2 else regions[i % 40].backtrace
        add(i, 1, pick.randrange(2, 4), *[0x10 + pick.randrange(3) for _ in range(3)])
    names = [write("cpu%d.bin" % i, trace) for i, trace in enumerate(regions)]
    for options in ([], ["--cpus", "3-17"], ["--threads", "1"]):
        apart, labels = samples_of(*options, *names)
        assert all("cpu" in sample for sample in labels) and len(labels) > 500
        merged, labels = samples_of("--merge-cpus", *options, *names)
        assert not any("cpu" in sample for sample in labels)
        assert merged == apart and len(labels) == len(merged) == 54
        assert sum(merged.values()) == (1500 if "--cpus" in options else 4000)


if __name__ == "__main__":
    main(sys.modules[__name__])
