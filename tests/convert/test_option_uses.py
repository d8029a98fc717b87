#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every option of both converters with every format and every kind of input: it changes
what is written, or it is refused, or it is among those that the manual pages list as
accepted without an effect. Argument: the tools' build directory."""
import json
import os
import re
import subprocess
import sys

import fxtwrite
from profile_cases import (FXT2FOLDED, FXT2PPROF, HAS_LINES, deepest_stack, formats, main,
                           need, run, symbols, write)

FORMATS = ["pprof", *formats()]
# Those of which it is known which options have an effect: of others it is only tested that
# a refused option writes nothing.
KNOWN = {"pprof", "folded", "svg", "speedscope", "json", "markup"}
INPUTS = ("samples", "spans", "waits", "heaps", "gdb", "osdk-json", "folded")
FXT = {"samples", "spans", "waits", "heaps"}
CAPTURES = {"gdb", "osdk-json"}
PCS = {"samples", "waits", "heaps"}
NAMED = {"folded", "svg", "speedscope", "json"}

# They say nothing of the profile.
ALWAYS = {"help", "output", "quiet", "verbose", "version", "format", "from"}

# What cannot be written at all, whatever else is asked for.
IMPOSSIBLE = {(what, kind) for what in ("json", "markup") for kind in ("spans", "waits", "heaps")}
IMPOSSIBLE |= {("markup", kind) for kind in CAPTURES | {"folded"}} | {("json", "folded")}

# Where each option is refused: with other formats, and with other inputs, than these.
ONLY = {
    "annotate": (NAMED, PCS),
    "byte-order": (None, FXT),
    "cpu": (None, {"samples"}),
    "cpu-mask": (None, {"samples"} | CAPTURES),
    "cpus": (None, {"samples"} | CAPTURES),
    # Of samples it is reported that there is no heap.
    "diff": (None, {"samples", "heaps"}),
    "elf": (None, PCS),
    "full-names": (None, {"gdb"}),
    "kallsyms": (None, PCS),
    "lines": (NAMED, PCS),
    "merge-cpus": (None, {"samples"} | CAPTURES),
    "min-wait": (None, {"waits"}),
    "no-merge": (None, FXT | CAPTURES),
    "period": (None, {"samples"} | CAPTURES),
    "pid": (None, FXT),
    "process": (None, FXT),
    "resync": (None, FXT),
    "sampler": (None, {"samples"}),
    # Of samples and heaps it is reported that there are no waits.
    "sched": ({"pprof", "folded", "svg", "speedscope"}, {"samples", "waits", "heaps"}),
    # Of heaps it is reported that there are no spans.
    "spans": ({"pprof", "folded", "svg", "speedscope"}, FXT),
    "ticks-per-second": (None, FXT),
    "tid": (None, FXT | {"gdb"}),
    "time": (None, FXT),
    "timestamps": (None, {"samples", "spans", "waits"}),
    "unsymbolized": (None, PCS),
    "value": ({"folded", "svg", "speedscope"}, None),
    "with-tags": (None, {"heaps"}),
    "ids": (None, FXT),
}
for flame in ("count-name", "height", "min-width", "palette", "reverse",
              "subtitle", "title", "upright", "width"):
    ONLY[flame] = ({"svg"}, None)


def is_accepted(option, what, kind):
    """As the manual pages say; and what would need other input, or another libdw."""
    return (option in ("threads", "no-debuginfod") or
            option == "no-merge" and what not in ("folded", "svg") or
            option in ("ids", "roots") and what not in ("folded", "svg", "speedscope") or
            option == "ticks-per-second" and (what, kind) != ("pprof", "samples") or
            option in ("debug-dir", "inlines", "kallsyms", "unsymbolized") and
            what == "markup" or
            option in ("debug-dir", "inlines") and kind not in PCS or
            option == "period" and what in ("json", "markup") or
            option == "inlines" and (not HAS_LINES or what != "pprof") or
            option == "lines" and not HAS_LINES or
            option == "raw-labels" and kind in CAPTURES | {"heaps", "folded"} or
            # It is an archive, and has spans, already.
            option == "archive" and kind in ("spans", "waits", "heaps") or
            option == "sched" and kind == "waits" or
            option == "spans" and kind == "spans")


