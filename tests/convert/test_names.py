#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Names of processes and threads: a process and a thread of one koid have their own, and
a sample has those of its time. Argument: the tools' build directory."""
import itertools
import json
import sys

import fxtwrite
import pprof_read
from profile_cases import FXT2FOLDED, FXT2PPROF, main, run, write

ROOTS = ("--roots", "process,thread")


def archive():
    trace = fxtwrite.archive()
    return trace


def folded(*arguments):
    return {tuple(line.rsplit(" ", 1)[0].split(";")): int(line.rsplit(" ", 1)[1])
            for line in run(FXT2FOLDED, "-q", *arguments).splitlines()}


def pprof_labels(*arguments):
    """What each sample says of its process and thread, and how many there are of it."""
    run(FXT2PPROF, "-q", "-o", "p.pb.gz", *arguments)
    found = {}
    for sample in pprof_read.read("p.pb.gz")["sample"]:
        labels = pprof_read.labels(sample)
        key = labels.get("process_name"), labels.get("thread")
        found[key] = found.get(key, 0) + sample["value"][0]
    return found


# ---- One koid, two objects ----

def server():
    """As on Linux, where a process and its main thread have one id."""
    trace = archive()
    trace.process(70, b"server")
    trace.thread(70, b"accept loop", 70)
    trace.thread(71, b"a worker of the server", 70)
    trace.process(80, b"a process with a long name")
    trace.thread(80, b"main", 80)
    trace.backtrace(1, 70, 70, 0x10)
    trace.backtrace(2, 70, 71, 0x10)
    trace.backtrace(3, 80, 80, 0x10)
    return write("server.fxt", trace)


def test_a_process_and_its_main_thread_have_their_own_names():
    assert folded(*ROOTS, server()) == {
        ("server[70]", "accept loop[70]", "0x10"): 1,
        ("server[70]", "a worker of the server[71]", "0x10"): 1,
        ("a process with a long name[80]", "main[80]", "0x10"): 1}
    assert pprof_labels("server.fxt") == {
        ("server", "accept loop[70]"): 1, ("server", "a worker of the server[71]"): 1,
        ("a process with a long name", "main[80]"): 1}
    scope = json.loads(run(FXT2FOLDED, "-q", "--format", "speedscope", "server.fxt"))
    assert {p["name"] for p in scope["profiles"]} == {
        "server[70] accept loop[70]", "server[70] a worker of the server[71]",
        "a process with a long name[80] main[80]"}, scope["profiles"]
    markup = run(FXT2FOLDED, "-q", "--format", "markup", "server.fxt")
    assert "1 sample of thread accept loop[70] in process server[70]\n" in markup, markup


def test_processes_are_chosen_by_their_own_names():
    server()
    for name, count in (("server", 2), ("serv*", 2), ("a process*", 1)):
        assert sum(folded(*ROOTS, "--process", name, "server.fxt").values()) == count, name
    for name in ("accept loop", "main"):
        assert run(FXT2FOLDED, "-q", "--process", name, "server.fxt", status=1) == "", name


# ---- Names have times ----

def test_a_process_that_becomes_another_program_has_its_new_name_from_then_on():
    """Also if the older name is the longer one."""
    trace = archive()
    trace.process(7, b"a shell that starts it")
    trace.thread(7, b"sh", 7)
    trace.backtrace(10, 7, 7, 0x10)
    trace.process(7, b"httpd")
    trace.thread(7, b"httpd", 7)
    trace.backtrace(20, 7, 7, 0x10)
    trace.backtrace(30, 7, 7, 0x10)
    trace.thread(7, b"accept", 7)
    trace.backtrace(40, 7, 7, 0x10)
    write("exec.fxt", trace)
    expected = {("a shell that starts it", "sh[7]"): 1, ("httpd", "httpd[7]"): 2,
                ("httpd", "accept[7]"): 1}
    assert pprof_labels("exec.fxt") == expected
    assert pprof_labels("--timestamps", "exec.fxt") == expected
    assert folded("--roots", "process", "exec.fxt") == {
        ("a shell that starts it[7]", "0x10"): 1, ("httpd[7]", "0x10"): 3}
    assert sum(folded("--process", "httpd", "exec.fxt").values()) == 3
    assert sum(folded("--process", "a shell*", "exec.fxt").values()) == 1
    assert sum(folded("--pid", "7", "exec.fxt").values()) == 4


def test_a_name_that_comes_back_is_one_name():
    trace = archive()
    for i, name in enumerate((b"idle", b"busy", b"idle", b"busy", b"idle")):
        trace.thread(7, name, 5)
        trace.backtrace(i, 5, 7, 0x10)
    write("back.fxt", trace)
    run(FXT2PPROF, "-q", "-o", "p.pb.gz", "back.fxt")
    assert sorted(s["value"][0] for s in pprof_read.read("p.pb.gz")["sample"]) == [2, 3]


