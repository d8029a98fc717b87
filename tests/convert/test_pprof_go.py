#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Profiles as `go tool pprof` reads them. Arguments: the tools' build directory."""
import collections
import html
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import fxtwrite
import patience
import pprof_read
from profile_cases import (FXT2FOLDED, FXT2PPROF, HAS_LINES, busy_trace, deepest_stack,
                           main, need, run, symbols, write)

KERNEL_BASE = 0xffffffff80100000


def pprof(*arguments):
    return run("go", "tool", "pprof", *arguments)


def top(*arguments):
    """The flat and cumulative values of each function."""
    rows = {}
    for line in pprof("-top", "-nodecount=10000", *arguments).splitlines():
        match = re.match(r"\s*(\S+)\s+\S+%\s+\S+%\s+(\S+)\s+\S+%  (.*)", line)
        if match:
            rows[match[3]] = (match[1], match[2])
    return rows


def raw(*arguments):
    """The text of -raw, its locations as (address, mapping, function), and mappings."""
    text = pprof("-raw", *arguments)
    locations = [(int(m[1], 16), int(m[2]), m[3]) for m in
                 re.finditer(r"^ +\d+: (0x[0-9a-f]+) (?:M=(\d+) )?(.*?) (?:\S*:\d+ )?s=\d+$",
                             text.replace(" M=", " M="), re.M)]
    mappings = re.findall(r"^\d+: (0x[0-9a-f]+)/(0x[0-9a-f]+)/(0x[0-9a-f]+) (\S*) (\S*) ?(.*)$",
                          text, re.M)
    return text, locations, mappings


def user_trace(elf, base, link_base):
    """Samples in a program that is loaded to `base`: the leaves are exact, the callers
    are return addresses, and one of these is after the last call of a function."""
    at = symbols(elf, base - link_base)
    trace = fxtwrite.Trace()
    for _ in range(3):
        trace.backtrace(1000, 1045, 2077, at["leaf"] + 1, at["middle"] + 8, at["main"] + 9)
    for _ in range(2):
        trace.backtrace(2000, 1045, 2077, at["leaf"], at["neighbour"] + 5, at["main"] + 20)
    trace.backtrace(5000, 1045, 2077, at["leaf"], at["gives_up.end"])
    return trace


USER_TOP = {"leaf": ("6", "6"), "middle": ("0", "3"), "neighbour": ("0", "2"),
            "gives_up": ("0", "1"), "main": ("0", "5")}


def elf_segments(elf):
    """The executable segments: (offset, address)."""
    return [(int(m[1], 16), int(m[2], 16)) for m in
            re.finditer(r"LOAD\s+(0x\S+) (0x\S+) 0x\S+ 0x\S+ 0x\S+ R E",
                        run("readelf", "-lW", elf))]


def check_user(elf, base, link_base):
    trace = user_trace(elf, base, link_base)
    write("cpu0.bin", trace)
    run(FXT2PPROF, "--elf", "%s@%#x" % (elf, base), "-o", "p.pb.gz", "cpu0.bin")
    assert top("p.pb.gz") == USER_TOP, top("p.pb.gz")
    _, _, mappings = raw("p.pb.gz")
    (offset, vaddr), = elf_segments(elf)
    build_id = re.search("Build ID: ([0-9a-f]+)", run("readelf", "-n", elf))[1]
    assert len(mappings) == 1
    assert int(mappings[0][0], 16) == vaddr - link_base + base, mappings
    assert int(mappings[0][2], 16) == offset, mappings
    assert mappings[0][3:5] == (elf, build_id), mappings
    assert mappings[0][5] == ("[FN][FL][LN]" if HAS_LINES else "[FN]"), mappings


def test_a_position_independent_program():
    check_user(os.environ["ELF_PIE"], 0x555500000000, 0)


def test_a_program_whose_offsets_are_not_its_addresses():
    elf = os.environ["ELF_MOVED"]
    (offset, vaddr), = elf_segments(elf)
    assert offset != vaddr
    check_user(elf, 0x555500000000, 0x10000)


def module_trace(elf, base, link_base):
    (_, vaddr), = elf_segments(elf)
    samples = user_trace(elf, base, link_base)
    trace = fxtwrite.archive()
    trace.pieces += samples.pieces
    trace.module(1045, 1, elf.encode(), b"")
    trace.mapping(1045, 1, vaddr - link_base + base, 0x1000, vaddr)
    return trace