def blob(name, *words, entry_words):
    args = [fxtwrite.arg(2, b"version", 1), fxtwrite.arg(2, b"entry_words", entry_words)]
    payload = b"".join(word.to_bytes(8, "little") for word in words)
    return fxtwrite.large_blob(5, (1045, 0), b"heap", name, payload, args)


def processes(trace):
    """What the PCs of both processes are in: a file that is found, one that is found where
    --debug-dir says, and one that is nowhere."""
    trace.process(1045, b"shell")
    trace.process(1046, b"other")
    for process in (1045, 1046):
        trace.module(process, 1, os.environ["ELF_INLINES"].encode(), b"")
        trace.module(process, 2, b"there/libthere.so", b"")
        trace.mapping(process, 1, 0x10000000, 0x100000, 0)
        trace.mapping(process, 2, 0x20000000, 0x100000, 0)


def pcs_of_interest():
    inlines, _ = deepest_stack(os.environ["ELF_INLINES"], "main")
    pie = symbols(os.environ["ELF_PIE"])
    return [0x10000000 + inlines, 0x10000000 + inlines + 1, 0x20000000 + pie["main"] + 2,
            0x20000000 + pie["main"] + 2, 0x30000000 + pie["main"] + 2, (1 << 63) + 0x1010,
            (1 << 63) + 0x2010]


def write_samples():
    """A region with data after its end, as one of another order of bytes would have, and
    an archive with a zero word and damage in it."""
    region = fxtwrite.Trace()
    pcs = pcs_of_interest()
    region.sample(1, 1045, 2077, 0x10, 0x20, 0x24)
    region.sample(2, 1045, 2077, 0x10, 0x20, 0x24)
    region.backtrace(3, 1046, 2078, *pcs)
    region.words(0, 0)
    region.backtrace(4, 1046, 2078, 0x50)
    archive = fxtwrite.archive()
    archive.provider(1, b"app")
    processes(archive)
    archive.backtrace(5, 1045, 2077, *pcs)
    archive.words(0)
    archive.backtrace(2000000000, 1045, 2077, *pcs)
    archive.complete(7, 20, 1045, 2077, b"span")
    archive.words(1, 2)
    archive.backtrace(8, 1045, 2077, 0x60)
    archive.backtrace(9, 1045, 2077, 0x60)
    return [write("region.bin", region), write("app.fxt", archive)]


def write_spans():
    trace = fxtwrite.archive()
    trace.provider(1, b"app")
    processes(trace)
    for time in (10, 2000000000):
        for process in (1045, 1046):
            trace.begin(time, process, process + 1000, b"main")
            trace.begin(time + 1, process, process + 1000, b"main")
            trace.complete(time + 2, time + 5, process, process + 1000, b"work")
            trace.end(time + 8, process, process + 1000)
            trace.end(time + 9, process, process + 1000)
        trace.words(0)
    trace.words(1, 2)
    for time in (3000000000, 3000000100):
        trace.complete(time, time + 10, 1045, 2045, b"late")
    return [write("spans.fxt", trace)]


def write_waits():
    """Two threads take turns, which block with stacks."""
    trace = fxtwrite.archive()
    trace.provider(1, b"app")
    processes(trace)
    pcs = b"".join(pc.to_bytes(8, "little") for pc in pcs_of_interest())
    threads = [(1045, 2077), (1046, 2078)]
    for i in range(8):
        time = 10 * i + (2000000000 if i > 5 else 0)
        trace.add(fxtwrite.context_switch(time, 0, 3, threads[i % 2][1], threads[1 - i % 2][1]))
        trace.add(fxtwrite.large_blob(time, threads[i % 2], b"sched", b"switch_out", pcs))
        if i == 3:
            trace.words(0)
            trace.words(1, 2)
    return [write("waits.fxt", trace)]


