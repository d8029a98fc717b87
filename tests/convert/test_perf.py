#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the tools make of real samples, against what perf makes of the same: recorded with
`perf record`, converted by perf2fxt, and folded here from perf's own text.

test_perf.py TOOLS_DIR PERF2FXT WORKLOAD"""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

import pprof_read
from profile_cases import FXT2FOLDED, FXT2PPROF, HAS_LINES, main, need, run, skip, without_copies

PERF2FXT, WORKLOAD = map(os.path.abspath, sys.argv[2:4])
DIRECTORY = tempfile.TemporaryDirectory()
DATA = os.path.join(DIRECTORY.name, "perf.data")
# perf's marks before the kernel's part of a chain and the program's; and where they begin.
MARKS = (1 << 64) - 128, (1 << 64) - 512
FIRST_MARK = (1 << 64) - 4095


def record():
    """Records the workload, whose functions are known; exits where that is forbidden."""
    # What looks for leaks at the end is a separate process, which maps nothing.
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    done = subprocess.run(["perf", "record", "-q", "-o", DATA, "-e", "cpu-clock", "-F", "997",
                           "--sample-cpu", "-T", "-g", "--buildid-mmap", "--", WORKLOAD,
                           "-n", "200", "-j", "2"], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        skip("perf cannot record here: " + done.stderr.strip())


def convert(*options):
    with open(DATA, "rb") as data, open("p.fxt", "wb") as trace:
        subprocess.run([PERF2FXT, *options], stdin=data, stdout=trace, check=True)


def script(*arguments):
    return run("perf", "script", "-i", DATA, *arguments)


def has_field(name):
    """Whether this version of perf script has a field; its usage names all."""
    done = subprocess.run(["perf", "script", "-F", "nothing"], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return name in re.split(r"[,\s]", done.stdout)


def fold(*options):
    return pprof_read.read_folded(run(FXT2FOLDED, "-q", *options, "p.fxt"))


def raw_stacks():
    """By address: perf's dump of each record."""
    stacks = collections.Counter()
    for block in re.split(r"\n(?=\S* ?\S* ?\S* 0x[0-9a-f]+ \[0x[0-9a-f]+\]: )", script("-D")):
        head = re.search(r"PERF_RECORD_SAMPLE\(.*?\): \d+/(\d+): ", block)
        if head is None:
            continue
        cpu = re.search(r"^(\d+) \d+ 0x", block, re.M)
        pcs = [int(pc, 16) for pc in re.findall(r"^\.{5} +\d+: ([0-9a-f]{16})$", block, re.M)]
        pcs = [pc for pc in pcs if pc not in MARKS]
        # With a wrong mark perf takes no notice of the chain.
        if pcs and max(pcs) < FIRST_MARK:
            stacks[("cpu" + cpu[1], int(head[1]), *("0x%x" % pc for pc in pcs[::-1]))] += 1
    return stacks


def thread_number(frame):
    return int(re.fullmatch(r".*\[(\d+)\]", frame)[1])


def test_addresses_are_those_of_perf():
    convert("--unmapped")
    theirs = raw_stacks()
    ours = {(cpu, thread_number(thread), *stack): n
            for (cpu, thread, *stack), n in fold("--roots", "cpu,thread").items()}
    assert sum(theirs.values()) > 50, theirs
    assert ours == theirs, (set(ours.items()) ^ set(theirs.items()))


def script_stacks():
    """By name: perf's text, in which a frame of a program has the place in its file.
    (thread, ((name or None, file, place), ...)), root first. A caller that perf finds at
    the very start of a function is none: what returns there was called before it."""
    stacks = []
    # Later versions print an address, and the place with the field that old ones lack.
    fields = ["-F", "comm,pid,tid,cpu,time,ip,sym,symoff,dso", "--no-inline"]
    if has_field("dsoff"):
        fields[1] += ",dsoff"
    text = script(*fields)
    for block in text.strip().split("\n\n"):
        head, *lines = block.splitlines()
        thread = re.match(r".*? (\d+)/(\d+) +\[\d+\] +[\d.]+: *(.*)", head)
        frames = []
        # A sample without a chain is all in one line.
        for line in lines or [thread[3]] * bool(thread[3]):
            match = re.fullmatch(r"\s*([0-9a-f]+) (.*) \((.*?)(?:\+0x([0-9a-f]+))?\)", line)
            name, _, offset = match[2].partition("+0x")
            name = without_copies(name.split("@")[0])
            if name == "[unknown]" or (frames and offset == "0"):
                name = None
            # What perf has copied the vDSO to.
            file = re.sub(r"^/\S*/perf-vdso\.so-\w+$", "[vdso]", match[3])
            frames.append((name, file, int(match[4] or match[1], 16)))
        if frames:
            stacks.append((int(thread[2]), tuple(frames[::-1])))
    return stacks