def test_a_module_takes_its_functions_and_its_offset_from_its_file():
    for elf, link_base in ((os.environ["ELF_PIE"], 0), (os.environ["ELF_MOVED"], 0x10000)):
        write("p.fxt", module_trace(elf, 0x555500000000, link_base))
        run(FXT2PPROF, "-o", "p.pb.gz", "p.fxt")
        assert top("-symbolize=none", "p.pb.gz") == USER_TOP
        _, _, mappings = raw("p.pb.gz")
        (offset, _), = elf_segments(elf)
        assert int(mappings[0][2], 16) == offset, mappings
        assert "offset" not in pprof("-comments", "p.pb.gz")


def test_pprof_finds_the_same_functions_by_itself():
    """Without our symbols, by the mappings and file names in the input."""
    for elf, link_base in ((os.environ["ELF_PIE"], 0), (os.environ["ELF_MOVED"], 0x10000)):
        write("p.fxt", module_trace(elf, 0x555500000000, link_base))
        run(FXT2PPROF, "--unsymbolized", "-o", "p.pb.gz", "p.fxt")
        unnamed = top("-symbolize=none", "p.pb.gz")
        name = os.path.basename(elf)
        assert all(re.fullmatch(re.escape(name) + r"\+0x[0-9a-f]+", n) for n in unnamed), unnamed
        assert top("-symbolize=local", "p.pb.gz") == USER_TOP


def kernel_trace(elf, slide):
    at = symbols(elf, slide)
    trace = fxtwrite.Trace()
    for _ in range(4):
        trace.sample(100, 1, 2, at["timer_tick"] + 1, at["idle_loop"] + 5,
                     at["kernel_main"] + 6)
    trace.sample(200, 1, 2, at["panic"] + 2, at["check_or_panic.end"], at["kernel_main"] + 12)
    trace.sample(300, 1, 2, at["interrupt_entry"] + 1)
    trace.sample(400, 1, 2, at["kernel_entry"])
    return trace


KERNEL_TOP = {"timer_tick": ("4", "4"), "idle_loop": ("0", "4"), "kernel_main": ("0", "5"),
              "panic": ("1", "1"), "check_or_panic": ("0", "1"),
              "interrupt_entry": ("1", "1"), "kernel_entry": ("1", "1")}


def test_a_kernel_where_it_was_linked_and_moved():
    elf = os.environ.get("ELF_KERNEL")
    if elf is None:
        return
    for slide in (0, 0x7000000):
        write("k.bin", kernel_trace(elf, slide))
        address = "@%#x" % (KERNEL_BASE + slide)
        for where in ([address, "+%d" % slide] if slide else [address, ""]):
            run(FXT2PPROF, "--elf", elf + where, "-o", "k.pb.gz", "k.bin")
            assert top("k.pb.gz") == KERNEL_TOP, top("k.pb.gz")
        _, locations, mappings = raw("k.pb.gz")
        assert int(mappings[0][0], 16) == KERNEL_BASE + slide
        assert mappings[0][2] == "0x0", mappings
        start, limit = int(mappings[0][0], 16), int(mappings[0][1], 16)
        assert len(locations) > 4
        assert all(start <= address < limit for address, _, _ in locations)


def test_pprof_finds_the_functions_of_a_kernel_by_itself():
    elf = os.environ.get("ELF_KERNEL")
    if elf is None:
        return
    for slide in (0, 0x7000000):
        trace = fxtwrite.archive()
        trace.pieces += kernel_trace(elf, slide).pieces
        trace.module(1, 1, elf.encode(), b"")
        trace.mapping(1, 1, KERNEL_BASE + slide, 0x1000, KERNEL_BASE)
        write("k.fxt", trace)
        run(FXT2PPROF, "--unsymbolized", "-o", "k.pb.gz", "k.fxt")
        found = top("-symbolize=local", "k.pb.gz")
        # Assembly has no debugging information, which is all that pprof looks at.
        for name in KERNEL_TOP:
            if name not in ("interrupt_entry", "kernel_entry"):
                assert found[name] == KERNEL_TOP[name], (name, found)


