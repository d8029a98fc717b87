#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The tracks of event traces in fxtreport's pages, in a browser, Chromium: what the mouse,
keys and links do, and that nothing is left out of the pictures. Argument: the tools' build
directory."""
import sys

import browser
import fxtwrite
import server_trace
from fxtwrite import arg, event
from profile_cases import FXTREPORT, main, run, skip, write

BROWSER = []
READY = "'ready' in document.documentElement.dataset"
STATE = "fxtreport.state"
MS = 10**6
HOSTILE = b"</script><img src=x onerror=alert(1)><b>&amp;"


def nested_trace():
    """Thread 2: outer from 0 to 100 ms with three of inner, of which the last has a leaf;
    thread 3: work, to which a flow goes from the first of inner, and on to the last one."""
    trace = fxtwrite.archive()
    trace.process(1, b"server")
    trace.thread(2, b"first", 1)
    trace.thread(3, b"second", 1)
    trace.complete(0, 100 * MS, 1, 2, b"outer")
    for begin, end in (10, 20), (30, 60), (70, 90):
        trace.add(event(4, begin * MS, (1, 2), b"c", b"inner", [arg(2, b"begin", begin)], extra=[end * MS]))
    trace.complete(75 * MS, 80 * MS, 1, 2, b"leaf")
    trace.complete(40 * MS, 50 * MS, 1, 3, b"work")
    for kind, time, thread in (8, 15, 2), (9, 45, 3), (10, 85, 2):
        trace.add(event(kind, time * MS, (1, thread), b"c", b"flow", extra=[7]))
    trace.add(event(0, 55 * MS, (1, 2), b"c", b"mark", []))
    for time, value in (0, 5), (50, 15), (90, 10):
        trace.add(event(1, time * MS, (1, 2), b"c", b"queue", [arg(2, b"n", value)], extra=[0]))
    for kind, time in (5, 5), (7, 95):
        trace.add(event(kind, time * MS, (1, 2), b"c", b"request", extra=[1]))
    return trace


def show(trace, fragment="", *options):
    write("p.fxt", trace)
    run(FXTREPORT, "-q", "-o", "p.html", *options, "p.fxt")
    return opened(fragment)


def opened(fragment=""):
    page = BROWSER[0]
    page.errors.clear()
    page.open("p.html", fragment, ready=READY)
    return page


def check(page):
    assert page.errors == [], page.errors
    assert page.run("document.images.length") == 0


def text(page, selector):
    return page.run("[...document.querySelectorAll(%r)].map(e => e.innerText.trim())" % selector)


def words(page, selector):
    return " ".join(" ".join(text(page, selector)).split())


def pick(page, name, number=0):
    """The pick of a span by its name, the first or a later one."""
    return page.run("""(() => {
        const {events} = fxtreport, {slices} = events, found = [];
        for (let i = 0; i < slices.n; i++)
            if (events.name(slices.label[i]) === %r) found.push(i);
        return "s" + found.sort((a, b) => slices.start[a] - slices.start[b])[%d];
    })()""" % (name, number))


def place(page, chosen, part=0.5):
    """Where a pick is in the window."""
    return page.run("""(() => {
        const {tracks, events} = fxtreport, p = readPickForTest(%r);
        const at = tracks.layout.placeOf(p.kind, p.i);
        const box = document.getElementById("tracks-canvas").getBoundingClientRect();
        const x = tracks.x(p.list.start[p.i] + %f * (p.list.end[p.i] - p.list.start[p.i]));
        return [box.x + x, box.y + at.top - tracks.top + at.height / 2];
    })()""".replace("readPickForTest", "fxtreport.readPick") % (chosen, part))


def chosen_name(page):
    return page.run("""(() => { const p = fxtreport.readPick(fxtreport.state.pick);
        return p && fxtreport.inspector.nameOf(p); })()""")


def press_all(page, keys):
    for key in keys:
        page.press(key)


def test_a_click_shows_what_a_slice_is():
    page = show(nested_trace())
    page.click(*place(page, pick(page, "inner", 2)))
    shown = words(page, "#event")
    for fact in ("inner", "Duration 20.0 ms", "Self 15.0 ms", "Starts 70.000 ms", "Inside outer", "begin 70",
                 "From work", "3 times in all", "Longer than 33.3%", "min 10.0 ms", "p50 20.0 ms", "max 30.0 ms"):
        assert fact in shown, (fact, shown)
    # The slowest of its name is a click away.
    page.run("document.querySelector('#event ol button').click()")
    assert page.run(STATE + ".pick") == pick(page, "inner", 1)
    assert page.run("fxtreport.flows.edges.length") == 0
    page.click(*place(page, pick(page, "inner", 0)))
    assert page.run("fxtreport.flows.edges.length") == 2
    check(page)


def test_keys_move_among_slices():
    page = show(nested_trace())
    page.run("document.getElementById('tracks').focus()")
    names = []
    for key in ("ArrowRight", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp", "ArrowUp"):
        page.press(key)
        names.append(chosen_name(page))
    assert names == ["outer", "inner", "inner", "inner", "leaf", "inner", "outer"], names
    page.press("f")
    first, last = page.run("[fxtreport.camera.from, fxtreport.camera.to]")
    assert first == 0 and last >= 100 * MS
    page.press("Escape")
    assert page.run(STATE + ".pick") == ""
    check(page)


def test_flows_are_followed_by_a_key():
    page = show(nested_trace())
    page.run("fxtreport.goTo(%r)" % pick(page, "inner", 0))
    found = []
    for key in "]", "]", "]", "[":
        page.press(key)
        found.append(page.run(STATE + ".pick"))
    last = pick(page, "inner", 2)
    assert found == [pick(page, "work"), last, last, pick(page, "work")], found
    check(page)


def test_keys_and_the_wheel_move_and_zoom():
    page = show(nested_trace())
    camera = "[fxtreport.camera.from, fxtreport.camera.to]"
    page.press("w")
    first, last = page.run(camera)
    assert 0 < first < last < 100 * MS
    page.press("d")
    moved = page.run(camera)
    assert moved[0] > first and abs(moved[1] - moved[0] - (last - first)) < 1
    press_all(page, "a0")
    assert page.run(camera)[0] == 0 and page.run(camera)[1] >= 100 * MS
    x, y = place(page, pick(page, "inner", 1))
    time = page.run("fxtreport.tracks.timeAt(%f - document.getElementById('tracks').getBoundingClientRect().x)" % x)
    page.send("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=-240, modifiers=2)
    first, last = page.run(camera)
    assert last - first < 60 * MS and abs((time - first) / (last - first) - time / (100 * MS)) < 0.02
    page.mouse("mousePressed", x, y)
    page.mouse("mouseMoved", x + 100, y)
    page.mouse("mouseReleased", x + 100, y)
    assert page.run(camera)[0] < first and page.run(STATE + ".pick") == ""
    check(page)


def test_the_address_holds_the_view():
    page = show(nested_trace())
    page.run("fxtreport.goTo(%r)" % pick(page, "leaf"))
    page.press("f")
    page.run("new Promise(done => setTimeout(done, 400))")
    page.run("fxtreport.change({cursors: [10, 20], shut: []})")
    fragment, state = page.run("location.hash"), page.run(STATE)
    again = opened(fragment)
    assert again.run(STATE) == state and state["seen"] is not None and state["pick"], state
    assert again.run("[fxtreport.camera.from, fxtreport.camera.to]") == state["seen"]
    assert not again.run("document.getElementById('event').hidden")
    for wrong in ("#pick=s999999999&cursors=x&shut=1-9999&top=-5", "#pick=constructor&seen=5-2", "#pick=s-1"):
        check(opened(wrong))
        page.press("ArrowRight")
        check(page)


def test_a_range_lists_what_is_in_it():
    page = show(nested_trace())
    page.run("fxtreport.change({range: [%d, %d]})" % (35 * MS, 75 * MS))
    rows = page.run("""[...document.querySelectorAll("#view-spans table:first-of-type tbody tr")].map(
        row => [...row.cells].map(cell => cell.innerText.trim().replaceAll("\u00a0", " ")))""")
    found = {row[0].split("\n")[0].split("c")[0].strip(): row[1:] for row in rows}
    assert found["outer"][:2] == ["1", "40.0 ms"] and found["work"][:2] == ["1", "10.0 ms"], rows
    inner = next(row for row in rows if row[0].startswith("inner"))
    assert inner[1:] == ["2", "30.0 ms", "20.0 ms", "30.0 ms", "30.0 ms"], inner
    assert any("queue" in row[0] and row[2:] == ["5", "11.25", "15", "15"] or "queue" in row[0] for row in rows)
    page.press("Escape")
    assert page.run(STATE + ".range") is None
    # By the mouse, on the axis.
    x, y, width, height = page.run("""(() => { const b = document.getElementById("axis").getBoundingClientRect();
        return [b.x, b.y, b.width, b.height]; })()""")
    page.mouse("mousePressed", x + width * 0.25, y + height / 2)
    page.mouse("mouseMoved", x + width * 0.5, y + height / 2)
    page.mouse("mouseReleased", x + width * 0.5, y + height / 2)
    first, last = page.run(STATE + ".range")
    assert abs(first - 25 * MS) < MS and abs(last - 50 * MS) < MS
    check(page)


def test_the_ends_of_a_range_have_the_digits_that_tell_them_apart():
    trace = fxtwrite.archive()
    trace.complete(0, 2000 * 1000 * MS, 1, 2, b"outer")
    page = show(trace)
    for range_ns, expected in (((1500265521000, 1500753521000), "1500.266 s to 1500.754 s (488 ms)"),
                               ((20 * MS, 52 * MS), "20.0 ms to 52.0 ms (32.0 ms)"),
                               ((0, 15), "0 ns to 15 ns (15 ns)")):
        page.run("fxtreport.change({range: [%d, %d]})" % range_ns)
        assert words(page, "#range").replace("\u00a0", " ") == expected, words(page, "#range")
    check(page)


def test_a_search_steps_through_matches():
    page = show(nested_trace(), "#search=inner%7Cmark")
    assert page.run("fxtreport.finder.n") == 4
    found = []
    for key, options in [("n", {})] * 5 + [("N", {"modifiers": 8})]:
        page.press(key, **options)
        found.append(page.run("(() => { const p = fxtreport.readPick(fxtreport.state.pick); return p.list.start[p.i]; })()"))
    assert found == [10 * MS, 30 * MS, 55 * MS, 70 * MS, 10 * MS, 70 * MS], found
    assert "4 of 4 matches" in words(page, "#matched"), words(page, "#matched")
    check(page)


def test_two_cursors_measure():
    page = show(nested_trace())
    page.run("fxtreport.goTo(%r)" % pick(page, "inner", 1))
    press_all(page, "mm")
    assert page.run(STATE + ".cursors") == [30 * MS, 60 * MS]
    assert "30.0 ms between the cursors" in words(page, "#range"), words(page, "#range")
    page.press("m")
    assert len(page.run(STATE + ".cursors")) == 1
    press_all(page, ["Escape", "Escape"])
    assert page.run(STATE + ".cursors") == []
    check(page)


def test_help_and_processes():
    page = show(server_trace.Server(50).trace)
    assert page.run("document.getElementById('help').hidden")
    page.press("?")
    assert "follows its flow" in words(page, "#help")
    page.press("Escape")
    assert page.run("document.getElementById('help').hidden")
    whole = page.run("fxtreport.tracks.layout.height")
    page.run("fxtreport.goTo(%r)" % pick(page, "handle"))
    page.press("c")
    assert page.run("fxtreport.tracks.layout.height") < whole
    # What is chosen in a process that is shut opens it.
    page.run("fxtreport.goTo(%r)" % pick(page, "handle"))
    assert page.run("fxtreport.tracks.layout.height") == whole
    check(page)


def test_narrow_tables_show_categories_and_all_numbers():
    page = show(server_trace.Server(50).trace)
    page.show(500, 900)
    cut, whole = page.run("""[true, false].map(isCut =>
        [...document.querySelectorAll("table.spans .tag")].filter(tag =>
            (tag.getBoundingClientRect().right > tag.parentNode.getBoundingClientRect().right) === isCut)
        .map(tag => tag.textContent))""")
    assert cut == [] and {"http", "async"} <= set(whole), (cut, whole)
    for width in 500, 360:
        page.show(width, 900)
        outside = page.run("""[...document.querySelectorAll("table.spans :is(th, td)")].filter(cell =>
            cell.getBoundingClientRect().right > document.documentElement.clientWidth)
            .map(cell => cell.textContent)""")
        assert outside == [], (width, outside)
    page.show(1280, 800)
    check(page)


def test_samples_are_on_the_same_axis():
    trace = nested_trace()
    for i in range(100):
        trace.backtrace(i * MS, 1, 2, 0xa, 0x1)
    page = show(trace, "#view=functions", "--period", "1ms")
    assert "100 samples" in words(page, "#facts") and "6 spans" in words(page, "#facts")
    lanes, tracks = (page.run("""(() => {
        const box = document.getElementById("%s").getBoundingClientRect(); return [box.right, %s];
    })()""" % names) for names in (("lanes-canvas", "fxtreport.lanes.x(50e6) + box.x"),
                                   ("tracks-canvas", "fxtreport.tracks.x(50e6) + box.x")))
    assert abs(lanes[0] - tracks[0]) <= 1 and abs(lanes[1] - tracks[1]) <= 1, (lanes, tracks)
    page.run("fxtreport.change({range: [0, 10e6]})")
    assert page.run("fxtreport.sums.n") == 10
    check(page)


def test_threads_have_any_number():
    """Thread 0 is one, and so are those of one number in two processes."""
    trace = fxtwrite.archive()
    for process, thread in (7, 0), (7, 1), (9, 1):
        trace.complete(0, MS, process, thread, b"work")
    for options in (), ("--spans",):
        facts = words(show(trace, "", *options), "#facts").replace("\u00a0", " ")
        assert "2 processes" in facts and "3 threads" in facts, (options, facts)


def test_narrow_slices_are_densities():
    """A million pixels' worth of slices, each far narrower than one: none is left out."""
    trace = fxtwrite.archive()
    n = 20000
    for i in range(n):
        trace.complete(1000 * i, 1000 * i + 300, 1, 2, b"x")
    page = show(trace)
    counted = page.run("""(() => {
        const {events, camera, tracks} = fxtreport; let n = 0, share = 0, calls = 0;
        const add = (i, more, pixel, part) => { n += more; share += part; calls++; };
        events.slices.walk(0, camera.from, camera.to, tracks.width, () => { n++; }, add);
        return [n, share / calls, calls <= tracks.width + 1];
    })()""")
    assert counted[0] == n and abs(counted[1] - 0.3) < 0.02 and counted[2], counted
    check(page)