def heap(n):
    pcs = pcs_of_interest()
    trace = fxtwrite.archive()
    trace.init(1000000000)
    processes(trace)
    start = 0x10000000 + symbols(os.environ["ELF_INLINES"])["main"]
    trace.add(blob(b"stacks", 1, 10, 1000, len(pcs), *pcs, 2, 10, 1000, 1, start + 1,
                   3, 10, 1000, 1, start + 2, entry_words=4))
    trace.add(blob(b"groups", 2, 50, n, 3, 50, 1, entry_words=3))
    trace.words(0)
    trace.add(blob(b"blocks", 0x10, 5, 1, 2077, 77, 0x20, 6, 1, 2077, 78, entry_words=5))
    trace.words(1, 2)
    trace.add(blob(b"groups", 2, 60, 1, entry_words=3))
    trace.process(1047, b"late")
    trace.process(1048, b"late")
    return trace


def write_heaps():
    write("base.fxt", heap(1))
    return [write("heap.fxt", heap(4))]


def write_captures():
    log = ""
    for i in range(3):
        log += ("Thread 1 (Thread 1.1 (CPU#0 [running])):\n#0  a::<b>::work (n=1)\n"
                "#1  a::<b>::work (n=2)\n#2  main ()\n\n"
                "Thread 2 (LWP 77):\n#0  idle ()\n#1  main ()\n\n"
                "Thread 3 (LWP 2078):\n#0  nap ()\n#1  main ()\n\n")
    with open("trace.log", "w", encoding="ascii") as file:
        file.write(log)
    stacks = [{"0": ["work", "work", "main"], "1": ["idle", "main"], "2": ["nap", "main"]}] * 3
    with open("captures.txt", "w", encoding="ascii") as file:
        json.dump({"stack_traces": stacks}, file)
    with open("stacks.folded", "w", encoding="ascii") as file:
        file.write("main;idle 3\nmain;work;work 3\nmain;nap 3\n")


def write_inputs():
    write_captures()
    os.mkdir("dir")
    os.symlink(os.environ["ELF_PIE"], "dir/libthere.so")
    with open("kallsyms", "w", encoding="ascii") as file:
        file.write("%x T kernel_function\n%x T kernel_end\n" %
                   ((1 << 63) + 0x1000, (1 << 63) + 0x3000))
    return {"samples": write_samples(), "spans": write_spans(), "waits": write_waits(),
            "heaps": write_heaps(),
            "gdb": ["trace.log"], "osdk-json": ["captures.txt"],
            "folded": ["stacks.folded"]}


# An option's value, and before it the messages with and without it.
VALUES = {
    "byte-order": ["big"],
    "count-name": ["things"],
    "cpu": ["9"],
    "cpu-mask": ["0x8"],
    "cpus": ["3"],
    "debug-dir": ["dir"],
    "diff": ["base.fxt"],
    "height": ["40"],
    "idle": ["hide"],
    "ids": ["never"],
    "inlines": ["frames"],
    "kallsyms": ["kallsyms"],
    "min-width": ["90"],
    "min-wait": ["1s"],
    "palette": ["io"],
    "period": ["1ms"],
    "pid": ["1046"],
    "process": ["other"],
    "region-size": ["64"],
    "roots": ["thread"],
    "sampler": ["zircon-arm64"],
    "sched": ["off-cpu"],
    "skip-above": ["work|mix|sum"],
    "skip-below": ["main|mix|sum"],
    "start-time": ["1000"],
    "subtitle": ["below"],
    "threads": ["2"],
    "ticks-per-second": ["1000000"],
    "tid": ["2078"],
    "time": ["0-5ns"],
    "title": ["above"],
    "width": ["500"],
}


# What --diff compares with.
BEFORE = {"samples": "app.fxt", "spans": "spans.fxt", "waits": "waits.fxt",
          "heaps": "base.fxt", "gdb": "trace.log", "osdk-json": "captures.txt",
          "folded": "stacks.folded"}


def command_of(option, what, kind):
    """The arguments without the option, and with it."""
    if option in ("idle", "idle-function"):
        return [], ["--idle", "hide", "--idle-function", "idle|work|main|mix|0x|blocked"]
    if option == "ids" and what == "svg":
        return [], ["--ids", "always"]
    if option == "diff" and what != "pprof":
        return [], ["--diff", BEFORE[kind]]
    if option == "elf":
        return [], ["--elf", "%s@0x30000000" % os.environ["ELF_PIE"]]
    if option in ("cpu", "min-width", "period"):
        beside = {"cpu": ["--roots", "cpu"], "min-width": ["--width", "200"],
                  "period": ["--value", "time"]}[option]
        if what not in ("folded", "svg", "speedscope") or kind == "heaps":
            beside = ["--width", "200"] if option == "min-width" else []
        return beside, beside + ["--" + option] + VALUES[option]
    if option == "value":
        period = ["--period", "1ms"] if kind == "samples" or kind in CAPTURES else []
        value = {"spans": "spans", "waits": "waits", "heaps": "objects"}.get(kind, "time")
        return period, period + ["--value", value]
    return [], ["--" + option] + VALUES.get(option, [])