def test_lines_and_inlined_functions():
    elf = os.environ["ELF_INLINES"]
    if not HAS_LINES:
        return
    address, deepest = deepest_stack(elf, "main")
    trace = fxtwrite.Trace()
    trace.backtrace(100, 1, 2, address)
    write("p.bin", trace)
    flags = {"lines": "[FN][FL][LN][IN]", "frames": "[FN][FL][LN][IN]", "off": "[FN][FL][LN]"}
    for how, expected in ("lines", deepest), ("frames", deepest), ("off", deepest[-1:]):
        run(FXT2PPROF, "--inlines", how, "--elf", elf, "-o", "p.pb.gz", "p.bin")
        text, _, mappings = raw("p.pb.gz")
        # Go 1.20 and later have a column after the line: 0, since it is unknown.
        found = re.findall(r"(\S+) \S*?([^/\s:]+:\d+)(?::0)? s=(\d+)$", text, re.M)
        assert [(name, line) for name, line, _ in found] == expected, (how, text)
        assert all(0 < int(start) <= int(line.split(":")[1]) for _, line, start in found), found
        assert mappings[0][5] == flags[how], mappings
        n_locations = len(re.findall(r"^ +\d+: 0x", text, re.M))
        assert n_locations == (len(deepest) if how == "frames" else 1), text
        assert list(traces("p.pb.gz")) == [tuple(name for name, _ in expected)], how


def test_names_of_sources_stay_whole():
    """pprof takes a linker's name that it cannot read for a readable one to be shortened,
    and every "operator()<...>" would be the same "operator"."""
    elf = os.environ.get("ELF_CPLUSPLUS")
    if elf is None or not HAS_LINES or os.environ["HAS_LIBIBERTY"] != "1":
        return
    at = symbols(elf)
    trace = fxtwrite.Trace()
    for name in (n for n in at if "_sort" in n and n + ".end" in at):
        for i in range(at[name], at[name + ".end"]):
            trace.backtrace(100, 1, 2, i)
    write("p.bin", trace)
    run(FXT2PPROF, "--elf", elf, "-o", "p.pb.gz", "p.bin")
    folded = run(FXT2FOLDED, "--roots", "none", "--elf", elf, "p.bin")
    expected = set(re.findall(r"operator\(\)<[^;\n]*(?=;| \d+$)", folded, re.M))
    found = pprof("-traces", "p.pb.gz")
    assert expected and all(name in found for name in expected), (expected, found)
    assert not re.search(r"\boperator( \(inline\))?$", found, re.M), found


def test_labels_times_and_comments():
    regions = []
    for cpu in range(3):
        trace = fxtwrite.Trace()
        for i in range(cpu + 1):
            trace.backtrace(1000000 * (1 + cpu), 1045 + cpu, 2077, 0x1000 + cpu)
        if cpu == 1:
            trace.drops(1, 5, 500, 1, 2)
        regions.append(write("cpu%d.bin" % cpu, trace))
    run(FXT2PPROF, "--period", "1ms", "--ticks-per-second", "1000000", "--start-time",
        "1700000000.5", "-o", "p.pb.gz", *regions)
    text, _, _ = raw("p.pb.gz")
    assert "samples/count cpu/nanoseconds[dflt]" in text, text
    assert "PeriodType: cpu nanoseconds\nPeriod: 1000000\n" in text, text
    # Go's own way to print: 2023-11-14 22:13:20.5 UTC, in the local zone of the machine.
    assert "Time: 2023-11-1" in text, text
    assert "cpu:[0 cpu] process_koid:[1045 koid] tid:[2077 koid]" in text, text
    assert "cpu:[2 cpu] process_koid:[1047 koid] tid:[2077 koid]" in text, text
    comments = pprof("-comments", "p.pb.gz")
    assert "5 records dropped by the sampler for lack of room (500 bytes), on CPU 1" in comments
    header = pprof("-top", "p.pb.gz")
    assert re.search(r"Duration: 2s, Total samples = 6ms \( +0\.3%\)", header), header
    assert top("p.pb.gz")["0x1002"] == ("3ms", "3ms")
    assert top("-sample_index=samples", "p.pb.gz")["0x1002"] == ("3", "3")
    assert top("-tagfocus=cpu=0cpu", "p.pb.gz") == {"0x1000": ("1ms", "1ms")}
    assert top("-tagfocus=process_koid=1046koid", "p.pb.gz") == {"0x1001": ("2ms", "2ms")}


def test_names_of_processes_and_threads_select_samples():
    write("p.fxt", busy_trace())
    run(FXT2PPROF, "-o", "p.pb.gz", "p.fxt")
    total = collections.Counter()
    for i in range(200):
        total["shell" if i % 3 == 0 else "other"] += 1
        total["worker" if i % 4 == 1 else "no worker"] += 1

    def samples(focus):
        header = pprof("-top", "-tagfocus=" + focus, "p.pb.gz")
        return int(re.search(r"nodes accounting for (\d+),", header)[1])

    assert samples("process_name=^shell$") == total["shell"]
    assert samples(r"thread=^worker\[2078\]$") == total["worker"]
    roots = top("-tagroot=process_name", "p.pb.gz")
    assert roots["shell"][1] == str(total["shell"]), roots