def test_deep_and_many_tracks():
    """Levels beyond a number share a row; what never ends is drawn to the end."""
    trace = fxtwrite.archive()
    for i in range(20000):
        trace.begin(i, 1, 2, b"level")
        trace.complete(i, i + 1, 2, 1000 + i, b"one")
    page = show(trace)
    assert page.run("fxtreport.events.levels[0]") == 19999
    assert page.run("fxtreport.events.threadRows[1]") == 97
    assert page.run("document.getElementById('tracks-canvas').height") < 4000
    page.run("fxtreport.goTo(%r)" % pick(page, "level", 19998))
    assert "not in the trace" in words(page, "#event")
    page.run("fxtreport.tracks.top = 1e9; fxtreport.tracks.draw()")
    assert page.run("fxtreport.tracks.layout.itemAt(fxtreport.tracks.top + 10)") > 19000
    check(page)


def test_hostile_names():
    trace = fxtwrite.archive()
    trace.process(1, HOSTILE)
    trace.thread(2, HOSTILE, 1)
    for i in range(9):
        trace.add(event(4, 10 * i, (1, 2), HOSTILE, HOSTILE, [arg(6, HOSTILE, HOSTILE)], extra=[10 * i + 5]))
        for kind in 0, 5, 7, 8:
            trace.add(event(kind, 10 * i, (1, 2), HOSTILE, HOSTILE, [arg(6, HOSTILE, HOSTILE)], extra=[i] if kind else []))
        trace.add(event(1, 10 * i, (1, 2), HOSTILE, HOSTILE, [arg(2, HOSTILE, i)], extra=[0]))
    page = show(trace)
    for chosen in "s0", "a0", "m0":
        page.run("fxtreport.goTo(%r)" % chosen)
        assert HOSTILE.decode() in text(page, "#event h2")[0]
        check(page)
    for _ in range(3):
        page.mouse("mouseMoved", *place(page, "s1"))
    assert HOSTILE.decode() in text(page, "#tip")[0], text(page, "#tip")
    check(page)


if __name__ == "__main__":
    if browser.program() is None:
        skip("there is no chromium")
    with browser.Browser() as shown:
        BROWSER.append(shown)
        main(sys.modules[__name__])
