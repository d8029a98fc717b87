#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Whatever people look at, they see the same: of one recording, the total and each
thread's hottest functions, by self and total, are the same in pprof, folded stacks,
Firefox Profiler, Perfetto, Chrome, speedscope, the page for browsers (as it is written, and as
its script computes it in Chromium) and fxtreport.

test_outputs_agree.py TOOLS_DIR [FXTRECORD WORKLOAD]"""
import collections
import json
import os
import random
import re
import subprocess
import sys

import browser
import chrome_read
import firefox_read
import fxtwrite
import html_read
import perfetto_read
import pprof_read
import speedscope_read
import timeline_view
import told_apart
from profile_cases import (FXT2FOLDED, FXT2PPROF, FXTREPORT, TOOLS, busy_trace, main, need, run,
                           symbols, write)
from readelf import code_segment

RECORDER = [os.path.abspath(program) for program in sys.argv[2:4]]
FXT2FIREFOX = os.path.join(TOOLS, "fxt2firefox", "fxt2firefox")
FXT2CHROME = os.path.join(TOOLS, "fxt2chrome", "fxt2chrome")
FXT2PERFETTO = os.path.join(TOOLS, "fxt2perfetto", "fxt2perfetto")
N_HOTTEST = 50
# The browser, if there is one.
PAGE = []

self_and_total = timeline_view.self_and_total


BASE = 0x555500000000


def write_text(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)


# ---- How often each thread was seen in each stack, as each output has it ----


def numbers(*names):
    """Of "name[12]"."""
    return tuple(int(re.search(r"\[(\d+)\]$", name)[1]) for name in names)


def from_pprof(*arguments):
    run(FXT2PPROF, "-q", "-o", "p.pb.gz", *arguments)
    found = collections.defaultdict(collections.Counter)
    folded = pprof_read.fold(pprof_read.read("p.pb.gz"),
                             lambda labels: [labels["process_koid"], labels["tid"]])
    for (process, thread, *stack), count in folded.items():
        found[process, thread][tuple(stack)] += count
    return dict(found)


def from_folded(*arguments):
    text = run(FXT2FOLDED, "-q", "--roots", "process,thread", "--ids", "always", "--value",
               "samples", *arguments)
    found = collections.defaultdict(collections.Counter)
    for (process, thread, *stack), count in pprof_read.read_folded(text).items():
        found[numbers(process, thread)][tuple(stack)] += count
    return dict(found)


def from_firefox(*arguments):
    run(FXT2FIREFOX, "-q", "-o", "p.firefox.json", *arguments)
    with open("p.firefox.json", "rb") as file:
        return firefox_read.view(firefox_read.load(file.read())).fold()


def from_chrome(*arguments):
    run(FXT2CHROME, "-q", "-o", "p.chrome.json", *arguments)
    with open("p.chrome.json", "rb") as file:
        return chrome_read.view(chrome_read.load(file.read())).fold()


def from_perfetto(*arguments):
    run(FXT2PERFETTO, "-q", "-o", "p.pftrace", *arguments)
    with open("p.pftrace", "rb") as file:
        return perfetto_read.view(perfetto_read.Trace(file.read())).fold()


def from_speedscope(*arguments):
    run(FXT2FOLDED, "-q", "-o", "p.speedscope.json", "--value", "samples", *arguments)
    with open("p.speedscope.json", encoding="utf-8") as file:
        return speedscope_read.fold(json.load(file))


# ---- What has no stacks, but functions ----


def hottest(stacks):
    """The functions with the most samples, and those with the most of their own."""
    own, total = self_and_total(stacks)
    names = {name for sums in (own, total) for name in
             sorted(sums, key=lambda name: (-sums[name], name))[:N_HOTTEST]}
    return {name: (own[name], total[name]) for name in names}


def check_report(expected, *arguments):
    """Code without symbols is one function there: its names are not looked at. Neither is
    the total of a name that is in several modules."""
    document = json.loads(run(FXTREPORT, "-q", "--json", "--value", "samples", *arguments))
    assert document["samples"] == sum(sum(stacks.values()) for stacks in expected.values())
    whole = self_and_total(sum(expected.values(), collections.Counter()))[1]
    for (process, thread), stacks in expected.items():
        rows = json.loads(run(FXTREPORT, "-q", "--json", "--value", "samples", "--pid",
                              str(process), "--tid", str(thread), *arguments))["functions"]
        n_rows = collections.Counter(row["name"] for row in rows)
        own = collections.Counter()
        for row in rows:
            own[row["name"]] += row["self"]
        totals = {row["name"]: row["total"] for row in rows}
        names = told_apart.in_part(self_and_total(stacks)[1], whole)
        for name, (n_own, n_total) in hottest(stacks).items():
            name = names[name]
            if name in n_rows:
                assert own[name] == n_own, (name, own[name], n_own)
                assert n_rows[name] > 1 or totals[name] == n_total, name
            else:
                assert re.search("0x[0-9a-f]+$", name), name
        assert sum(own.values()) == sum(stacks.values())


# Of each lane: its process and thread, and its functions.
SUMS_OF_LANES = """JSON.stringify(fxtreport.lanes.lists.thread.map(({key}) => {
    const {profile} = fxtreport;
    const sums = profile.select({range: null, lanes: new Set([key]), cpus: null});
    const byTime = profile.select({range: [0, profile.endTime], lanes: new Set([key]),
                                   cpus: null});
    const rows = [...sums.functionTotal.keys()].filter(f => sums.functionTotal[f] !== 0);
    return [profile.facts.lanes[key], sums.total, byTime.total, sums.n, byTime.n,
            rows.map(f => [profile.name(f), sums.functionSelf[f], sums.functionTotal[f],
                           byTime.functionSelf[f], byTime.functionTotal[f]])];
}))"""


def check_browser(expected, page, unit):
    """The sums of the page's script, over all samples and over all of the timeline."""
    page.open("p.html", ready="'ready' in document.documentElement.dataset")
    lanes = json.loads(page.run(SUMS_OF_LANES))
    assert len(lanes) == len(expected) and page.errors == [], page.errors
    for lane, total, total_by_time, n, n_by_time, rows in lanes:
        stacks = expected[int(lane[1]), int(lane[3])]
        assert total == total_by_time == unit * sum(stacks.values())
        assert n == n_by_time == sum(stacks.values())
        found = collections.defaultdict(list)
        for name, *sums in rows:
            found[name].append(sums)
        for name, (own, of_all) in hottest(stacks).items():
            assert sum(row[0] for row in found[name]) == unit * own, name
            assert sum(row[2] for row in found[name]) == unit * own, name
            if len(found[name]) == 1:
                assert found[name][0][1] == found[name][0][3] == unit * of_all, name