def test_labels_without_names_do_not_tell_names_apart():
    trace = archive()
    for i, name in enumerate((b"one", b"two", b"three")):
        trace.thread(7, name, 5)
        trace.process(5, name)
        trace.backtrace(i, 5, 7, 0x10)
        trace.backtrace(i, 5, 7, 0x20 + 0x10 * i)
    write("raw.fxt", trace)
    for options, expected in (
            ((), {("0x10",): 3, ("0x20",): 1, ("0x30",): 1, ("0x40",): 1}),
            (("--process", "t*"), {("0x10",): 2, ("0x30",): 1, ("0x40",): 1})):
        run(FXT2PPROF, "-q", "--raw-labels", *options, "-o", "p.pb.gz", "raw.fxt")
        profile = pprof_read.read("p.pb.gz")
        assert pprof_read.fold(profile) == expected, profile
        assert len(profile["sample"]) == len(expected), profile


def test_names_that_follow_the_samples_are_theirs():
    trace = archive()
    trace.backtrace(10, 5, 7, 0x10)
    trace.backtrace(20, 5, 7, 0x10)
    trace.process(5, b"late")
    trace.thread(7, b"later", 5)
    assert pprof_labels(write("late.fxt", trace)) == {("late", "later[7]"): 2}


def test_where_samples_have_one_time_the_order_of_the_stream_decides():
    trace = archive()
    for name in (b"first", b"second", b"third"):
        trace.process(5, name)
        trace.backtrace(0, 5, 7, 0x10)
    trace.backtrace(0, 5, 7, 0x10)
    assert pprof_labels(write("one.fxt", trace)) == {
        ("first", "thread[7]"): 1, ("second", "thread[7]"): 1, ("third", "thread[7]"): 2}


def test_names_with_a_time_of_their_own():
    """A writer that knows when an object was renamed need not put names among samples,
    and samples need not be in the order of time."""
    trace = archive()
    trace.init(1000000)
    trace.process(5, b"before")
    trace.process(5, b"during", since=20)
    trace.process(5, b"after", since=30)
    trace.thread(7, b"worker", 5)
    trace.thread(7, b"done", 5, since=30)
    for time in (40, 10, 30, 19, 20, 29):
        trace.backtrace(time, 5, 7, 0x10)
    expected = {("before", "worker[7]"): 2, ("during", "worker[7]"): 2,
                ("after", "done[7]"): 2}
    assert pprof_labels(write("since.fxt", trace)) == expected
    spans = archive()
    spans.pieces += trace.pieces[1:7]
    for time in (5, 25, 35):
        spans.complete(time, time + 1, 5, 7, b"span")
    assert pprof_labels("--spans", write("spans.fxt", spans)) == {
        ("before", "worker[7]"): 1, ("during", "worker[7]"): 1, ("after", "done[7]"): 1}


def test_the_order_of_files_does_not_matter():
    """One process, and one thread of no known process, in three recordings, of which the
    one in the middle has its names at its end, and the last one knows no name."""
    first = archive()
    first.process(5, b"the first name")
    first.backtrace(10, 5, 7, 0x10)
    first.process(5, b"second")
    first.thread(7, b"main", 5)
    first.backtrace(20, 0, 7, 0x10)
    middle = archive()
    middle.backtrace(30, 5, 7, 0x10)
    middle.backtrace(40, 5, 7, 0x10)
    middle.process(5, b"third")
    last = archive()
    last.backtrace(15, 5, 7, 0x10)
    last.backtrace(25, 5, 7, 0x10)
    last.backtrace(45, 5, 7, 0x10)
    files = [write(name, trace) for name, trace in
             (("1.fxt", first), ("2.fxt", middle), ("3.fxt", last))]
    written = set()
    for order in itertools.permutations(files):
        assert pprof_labels(*order) == {
            ("the first name", "main[7]"): 1, ("second", "main[7]"): 3,
            ("third", "main[7]"): 3}, order
        written.add(run(FXT2FOLDED, "-q", *ROOTS, *order))
    assert len(written) == 1


def test_regions_have_the_last_name():
    """Their samples are merged before their times are of interest."""
    names = archive()
    names.process(5, b"old")
    names.process(5, b"new", since=20)
    region = fxtwrite.Trace()
    region.backtrace(10, 5, 7, 0x10)
    region.backtrace(30, 5, 7, 0x10)
    write("names.fxt", names)
    write("cpu0.bin", region)
    for order in (("names.fxt", "cpu0.bin"), ("cpu0.bin", "names.fxt")):
        assert pprof_labels(*order) == {("new", "thread[7]"): 2}


main(sys.modules[__name__])
