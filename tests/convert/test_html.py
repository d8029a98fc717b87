#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtreport's pages for browsers: what is in them. Argument: the tools' build directory."""
import collections
import os
import re
import subprocess
import sys

import fxtwrite
import html_read
from profile_cases import FXTREPORT, HAS_LINES, busy_trace, main, run, symbols, write

HOSTILE = [b"</script><script>alert(1)</script>", b"<!-- <script>", b"]]>&amp;\"'`\\",
           "\u2028\u202e\ufeff\u00e9\U0001f525".encode(), b"\xff\xfe\x00\x1b[1m\r\n", b"%s" * 2000]


def page(*arguments, status=0, name="p.html"):
    run(FXTREPORT, "-q", "-o", name, *arguments, status=status)
    return html_read.Page(name)


def small_trace(n=30):
    """Thread 2: n samples, a third of them in 0xa; thread 3: n in 0xb."""
    trace = fxtwrite.Trace()
    trace.magic()
    for i in range(n):
        trace.backtrace(1000 + 10 * i, 1, 2, 0xa if i % 3 == 0 else 0xc, 0xd)
        trace.backtrace(1005 + 10 * i, 1, 3, 0xb, 0xd)
    return trace


def event_trace(weight):
    """A sample of 10 times `weight` page faults, and 3 of a clock, of 1000 ns each."""
    trace = fxtwrite.Trace()
    trace.magic()
    trace.provider(1, b"fxtrecord")
    trace.several()
    trace.sampled(0, b"page-faults", b"count")
    trace.sampled(1, b"task-clock", b"nanoseconds", 1000)
    trace.provider(2, b"cpu0")
    trace.weighed(10, 5, 6, 0, 10 * weight, 0x10100, 0x10901)
    for i in range(3):
        trace.weighed(20 + i, 5, 6, 1, 0, 0x10200, 0x10901)
    return trace


def test_stacks_and_times():
    write("p.fxt", small_trace())
    read = page("p.fxt")
    assert html_read.fold(read) == {(1, 2): {("0xd", "0xa"): 10, ("0xd", "0xc"): 20},
                                    (1, 3): {("0xd", "0xb"): 30}}
    samples = list(read.samples())
    found = [(time, samples[sample][0][1]) for time, sample in read.times()]
    assert found == [(1000 + 5 * i, 2 + i % 2) for i in range(60)]
    assert (read.facts["kind"], read.facts["unit"]) == ("samples", "count")
    assert [name for name, _ in read.facts["rows"]] == ["row.time", "row.sample"]
    # The same input is the same page.
    with open("p.html", "rb") as file:
        first = file.read()
    page("p.fxt")
    with open("p.html", "rb") as file:
        assert file.read() == first


def test_values():
    write("p.fxt", small_trace())
    for options, value, unit in ((["--period", "1ms"], 10**6, "nanoseconds"),
                                 (["--period", "1ms", "--value", "samples"], 1, "count")):
        read = page(*options, "p.fxt")
        assert read.facts["unit"] == unit and read.total() == 60 * value
        assert all(weight == count * value for _, _, _, count, weight in read.samples())


def test_the_value_is_the_chosen_event():
    write("b.fxt", event_trace(2))
    write("p.fxt", event_trace(7))
    for options, kind, unit, n, before, total in (
            ([], "page-faults", "count", 1, 20, 70),
            (["--value", "page-faults"], "page-faults", "count", 1, 20, 70),
            (["--value", "task-clock"], "task-clock", "nanoseconds", 3, 3000, 3000),
            (["--value", "time"], "task-clock", "nanoseconds", 3, 3000, 3000)):
        read = page(*options, "--diff", "b.fxt", "p.fxt")
        assert (read.facts["type"], read.facts["unit"]) == (kind, unit), read.facts
        assert (read.total("before"), read.total()) == (before, total)
        for side in "before", "sample":
            assert sum(count for _, _, _, count, _ in read.samples(side)) == n
        assert len(list(read.times())) == n


def test_spans_and_waits():
    trace = fxtwrite.Trace()
    trace.magic()
    for i in range(50):
        trace.complete(100 * i, 100 * i + 90, 1, 2 + i % 2, b"outer")
        trace.complete(100 * i + 10, 100 * i + 40 + i, 1, 2 + i % 2, b"inner")
        trace.add(fxtwrite.context_switch(100 * i + 90, 0, 3, 2 + i % 2, 2 + (i + 1) % 2))
    write("p.fxt", trace)
    read = page("--spans", "p.fxt")
    expected = collections.Counter()
    for i in range(50):
        expected[("outer", "inner")] += 30 + i
        expected[("outer",)] += 60 - i
    found = collections.Counter()
    for stacks in html_read.fold(read, "value").values():
        found.update(stacks)
    assert found == expected and read.facts["kind"] == "spans"
    # The rest of an outer span, after the inner one, is not one more.
    assert sum(count for _, _, _, count, _ in read.samples()) == 100
    assert len(list(read.times())) == 150
    assert [time for time, _ in read.times()] == sorted(time for time, _ in read.times())
    waits = page("--sched", "off-cpu", "p.fxt")
    assert waits.facts["kind"] == "waits" and waits.total() > 0
    assert page("--sched", "wall", "p.fxt").facts["kind"] == "intervals"