def compare(*arguments, period=0):
    """Returns the stacks of each process and thread."""
    expected = from_pprof(*arguments)
    run(FXTREPORT, "-q", "-o", "p.html", *arguments)
    read = html_read.Page("p.html")
    others = {"folded": from_folded(*arguments), "firefox": from_firefox(*arguments),
              "chrome": from_chrome(*arguments), "perfetto": from_perfetto(*arguments),
              "html": html_read.fold(read),
              "speedscope": from_speedscope(*arguments)}
    for what, found in others.items():
        assert set(found) == set(expected), (what, set(found) ^ set(expected))
        for key, stacks in expected.items():
            assert +found[key] == +stacks, (what, key, set((+found[key]).items()) ^
                                            set((+stacks).items()))
            assert hottest(found[key]) == hottest(stacks), (what, key)
    n_samples = sum(sum(stacks.values()) for stacks in expected.values())
    assert n_samples > 0
    if period:
        profile = pprof_read.read("p.pb.gz")
        assert read.total() == period * n_samples
        assert sum(s["value"][1] for s in profile["sample"]) == period * n_samples
    check_report(expected, *arguments)
    if PAGE:
        check_browser(expected, PAGE[0], period or 1)
    return expected


def random_trace(seed, elf):
    """Threads with recursion, inlined functions, the kernel, and addresses of nothing."""
    rng, trace, at = random.Random(seed), fxtwrite.Trace(), symbols(elf)
    pool = [*range(at["main"] + 1, at["main.end"], 3), *(16 * i + 0x10 for i in range(20)),
            *(2**63 + 0x1000 + 64 * i for i in range(9))]
    trace.magic()
    for thread in range(5, 9):
        trace.thread(thread, b"thread %d" % thread, 1 + thread % 3)
    for i in range(600):
        thread = rng.randrange(5, 9)
        pcs = rng.choices(pool, k=rng.randrange(1, 12))
        trace.backtrace(1000 * i, 1 + thread % 3, thread, *pcs)
    return trace