def is_module(frame, perf_frame):
    """Without a symbol of ours: the file's name and the place in it, or an address."""
    _, file, place = perf_frame
    return frame in ("%s+0x%x" % (os.path.basename(file), place), "0x%x" % place)


def test_functions_are_those_of_perf():
    """Stacks that perf and we name alike are as often; each frame that both have a name
    for has the same."""
    convert()
    kernel = ["--kallsyms", "/proc/kallsyms"] if os.geteuid() == 0 else []
    ours = fold("--roots", "thread", "--inlines", "off", *kernel)
    theirs = collections.Counter()
    for thread, frames in script_stacks():
        theirs[(thread, frames)] += 1
    assert sum(ours.values()) == sum(theirs.values()) > 50, (ours, theirs)
    assert any("hash_blocks" in stack for stack in ours), ours
    # What perf has by place and we by name, or the other way round, may be several of the
    # one and one of the other: what each makes of it must add up.
    unmatched = collections.Counter()
    for (thread, *stack), n in ours.items():
        unmatched[(thread_number(thread), tuple(stack))] += n
    for (thread, frames), n in theirs.items():
        fits = [key for key in unmatched if key[0] == thread and is_same(key[1], frames)]
        assert fits, (thread, frames, ours)
        for key in fits:
            taken = min(n, unmatched[key])
            unmatched[key] -= taken
            n -= taken
        assert n == 0, (thread, frames)
    assert sum(unmatched.values()) == 0, +unmatched
    # A C library without its symbols leaves holes, but the program has its own.
    named = sum(n for (_, frames), n in theirs.items()
                if any(name is not None for name, _, _ in frames))
    print("%d of %d stacks have names by perf" % (named, sum(theirs.values())))
    assert 2 * named > sum(theirs.values())


def is_name(ours, theirs):
    """Old versions of perf leave out parameters and, of a template's function, what it
    returns."""
    short = ours.split("(")[0]
    return theirs in (ours, short) or short.endswith(" %s" % theirs)


def is_same(stack, frames):
    return len(stack) == len(frames) and all(
        theirs[0] is None or is_name(ours, theirs[0]) or is_module(ours, theirs) or
        is_alias(ours, theirs[0]) for ours, theirs in zip(stack, frames))


ALIASES = {}


def files_with_names():
    """The program, its libraries, and what is installed of these for debuggers."""
    for file in [WORKLOAD] + re.findall(r"(/\S+\.so\S*)", run("ldd", WORKLOAD)):
        yield file
        ident = re.search("Build ID: (..)([0-9a-f]+)", run("readelf", "-n", file))
        debug = "/usr/lib/debug/.build-id/%s/%s.debug" % ident.groups() if ident else ""
        if os.path.exists(debug):
            yield debug


def is_alias(ours, theirs):
    """Several names at one address, of which each takes its own."""
    if not ALIASES:
        for file in files_with_names():
            read_names(run("readelf", "-Ws", file), 1, 7)
        with open("/proc/kallsyms", encoding="ascii") as file:
            read_names(file.read(), 0, 2)
    return bool(ALIASES.get(ours, set()) & ALIASES.get(theirs, set()))


def read_names(text, address, name):
    for line in text.splitlines():
        words = line.split()
        if len(words) > name and re.fullmatch("[0-9a-f]{8,}", words[address]):
            ALIASES.setdefault(words[name].split("@")[0], set()).add(
                (len(words) > 7, int(words[address], 16)))


def test_profiles_have_the_same_stacks_as_folded_stacks():
    """Of real samples, however inlined functions are shown."""
    convert()
    for options in (["--inlines", "lines"], ["--inlines", "frames"], ["--inlines", "off"],
                    ["--unsymbolized"], ["--skip-above", "^do_round$"],
                    ["--fold-recursion", "--skip-below", "^sort$"]):
        run(FXT2PPROF, "-q", "-o", "p.pb.gz", *options, "p.fxt")
        profile = pprof_read.read("p.pb.gz")
        folded = fold("--roots", "thread,cpu", *options)
        found = pprof_read.fold(profile, lambda l: [l["thread"], "cpu%d" % l["cpu"]])
        assert sum(folded.values()) > 50
        modes = collections.Counter(pprof_read.labels(s).get("execution_mode")
                                    for s in profile["sample"])
        assert modes["user"] > 0, modes
        assert modes["kernel"] > 0 or os.geteuid() != 0, modes
        assert found == folded, (options, set(found.items()) ^ set(folded.items()))
    if HAS_LINES:
        assert any("mix" in stack for stack in fold("--roots", "none")), "nothing is inlined"


if __name__ == "__main__":
    need("perf", "readelf", "ldd")
    record()
    main(sys.modules[__name__])