def traces(*arguments):
    """How often each stack is in the output of -traces, leaf first."""
    stacks = collections.Counter()
    for block in re.split(r"^-+\+-+$", pprof("-traces", *arguments), flags=re.M)[1:]:
        frames = [line for line in block.splitlines()
                  if line.strip() and not re.match(r" *\w+:  ", line)]
        if frames:
            count, first = frames[0].split(None, 1)
            names = [first] + frames[1:]
            stacks[tuple(n.replace("(inline)", "").strip() for n in names)] += int(count)
    return stacks


def test_pprof_and_folded_stacks_agree():
    write("p.fxt", busy_trace())
    run(FXT2PPROF, "-o", "p.pb.gz", "p.fxt")
    folded = collections.Counter()
    for line in run(FXT2FOLDED, "--roots", "none", "p.fxt").splitlines():
        stack, count = line.rsplit(" ", 1)
        folded[tuple(reversed(stack.split(";")))] = int(count)
    assert sum(folded.values()) == 200
    assert folded == traces("-symbolize=none", "p.pb.gz")


def small_profile():
    """A file of a profile, whose stacks are few enough that pprof shows them all, and its
    stacks, root first."""
    trace = fxtwrite.archive()
    trace.begin(0, 1, 2, b"main")
    for name, length in ((b"parse", 500), (b"draw<int>", 300), (b"a & b", 150)):
        trace.complete(1000, 1000 + length, 1, length, name)
    trace.complete(100, 400, 1, 2, b"parse")
    trace.complete(200, 300, 1, 2, b"draw<int>")
    trace.end(900, 1, 2)
    write("s.fxt", trace)
    run(FXT2PPROF, "-q", "--spans", "-o", "s.pb.gz", "s.fxt")
    stacks = pprof_read.fold(pprof_read.read("s.pb.gz"), value=1)
    assert stacks[("main", "parse", "draw<int>")] == 100 and len(stacks) == 6, stacks
    return "s.pb.gz", stacks


def expected_graph(stacks):
    """How much is in each function, and in each call of one by another."""
    nodes, edges = collections.Counter(), collections.Counter()
    for stack, n in stacks.items():
        for name in set(stack):
            nodes[name] += n
        for call in set(zip(stack, stack[1:])):
            edges[call] += n
    return nodes, edges


def check_svg(svg, stacks):
    nodes, edges = collections.Counter(), collections.Counter()
    for title in re.findall(r'xlink:title="(.*?)"', svg):
        caller, arrow, rest = html.unescape(title).partition(" -> ")
        match = re.fullmatch(r"(.*) \((\d+)ns\)", rest if arrow else caller)
        if match is not None and arrow:
            edges[(caller, match[1])] = int(match[2])
        elif match is not None:
            nodes[match[1]] = int(match[2])
    assert (nodes, edges) == expected_graph(stacks), (nodes, edges)


def test_svg():
    if shutil.which("dot") is None:
        print("left out: there is no dot, with which pprof draws")
        return
    profile, stacks = small_profile()
    check_svg(pprof("-svg", "-nodefraction=0", "-edgefraction=0", profile), stacks)


def fetch(url):
    """A page. The server says where it is before it listens."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    give_up = time.monotonic() + patience.SECONDS
    while True:
        try:
            with opener.open(url, timeout=patience.SECONDS) as answer:
                return answer.read()
        except urllib.error.URLError as error:
            if (not isinstance(error.reason, ConnectionRefusedError) or
                    time.monotonic() > give_up):
                raise
            time.sleep(0.05)


def flame_stacks(node, above=()):
    """The stacks of a tree as pprof's flame graph has it."""
    own = node["v"]
    for child in node["c"] or []:
        own -= child["v"]
        yield from flame_stacks(child, above + (child["f"],))
    if own > 0 and above:
        yield above, own