def test_hostile_names():
    trace = fxtwrite.Trace()
    trace.magic()
    for i, name in enumerate(HOSTILE):
        trace.process(10 + i, name)
        trace.thread(20 + i, name, 10 + i)
        trace.complete(100 * i, 100 * i + 50, 10 + i, 20 + i, name)
        trace.backtrace(100 * i, 10 + i, 20 + i, 0x1000)
    write("p.fxt", trace)
    for options in [], ["--spans"], ["--diff", "p.fxt"]:
        read = page(*options, "p.fxt")
        names = [lane[2] for lane in read.facts["lanes"]]
        assert HOSTILE[0].decode() in names and HOSTILE[2].decode() in names, names
        # What changes the direction of the text after it is shown as it is written.
        assert not any("\u202e" in name for name in names)
    write("p.fxt", recorded(HOSTILE[0] + HOSTILE[3]))
    read = page("p.fxt")
    assert read.title.startswith(HOSTILE[0].decode()), read.title


def recorded(command):
    """An archive whose recorder states its command."""
    trace = small_trace()
    trace.add(fxtwrite.event(0, 1000, (1, 1), b"fxtrecord", b"recording",
                             [fxtwrite.arg(6, b"command_line", command),
                              fxtwrite.arg(6, b"method", b"perf"),
                              fxtwrite.arg(4, b"period_ns", 1000)]))
    return trace


def test_nothing():
    trace = fxtwrite.Trace()
    trace.magic()
    write("n.fxt", trace)
    read = page("n.fxt", status=1)
    assert list(read.samples()) == [] and list(read.times()) == []
    write("p.fxt", small_trace())
    assert page("--diff", "n.fxt", "p.fxt", status=1).total("before") == 0


def test_what_is_missing():
    write("p.fxt", busy_trace())
    read = page("p.fxt")
    assert any("17 records dropped" in loss for loss in read.facts["losses"])
    assert any(note.startswith("# fxtreport ") for note in read.facts["notes"])
    assert not any(note in read.facts["losses"] for note in read.facts["notes"])
    assert read.columns["drops.time"] == [0] and len(read.columns["drops.duration"]) == 1


def test_differences():
    write("a.fxt", small_trace(30))
    write("b.fxt", small_trace(12))
    before, after = page("b.fxt"), page("a.fxt")
    both = page("--diff", "b.fxt", "a.fxt")
    assert html_read.fold(both) == html_read.fold(after)
    assert html_read.fold(both, side="before") == html_read.fold(before)


def test_differences_of_other_values_are_refused():
    timed = small_trace()
    timed.add(fxtwrite.event(0, 1000, (1, 1), b"fxtrecord", b"recording",
                             [fxtwrite.arg(4, b"period_ns", 1000)]))
    write("timed.fxt", timed)
    write("plain.fxt", small_trace())
    write("events.fxt", event_trace(7))
    several = "it has cpu, and the later recording page-faults: see --value samples"
    for before, after, message in (
            ("timed.fxt", "events.fxt", several),
            ("plain.fxt", "timed.fxt", "the time of only one of the recordings is known")):
        for options in [], ["-o", "refused.html"]:
            done = subprocess.run([FXTREPORT, "-q", *options, "--diff", before, after],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  check=False)
            assert done.returncode == 2 and done.stdout == "", done
            assert before + ": cannot be compared: " + message in done.stderr, done
            assert len(done.stderr.splitlines()) == 1, done
            assert not os.path.exists("refused.html")
        read = page("--value", "samples", "--diff", before, after)
        assert read.facts["type"] == "samples" and read.total("before") == 60


def test_source():
    if not HAS_LINES or "ELF_INLINES" not in os.environ:
        return
    at, trace = symbols(os.environ["ELF_INLINES"]), fxtwrite.Trace()
    for i, pc in enumerate(range(at["main"] + 1, at["main.end"])):
        trace.backtrace(i, 1, 2, pc)
    write("p.bin", trace)
    read = page("--elf", os.environ["ELF_INLINES"], "p.bin")
    lines = read.source("main")
    file = next(read.facts["strings"][number] for f, number in
                enumerate(read.columns["function.file"]) if read.function(f) == "main")
    with open(file, encoding="utf-8") as source:
        text = source.read().splitlines()
    assert len(lines) > 3
    assert all(text[number - 1].rstrip() == line for number, line in lines.items())
    seen = {line for f, line in zip(read.columns["frame.function"], read.columns["frame.line"])
            if read.function(f) == "main" and line}
    assert seen <= set(lines)
    run(FXTREPORT, "-q", "--no-source", "-o", "p.html", "--elf", os.environ["ELF_INLINES"],
        "p.bin")
    assert "sources" not in html_read.Page("p.html").facts


def test_the_page_stands_alone():
    write("p.fxt", small_trace())
    text = page("p.fxt").text
    data = re.search(r'id="data">([^<]*)<', text)[1]
    assert len(text.encode()) - len(data) < 300000
    assert "default-src 'none'" in text
    assert not re.search(r"(?i)\b(src|href)=(?![\"']?data:)|@import|url\(|https?:", text)
    assert "\r" not in text


if __name__ == "__main__":
    main(sys.modules[__name__])