def options_of(tool):
    found = set(re.findall(r"(?:^ +|, )--([a-z-]+)", run(tool, "--help"), re.M)) - ALWAYS
    assert len(found) > 25, found
    return sorted(found)


def convert(tool, what, kind, arguments, files):
    """The exit status, the output without the command line that is in it, and what was
    said."""
    command = [tool, *arguments]
    if what not in ("pprof", "folded"):
        command += ["--format", what]
    if kind == "spans" and "--spans" not in arguments:
        command += ["--spans"]
    if kind == "waits" and "--sched" not in arguments:
        command += ["--sched", "off-cpu"]
    done = subprocess.run(command + files, capture_output=True, check=False)
    output = re.sub(rb"fxt2(folded|pprof) [^\n]*?" + re.escape(files[-1].encode()), b"",
                    done.stdout)
    assert done.returncode in (0, 1, 2), (command, done)
    return done.returncode, output, done.stderr.decode()


def judge(tool, what, kind, option, files):
    """Returns what is wrong, or None."""
    without, arguments = command_of(option, what, kind)
    if tool == FXT2PPROF and option != "no-gzip":
        without, arguments = without + ["--no-gzip"], arguments + ["--no-gzip"]
    formats, kinds = ONLY.get(option, (None, None))
    if tool == FXT2FOLDED and option == "diff":
        formats, kinds = {"svg"}, None
    is_wrong = ((formats is not None and what not in formats) or
                (kinds is not None and kind not in kinds))
    changed = convert(tool, what, kind, arguments, files)
    is_refused = changed[0] == 2 and re.search(
        r"--%s has no meaning with" % option, changed[2]) is not None
    if what not in KNOWN:
        return "writes something and fails" if changed[0] == 2 and changed[1] else None
    if is_refused != is_wrong:
        return "is refused" if is_refused else "is not refused"
    if is_refused:
        return None if changed[1] == b"" else "is refused, but something is written"
    if is_accepted(option, what, kind):
        return None
    return "has no effect" if convert(tool, what, kind, without, files)[:2] == changed[:2] else None


def test_options_have_an_effect_or_are_refused():
    inputs = write_inputs()
    wrong = []
    for what in FORMATS:
        tool = FXT2PPROF if what == "pprof" else FXT2FOLDED
        for kind in INPUTS:
            if (what, kind) in IMPOSSIBLE:
                status, output, _ = convert(tool, what, kind, [], inputs[kind])
                assert status == 2 and output == b"", (what, kind)
                continue
            for option in options_of(tool):
                found = judge(tool, what, kind, option, inputs[kind])
                if found is not None:
                    wrong.append("--%s %s: %s of %s" % (option, found, what, kind))
    assert not wrong, "\n".join(wrong)


def test_what_the_input_is_may_be_given():
    """Then an option is refused before anything is read."""
    write_captures()
    for kind, file in (("gdb", "trace.log"), ("osdk-json", "captures.txt"),
                       ("folded", "stacks.folded")):
        only = dict(ONLY, **{option: (None, FXT) for option in ("archive", "region",
                                                                "region-size")})
        for option, (_, kinds) in only.items():
            if kinds is None or kind in kinds or option in ("diff", "with-tags", "timestamps",
                                                              "merge-cpus"):
                continue
            _, arguments = command_of(option, "", kind)
            status, _, said = convert(FXT2FOLDED, "folded", kind,
                                      ["--from", kind, *arguments], ["no-such-file"])
            assert status == 2 and "--%s has no meaning with" % option in said, said
            assert "no-such-file" not in said, said
        run(FXT2FOLDED, "--from", kind, file)


if __name__ == "__main__":
    need("addr2line", "nm")
    main(sys.modules[__name__])
