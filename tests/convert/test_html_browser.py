#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtreport's pages in a browser, Chromium: what they show, and what keys, the mouse and
links do. test_outputs_agree.py has the sums. Argument: the tools' build directory."""
import itertools
import json
import sys

import browser
import fxtwrite
import html_read
from profile_cases import FXTREPORT, main, run, write

BROWSER = []
READY = "'ready' in document.documentElement.dataset"
STATE = "fxtreport.state"
HOSTILE = b"</script><img src=x onerror=alert(1)><b>&amp;"


def small_trace(n=100):
    """A millisecond for each sample: 0x1 calls 0xa, of thread 2, in the first half, and 0xb,
    of thread 3, in the second; 0xb calls itself."""
    trace = fxtwrite.Trace()
    trace.magic()
    trace.process(1, b"server")
    trace.thread(2, b"first", 1)
    trace.thread(3, b"second", 1)
    for i in range(n):
        trace.backtrace(i * 10**6, 1, *((2, 0xa, 0x1) if i < n // 2 else (3, 0xb, 0xb, 0x1)))
    return trace


def show(trace, *options, fragment="", status=0, name="p.html"):
    write("p.fxt", trace)
    run(FXTREPORT, "-q", "-o", name, *options, "p.fxt", status=status)
    return opened(name, fragment)


def opened(name="p.html", fragment=""):
    page = BROWSER[0]
    page.errors.clear()
    page.open(name, fragment, ready=READY)
    return page


def check(page):
    """No script failed, and nothing was asked of a network."""
    assert page.errors == [], page.errors


def text(page, selector):
    return page.run("[...document.querySelectorAll(%r)].map(e => e.innerText.trim())" % selector)


def rows(page):
    """Those of the table of functions: self, total, name."""
    cells = page.run("""[...document.querySelectorAll("#view-functions tbody tr")].map(
        row => [...row.cells].map(cell => cell.innerText.trim()))""")
    return [(row[0], row[2], row[4]) for row in cells]


def box(page, selector):
    return page.run("""(() => {
        const {x, y, width, height} = document.querySelector(%r).getBoundingClientRect();
        return [x, y, width, height];
    })()""" % selector)


def test_what_is_shown():
    trace = small_trace()
    trace.complete(10**6, 2 * 10**6, 1, 2, b"work")
    trace.add(fxtwrite.context_switch(10, 0, 3, 2, 3))
    trace.add(fxtwrite.context_switch(20, 0, 3, 3, 2))
    page = show(trace, "--period", "1ms", fragment="#view=functions")
    assert rows(page) == [("50.0%", "50.0%", "0xa"), ("50.0%", "50.0%", "0xb"),
                          ("0.0%", "100.0%", "0x1")], rows(page)
    facts = text(page, "#facts")[0]
    for fact in ("100 samples", "100 ms of CPU time", "1 process", "2 threads", "1 span"):
        assert fact in facts.replace("\u00a0", " "), facts
    assert text(page, "#lane-names .name") == ["first", "second"]
    assert text(page, "h1") == ["Profile of server"]
    assert "such as a JIT compiler's" in text(page, "#missing")[0]
    check(page)


def test_code_of_a_kernels_module_has_the_kernels_remedy():
    trace = fxtwrite.Trace()
    trace.magic()
    trace.module(1, 1, b"[ext4]", b"\xaa")
    trace.mapping(1, 1, 0xffffffffc0000000, 0x1000, 0)
    trace.backtrace(10, 1, 2, 0xffffffffc0000010)
    missing = text(show(trace), "#missing")[0]
    assert "in [ext4]: record as root, or give --kallsyms" in missing, missing


def test_code_that_a_list_of_symbols_lacks_is_not_named_by_giving_it():
    trace = fxtwrite.Trace()
    trace.magic()
    trace.backtrace(10, 1, 2, 0xffffffff80000010)
    trace.backtrace(11, 1, 2, 0xffffffffc0000010)
    with open("kallsyms", "w", encoding="ascii") as file:
        file.write("ffffffff80000000 T known\nffffffff80001000 T next\n")
    assert "in [kernel]: record as root" in text(show(trace), "#missing")[0]
    missing = text(show(trace, "--kallsyms", "kallsyms"), "#missing")[0]
    assert "in [kernel]: code that the kernel's list of symbols lacks" in missing, missing


def test_an_event_is_named():
    trace = fxtwrite.Trace()
    trace.magic()
    trace.provider(1, b"fxtrecord")
    trace.several()
    trace.sampled(0, b"task-clock", b"nanoseconds", 1000)
    trace.sampled(1, b"page-faults", b"count")
    trace.provider(2, b"cpu0")
    for i in range(4):
        trace.weighed(10 + i, 5, 6, 0, 0, 0xa, 0x1)
    trace.weighed(20, 5, 7, 1, 53, 0xb, 0x1)
    for value, fact, name, lanes in (
            ("page-faults", "53 page-faults", "0xb", ["thread 7"]),
            ("task-clock", "4.00 \u00b5s of task-clock", "0xa", ["thread 6"])):
        page = show(trace, "--value", value, fragment="#view=functions")
        facts = text(page, "#facts")[0].replace("\u00a0", " ")
        assert fact in facts and "CPU time" not in facts, facts
        # Beside two events there would be no third.
        other, = {"task-clock", "page-faults"} - {value}
        assert "also recorded: %s (--value)" % other in facts, facts
        assert rows(page)[0] == ("100.0%", "100.0%", name), rows(page)
        assert text(page, "#lane-names .name") == lanes, text(page, "#lane-names .name")
        check(page)


def test_rows_have_numbers_of_all_sizes():
    """Blocks of 64 rows with times that are near and far, and the last one not full."""
    trace = fxtwrite.Trace()
    trace.magic()
    time = 0
    for width in range(52):
        for i in range(65):
            time += (1 << width >> 1) + i % 3 if i == width else i & (1 << width) - 1
            trace.backtrace(time, 1, 2, 0x100 + i % (width + 1), 0x1)
    page = show(trace)
    read = html_read.Page("p.html")
    assert max(read.columns["row.time"]).bit_length() > 50
    # The page adds the times up.
    assert page.run('[...fxtreport.profile.columns["row.time"]]') == \
        list(itertools.accumulate(read.columns["row.time"]))
    assert page.run('[...fxtreport.profile.columns["row.sample"]]') == \
        read.columns["row.sample"]
    assert [moment for moment, _ in read.times()][-1] == time
    check(page)


def test_selecting_a_time():
    page = show(small_trace(), "--period", "1ms", fragment="#view=functions")
    x, y, width, height = box(page, "#lanes-canvas")
    page.mouse("mousePressed", x + width * 0.6, y + height / 2)
    for at in 0.5, 0.3, 0.25:
        page.mouse("mouseMoved", x + width * at, y + height / 2)
    page.mouse("mouseReleased", x + width * 0.25, y + height / 2)
    first, last = page.run(STATE + ".range")
    assert abs(first - 25e6) < 1e6 and abs(last - 60e6) < 1e6, (first, last)
    n = [sum(first <= i * 10**6 < last for i in half) for half in (range(50), range(50, 100))]
    assert page.run("fxtreport.sums.n") == sum(n)
    assert rows(page)[0] == ("%.1f%%" % (100 * n[0] / sum(n)),) * 2 + ("0xa",), rows(page)
    # The address is a link to that.
    fragment = page.run("location.hash")
    assert rows(opened(fragment=fragment))[0][2] == "0xa"
    assert page.run(STATE + ".range") == [first, last]
    page.run("document.getElementById('lanes-frame').focus()")
    page.press("ArrowRight")
    moved = page.run(STATE + ".range")
    assert moved[0] > first and abs(moved[1] - moved[0] - (last - first)) <= 2
    page.press("Escape")
    assert page.run(STATE + ".range") is None and page.run("fxtreport.sums.n") == 100
    check(page)


def selected(page, first, last):
    """The number of samples in a range, and the self weight of each function."""
    page.run("fxtreport.change({range: [%d, %d]})" % (first, last))
    found = page.run("""(() => {
        const {profile, sums} = fxtreport;
        return [sums.n, [...sums.functionSelf].map((weight, f) => [profile.name(f), weight])];
    })()""")
    return found[0], {name: weight for name, weight in found[1] if weight != 0}


def test_what_lasts_is_cut_to_the_time():
    trace = fxtwrite.Trace()
    trace.magic()
    trace.complete(1000, 101000, 1, 2, b"outer")
    trace.complete(41000, 61000, 1, 2, b"inner")
    for time, out, into in (1000, 4, 2), (81000, 2, 4), (201000, 4, 2):
        trace.add(fxtwrite.context_switch(time, 0, 3, out, into))
    page = show(trace, "--spans")
    # Relative to the first row: outer is from 0 to 100000, inner from 40000 to 60000.
    for first, last, n, expected in (
            (0, 100000, 2, {"outer": 80000, "inner": 20000}),
            (10000, 30000, 0, {"outer": 20000}),
            (30000, 50000, 1, {"outer": 10000, "inner": 10000}),
            (50000, 55000, 0, {"inner": 5000}),
            (50000, 70000, 0, {"inner": 10000, "outer": 10000}),
            (90000, 200000, 0, {"outer": 10000})):
        assert selected(page, first, last) == (n, expected), (selected(page, first, last), n)
        # As in a terminal.
        report = json.loads(run(FXTREPORT, "-q", "--spans", "--json", "--by", "function", "--time",
                                "%dns-%dns" % (1000 + first, 1000 + last), "p.fxt"))
        own = {row["name"]: row["self"] for row in report["functions"] if row["self"]}
        assert own == expected, report
    # How many began.
    page = show(trace, "--spans", "--value", "spans")
    assert selected(page, 30000, 50000)[0] == 1
    page = show(trace, "--sched", "off-cpu")
    # From 0, when thread 2 has left its CPU, to 120000.
    assert selected(page, 20000, 50000)[0] == 0
    assert sum(selected(page, 20000, 50000)[1].values()) == 30000
    check(page)


def test_lanes_show_why_threads_did_not_run():
    """From 0 thread 2 is blocked until 80, runnable until 100, and runs, of which samples
    are, until 200, when it is suspended until 300."""
    trace = fxtwrite.Trace()
    trace.magic()
    trace.provider(1, b"fxtrecord")
    trace.recording(10000)
    trace.provider(2, b"cpu0")
    trace.thread(2, b"t2", 1)
    trace.thread(4, b"t4", 1)
    for time, out, state, into in ((0, 2, 3, 4), (100000, 4, 3, 2), (200000, 2, 2, 4),
                                   (300000, 4, 3, 2)):
        trace.add(fxtwrite.context_switch(time, 0, state, out, into))
    trace.add(fxtwrite.thread_wakeup(80000, 0, 2))
    for i in range(10):
        trace.backtrace(100000 + 10000 * i, 1, 2, 0x10)
    trace.backtrace(310000, 1, 2, (1 << 63) + 8)
    page = show(trace, "--sched", "wall")
    assert text(page, "#legend > span") == ["kernel", "user", "runnable", "blocked",
                                               "suspended"]
    facts = text(page, "#facts")[0].replace("\u00a0", " ")
    assert "15 intervals in 310 \u00b5s" in facts and " of running and waiting" in facts, facts
    shares = page.run("""(() => {
        const {lanes, profile} = fxtreport, {parts, nBars} = lanes.bars;
        const row = lanes.shown.findIndex(lane => lanes.name(lane.key, "thread")[0] === "t2");
        return parts.map(part => part === null ? null : Array.from({length: nBars},
            (_, i) => part[row * nBars + i]).reduce((a, b) => a + b, 0));
    })()""")
    assert [round(ns / 1000) for ns in shares] == [10, 100, 20, 80, 100], shares
    # What runs is at the bottom of a bar.
    colors = page.run("""(() => {
        const {lanes} = fxtreport, canvas = lanes.canvas, context = canvas.getContext("2d");
        const row = lanes.shown.findIndex(lane => lanes.name(lane.key, "thread")[0] === "t2");
        const scale = canvas.width / lanes.width, y = ((row + 1) * 26 - 6) * scale;
        const {data} = context.getImageData(0, y, canvas.width, 1);
        return [40000, 90000, 150000, 250000].map(time => {
            const x = Math.floor(lanes.x(time) * scale);
            return data.slice(4 * x, 4 * x + 4).join();
        });
    })()""")
    assert len(set(colors)) == 4, colors
    page.mouse("mouseMoved", *point_at(page, "t2", 40000))
    assert "100.0% blocked" in text(page, "#tip")[0], text(page, "#tip")
    check(page)


def test_the_last_of_all_times_is_on_its_lane():
    trace = fxtwrite.Trace()
    trace.magic()
    for time in 0, 2**64 - 1:
        trace.backtrace(time, 1, 2, 0x10)
    page = show(trace)
    # There is no choice of CPUs, of which none is known.
    assert page.run("document.getElementById('lanes-by').hidden")
    assert page.run("fxtreport.lanes.bars.all.reduce((a, b) => a + b, 0)") == 2
    check(page)


def point_at(page, lane, time):
    x, y, _, _ = box(page, "#lanes-canvas")
    left, row = page.run("""[fxtreport.lanes.x(%d), fxtreport.lanes.shown.findIndex(
        lane => fxtreport.lanes.name(lane.key, "thread")[0] === %r)]""" % (time, lane))
    return x + left, y + 26 * row + 13


def test_selecting_lanes():
    page = show(small_trace(), fragment="#view=functions")
    page.run("document.querySelectorAll('#lane-names button')[1].click()")
    assert [row[2] for row in rows(page)] == ["0xb", "0x1"]
    assert rows(page)[0][:2] == ("100.0%", "100.0%")
    page.run("document.querySelectorAll('#lanes-by button')[1].click()")
    assert text(page, "#lane-names .name") == ["CPU not known"] and len(rows(page)) == 3
    check(page)


def test_the_flame_graph():
    page = show(small_trace())
    x, y, width, _ = box(page, "#flame")
    row_height = 19
    page.click(x + width * 0.75, y + 2.5 * row_height)
    assert page.run("fxtreport.profile.name(%s.function)" % STATE) == "0xb"
    assert text(page, "#crumbs")[0].split() == ["all", "\u203a", "0x1", "\u203a", "0xb"]
    assert text(page, "#details h2") == ["0xb"]
    rects = page.run("fxtreport.views.flame.rows.map(r => r.map(f => f.width))")
    # All, 0x1, 0xb and the 0xb in that are as wide as the graph.
    assert len(rects) == 4 and all(len(widths) == 1 for widths in rects), rects
    assert len({width for width, in rects}) == 1, rects
    page.run("document.getElementById('flame-scroll').focus()")
    page.press("Escape")
    assert page.run(STATE + ".zoom") == -1
    page.press("ArrowDown")
    page.press("ArrowDown")
    page.press("ArrowRight")
    page.press("Enter")
    assert page.run("fxtreport.profile.name(%s.function)" % STATE) == "0xb"
    check(page)


def test_the_trees():
    page = show(small_trace(), fragment="#view=calls")
    assert text(page, "#view-calls tbody td.function") == ["\u25be0x1", "0xa", "\u25b80xb"]
    page.run("document.querySelectorAll('#view-calls .twisty')[2].click()")
    assert text(page, "#view-calls tbody td.function")[2:] == ["\u25be0xb", "0xb"]
    page.run("document.querySelectorAll('#view-calls tbody tr')[2].click()")
    assert text(page, "#details h2") == ["0xb"]
    page.press("ArrowLeft")
    assert len(text(page, "#view-calls tbody tr")) == 3
    page = opened(fragment="#view=functions&search=0xb")
    page.run("document.querySelector('#view-functions tbody tr').click()")
    page.press("4")
    names = text(page, "#view-callers tbody td.function")
    # A function that calls itself is counted once, by its outermost call.
    assert names == ["\u25be0xb", "0x1"], names
    assert text(page, "#view-callers tbody tr td.share")[0] == "50.0%"
    assert text(page, "#matched") == ["50.0% found"]
    check(page)


def test_a_difference():
    write("b.fxt", small_trace(100))
    trace = small_trace(100)
    for i in range(100):
        trace.backtrace(10**9 + i, 1, 2, 0xa, 0x1)
    page = show(trace, "--diff", "b.fxt", fragment="#view=functions")
    assert text(page, "#view-functions tbody tr td.share")[:3] == ["50.0%", "75.0%", "+25.0%"]
    assert page.run("document.querySelector('.more-rise, .less-rise') !== null")
    page.press("1")
    parts = page.run("""(() => {
        const {views: {flame}, profile} = fxtreport, {tree} = profile;
        return [...tree.func].map((f, i) => [profile.name(f), flame.changePart(i)]);
    })()""")
    assert dict(parts)["0xa"] == 1 and dict(parts)["0xb"] == -1 and dict(parts)["0x1"] == 0
    check(page)


def heap(*groups):
    """A snapshot: of each stack, whose innermost function is its number, blocks of a size
    and how many."""
    def blob(name, entry_words, words):
        args = [fxtwrite.arg(2, b"version", 1), fxtwrite.arg(2, b"entry_words", entry_words)]
        payload = b"".join(word.to_bytes(8, "little") for word in words)
        return fxtwrite.large_blob(5, (7, 0), b"heap", name, payload, args)

    trace = fxtwrite.Trace()
    trace.magic()
    trace.add(blob(b"stacks", 4, [n for stack, _, _ in groups for n in (stack, 1, 1, 1, stack)]))
    trace.add(blob(b"groups", 3, [n for group in groups for n in group]))
    return trace


def test_heaps_are_compared_by_bytes():
    write("b.fxt", heap((0x10, 1024, 1), (0x20, 1024, 3)))
    page = show(heap((0x10, 1024, 5), (0x20, 1024, 3)), "--diff", "b.fxt",
                fragment="#view=functions")
    cells = text(page, "#view-functions tbody tr td.share")
    assert [cell.replace("\u00a0", " ") for cell in cells[:3] + cells[4:7]] == \
        ["1.00 KiB", "5.00 KiB", "4.00 KiB", "3.00 KiB", "3.00 KiB", "0 B"], cells
    assert page.run("document.getElementById('timeline').hidden")
    parts = page.run("[0, 1].map(i => fxtreport.views.flame.change(i))")
    assert sorted(parts) == [0, 0.5], parts
    check(page)


def series(*points):
    """A series of heaps: at each point, a millisecond after the one before, what one stack
    has live and has allocated, blocks and bytes."""
    def add(name, entry_words, words):
        args = [fxtwrite.arg(2, b"version", 2), fxtwrite.arg(2, b"entry_words", entry_words),
                fxtwrite.arg(4, b"heap", 1)]
        payload = b"".join(word.to_bytes(8, "little") for word in words)
        trace.add(fxtwrite.large_blob(5, (7, 0), b"heap", name, payload, args))

    trace = fxtwrite.Trace()
    trace.magic()
    add(b"stacks", 2, (1, 1, 0x10))
    for number, amounts in enumerate(points, 1):
        add(b"amounts", 5, (1, *amounts))
        trace.add(fxtwrite.event(
            0, 1000000 * number, (7, 7), b"heap", b"point",
            [fxtwrite.arg(2, name, value) for name, value in
             ((b"version", 2), (b"point", number), (b"processes", 1), (b"heap", 1))]))
    return trace


def test_the_growth_of_a_heap():
    page = show(series((1, 1024, 1, 1024), (3, 4096, 3, 4096), (2, 2048, 9, 10240)),
                "--point", "2")
    assert page.run("document.getElementById('growth').hidden") is False
    assert page.run("document.getElementById('growth-canvas').getAttribute('aria-label')") == \
        "Live bytes over 3.00\u00a0ms: at most 4.00\u00a0KiB"
    left, top, width, height = box(page, "#growth-canvas")
    for part, lines in ((0.34, ["point 1", "1.00 KiB in 1 block"]),
                        (0.99, ["point 3", "2.00 KiB in 2 blocks",
                                "10.0 KiB allocated until then, 5.86 MiB a second"])):
        page.mouse("mouseMoved", left + part * width, top + height / 2)
        shown = [line.replace("\u00a0", " ") for line in text(page, "#tip > b, #tip > div")]
        assert set(lines) <= set(shown), shown
    (facts,) = text(page, "#facts")
    assert "3 objects" in facts and "4.00" in facts, facts
    check(page)
    page = show(heap((0x10, 1024, 1)))
    assert page.run("document.getElementById('growth').hidden")
    page = show(series((2**40, 2**62, 2**63 - 1, 2**63 - 1)))
    assert page.run("document.getElementById('growth').hidden")
    check(page)


def test_only_names_of_functions_are_shortened():
    """Those of spans are data, though they may look like C++."""
    name = "<img src=x> fetch(1, 2)"
    trace = fxtwrite.Trace()
    trace.magic()
    trace.complete(0, 90, 1, 2, name.encode())
    page = show(trace, "--spans", fragment="#view=functions")
    assert [row[2] for row in rows(page)] == [name], rows(page)
    assert page.run("fxtreport.profile.shortName(0)") == name
    check(page)


def test_tooltips_have_the_whole_name():
    name = "std::" + "map<std::vector<unsigned long>, " * 60 + "int" + ">" * 60 + "::find()"
    trace = fxtwrite.archive()
    trace.functions(1, [(0xa000, 0x100, 0, name.encode())])
    trace.backtrace(0, 1, 1, 0xa010)
    page = show(trace)
    x, y, width, _ = box(page, "#flame")
    page.mouse("mouseMoved", x + width / 2, y + 1.5 * 19)
    assert text(page, "#tip b") == [name], text(page, "#tip b")
    left, top, width, height = box(page, "#tip b")
    sizes = page.run("[innerWidth, innerHeight, document.querySelector('#tip b').scrollHeight]")
    assert left >= 0 and top >= 0 and left + width <= sizes[0] and top + height <= sizes[1], sizes
    assert height >= sizes[2], (height, sizes)
    page = opened(fragment="#view=functions")
    assert page.run("document.querySelector('#view-functions td.function').title") == name
    check(page)


def test_hostile_names_and_links():
    trace = small_trace()
    trace.process(1, HOSTILE)
    trace.thread(2, HOSTILE, 1)
    for i in range(9):
        trace.complete(10**6 * i, 10**6 * i + 5000, 1, 2, HOSTILE)
    for view in "flame", "functions", "calls", "callers":
        page = show(trace, "--spans", fragment="#view=%s&function=0" % view)
        assert page.run("document.images.length") == 0
        assert HOSTILE.decode() in text(page, "h1")[0]
        check(page)
    for fragment in ("#%", "#range=5-2&lanes=x-1&function=99999&zoom=-7&view=x&search=%5B(",
                     "#lanes=7000&range=0-99999999999999999999&seen=1-1", "#search=%E0%A4%A"):
        page = opened(fragment=fragment)
        check(page)


def test_nothing_and_very_deep_stacks():
    trace = fxtwrite.Trace()
    trace.magic()
    for view in "flame", "functions", "calls", "callers":
        page = show(trace, status=1, fragment="#view=" + view)
        check(page)
    trace.sample(1, 2, 3, *range(20000, 0, -1))
    for view in "flame", "functions", "calls", "callers":
        page = show(trace, fragment="#view=%s&function=19999" % view)
        check(page)
    page = opened(fragment="#zoom=19000")
    assert page.run("document.getElementById('flame-scroll').scrollTop") > 300000
    assert page.run("document.getElementById('flame').height") < 4000


def test_the_paper_is_light_or_dark():
    page = show(small_trace())
    for is_dark, paper in (False, "ffffff"), (True, "18181b"):
        page.show(1280, 800, is_dark)
        page.picture("p.png")
        assert browser.first_pixel("p.png") == paper
    page.show(1280, 800)
    # In a narrow window nothing is wider than it.
    page.show(390, 800)
    page = opened(fragment="#view=functions&function=0")
    assert page.run("document.documentElement.scrollWidth") <= 390
    page.show(1280, 800)


if __name__ == "__main__":
    if browser.program() is None:
        print("skipped: there is no chromium")
        sys.exit(77)
    with browser.Browser() as shown:
        BROWSER.append(shown)
        main(sys.modules[__name__])