def graph_stacks(page):
    """The stacks of the page with pprof's flame graph: a tree up to Go 1.19, stacks of
    indices after that."""
    tree = re.search(rb'var data = JSON\.parse\((".*?")\);', page)
    if tree is not None:
        return dict(flame_stacks(json.loads(json.loads(tree[1]))))
    view = json.JSONDecoder().raw_decode(page.decode().split("\n    stackViewer(")[1])[0]
    names = [source["FullName"] for source in view["Sources"]]
    found = collections.Counter()
    for stack in view["Stacks"]:
        found[tuple(names[i] for i in stack["Sources"][1:])] += stack["Value"]
    return found


def check_pages(url, stacks):
    table = re.search(rb"makeTopTable\( *\d+ *, (\[.*\])\);", fetch(url + "/top"))[1]
    found = {row["Name"]: row["Cum"] for row in json.loads(table)}
    assert found == expected_graph(stacks)[0], found
    found = graph_stacks(fetch(url + "/flamegraph"))
    assert found == stacks, found
    assert b"draw&lt;int&gt;" in fetch(url + "/peek?f=draw")
    with open("again.pb.gz", "wb") as file:
        file.write(fetch(url + "/download"))
    assert pprof_read.fold(pprof_read.read("again.pb.gz"), value=1) == stacks
    if shutil.which("dot") is not None:
        check_svg(fetch(url + "/").decode().split("<svg", 1)[1], stacks)


def test_http():
    profile, stacks = small_profile()
    with subprocess.Popen(["go", "tool", "pprof", "-http=localhost:", "-no_browser",
                           "-nodefraction=0", "-edgefraction=0", profile],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          start_new_session=True) as server:
        try:
            for line in server.stdout:
                if "Serving web UI on " in line:
                    check_pages(line.split()[-1] + "/ui", stacks)
                    break
            else:
                raise AssertionError("it does not serve")
        finally:
            os.killpg(server.pid, signal.SIGTERM)


def test_pprof_reads_a_profile_without_samples():
    write("empty.bin", fxtwrite.Trace())
    run(FXT2PPROF, "-o", "p.pb.gz", "empty.bin", status=1)
    assert "of 0 total" in pprof("-top", "p.pb.gz")


def test_profiles_of_two_runs_merge():
    """Mappings of the same file at different addresses are one to pprof."""
    elf = os.environ["ELF_PIE"]
    for name, base in (("a", 0x555500000000), ("b", 0x7ffff0000000)):
        write(name + ".bin", user_trace(elf, base, 0))
        run(FXT2PPROF, "--elf", "%s@%#x" % (elf, base), "-o", name + ".pb.gz", name + ".bin")
    pprof("-proto", "-output=both.pb.gz", "a.pb.gz", "b.pb.gz")
    assert len(raw("both.pb.gz")[2]) == 1
    assert top("both.pb.gz")["leaf"] == ("12", "12")


def test_spans_have_the_time_in_each_and_how_many_there_were():
    trace = fxtwrite.archive()
    trace.process(1, b"app")
    trace.begin(1000, 1, 2, b"main")
    for i in range(10):
        trace.complete(2000 + 100 * i, 2050 + 100 * i, 1, 2, b"turn")
    trace.end(11000, 1, 2)
    trace.complete(0, 10 ** 6, 1, 3, b"wait")
    write("p.fxt", trace)
    run(FXT2PPROF, "-o", "p.pb.gz", "--spans", "--idle", "hide", "--idle-function", "^wait",
        "p.fxt")
    assert top("p.pb.gz") == {"main": ("9500ns", "10000ns"),
                               "turn": ("500ns", "500ns")}
    assert top("-sample_index=spans", "p.pb.gz") == {"main": ("1", "11"),
                                                     "turn": ("10", "10")}
    text, _, _ = raw("p.pb.gz")
    assert "1 span left out: idle" in text and "process_name:[app]" in text, text


def test_filters_leave_what_pprof_would_leave():
    """pprof's own filters are the judge of ours."""
    write("p.fxt", busy_trace())
    run(FXT2PPROF, "-o", "all.pb.gz", "p.fxt")
    for ours, theirs in ((["--pid", "1045"], "-tagfocus=process_koid=1045koid"),
                         (["--tid", "2078"], "-tagfocus=tid=2078koid"),
                         (["--process", "shell"], "-tagfocus=process_name=^shell$")):
        run(FXT2PPROF, "-o", "some.pb.gz", *ours, "p.fxt")
        expected = top(theirs, "all.pb.gz")
        found = top("some.pb.gz")
        assert expected and found == expected, (ours, found, expected)


if __name__ == "__main__":
    need("addr2line", "go", "nm", "readelf")
    main(sys.modules[__name__])