def test_archives():
    write("b.fxt", busy_trace())
    compare("b.fxt")
    for seed, name in enumerate(("ELF_INLINES", "ELF_CPLUSPLUS")):
        if name not in os.environ:
            continue
        write("r%d.fxt" % seed, random_trace(seed, os.environ[name]))
        found = compare("--elf", os.environ[name], "--period", "1ms", "r%d.fxt" % seed,
                        period=10**6)
        assert len(found) == 4


STRIPPED = r"""
#include <stdio.h>
#include <stdlib.h>
__attribute__((cold, noinline)) static void complain(int a, int b) { fprintf(stderr, "%d %d", a, b); }
__attribute__((noinline)) int careful(int *values, int n)
{
    int buffer[64], sum = 0;
    for (int i = 0; i < 64; i++)
        buffer[i] = i ^ n;
    for (int i = 0; i < n; i++) {
        if (values[i] == 1234567) {
            complain(values[i], buffer[i % 64]);
            sum = values[0] / (sum | 1);
        }
        sum += values[i] ^ buffer[i % 64];
    }
    return sum;
}
__attribute__((noinline)) int middle(int *values, int n) { return careful(values, n) + n * careful(values, 1); }
int main(int argc, char **argv)
{
    int *values = calloc((size_t)argc, sizeof(*values));
    return argv[0][0] + middle(values, argc);
}
"""


def stripped_trace():
    """A stripped program, samples of all its functions at many PCs, and the functions' names
    by address."""
    write_text("program.c", STRIPPED)
    run("cc", "-O2", "-o", "whole", "program.c")
    run("strip", "-o", "unnamed", "whole")
    at = {name: address for name, address in symbols("whole").items()}
    vaddr, size = code_segment("whole")
    trace = fxtwrite.archive()
    trace.module(1, 1, os.path.abspath("unnamed").encode(), b"")
    trace.mapping(1, 1, BASE + vaddr, size, vaddr)
    names = {}
    for name in ("main", "middle", "careful", "careful.cold"):
        for address in range(at.get(name, 0), at.get(name + ".end", 0)):
            whole = name.split(".")[0]
            names[BASE + address] = "main" if name == "main" else "unnamed+%#x" % at[whole]
    stub = re.search(r"([0-9a-f]+) <calloc@plt>:", run("objdump", "-d", "whole"))
    names[BASE + int(stub[1], 16)] = "calloc@plt"
    for i, pc in enumerate(names):
        trace.backtrace(100 + i, 1, 2, pc, BASE + at["middle"] + 1 + i % 4, BASE + at["main"] + 1)
    return trace, names


def test_functions_without_symbols():
    """Each is one function, called by its start, in all outputs; addresses stay PCs."""
    need("cc", "strip", "objdump", "readelf")
    trace, names = stripped_trace()
    write("s.fxt", trace)
    found, = compare("s.fxt").values()
    own, _ = self_and_total(found)
    assert own == collections.Counter(names.values()), own
    assert len(own) == 4
    profile = pprof_read.read("p.pb.gz")
    assert set(names) <= {location["address"] for location in profile["location"]}
    rows = json.loads(run(FXTREPORT, "-q", "--json", "s.fxt"))["functions"]
    assert {row["name"]: row["self"] for row in rows} == dict(own), rows
    # In tables, call trees, flame graphs and differences no PC is a name.
    texts = [run(FXTREPORT, "-q", "--width", "0", *options, "s.fxt")
             for options in ([], ["--tree"], ["--callers", "careful|unnamed"], ["--diff", "s.fxt"])]
    texts.append(run(FXT2FOLDED, "-q", "--format", "svg", "s.fxt"))
    for text in texts:
        assert set(re.findall(r"unnamed\+0x[0-9a-f]+", text)) <= set(names.values()), text


def test_a_recording():
    if not RECORDER:
        return
    fxtrecord, workload = RECORDER
    done = subprocess.run([fxtrecord, "-q", "-o", "r.fxt", workload, "-n", "100", "-j", "3"],
                          check=False, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True)
    if done.returncode != 0:
        print("left out: nothing can be recorded here:", done.stderr.strip())
        return
    document = json.loads(run(FXTREPORT, "-q", "--json", "r.fxt"))
    compare("r.fxt", period=document["period_ns"])


if __name__ == "__main__":
    if browser.program() is None:
        print("left out: what a browser computes, for there is no Chromium")
        main(sys.modules[__name__])
    with browser.Browser() as shown:
        PAGE.append(shown)
        main(sys.modules[__name__])
