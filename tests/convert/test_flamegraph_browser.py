#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Flame graphs in a browser, Chromium: what is in the document once a link was opened.
Argument: the tools' build directory."""
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import browser
import fxtwrite
from profile_cases import FXT2FOLDED, main, run, skip, write

SVG = "{http://www.w3.org/2000/svg}"


def opened(name, fragment="", *options):
    """The document, after its script has run."""
    done = subprocess.run(
        [browser.program(), "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1000,800",
         "--user-data-dir=" + os.path.abspath("browser"), "--dump-dom", *options,
         "file://" + os.path.abspath(name) + fragment],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    assert done.returncode == 0, done
    return ElementTree.fromstring(done.stdout[done.stdout.index(b"<svg"):])


def draw(trace, *options):
    write("p.fxt", trace)
    run(FXT2FOLDED, "-q", "--roots", "none", "-o", "p.svg", *options, "p.fxt")


def seen(root):
    """Name, left edge, width and classes of the frames."""
    frames = []
    for group in root.find(SVG + "g[@class='frames']"):
        rect = group.find(SVG + "rect")
        frames.append((group.find(SVG + "title").text.split("\n")[0],
                       round(float(rect.get("x"))), round(float(rect.get("width"))),
                       group.get("class", "")))
    return frames


def line(root, name):
    return root.find(SVG + "text[@class='%s']" % name).text or ""


def small_trace():
    """all: 100; 0xa: 50 (0xa1: 20, 0xa2: 30); 0xb: 50."""
    trace = fxtwrite.Trace()
    for n, pcs in ((20, (0xa1, 0xa)), (30, (0xa2, 0xa)), (50, (0xb,))):
        for time in range(n):
            trace.backtrace(time, 1, 1, *pcs)
    return trace


def test_a_link_opens_what_was_seen():
    draw(small_trace())
    root = opened("p.svg")
    assert seen(root) == [("all", 10, 980, ""), ("0xa", 10, 490, ""), ("0xb", 500, 490, ""),
                          ("0xa1", 10, 196, ""), ("0xa2", 206, 294, "")], seen(root)
    assert root.get("class") == "flamegraph live" and line(root, "matched") == ""
    root = opened("p.svg", "#zoom=0xa&depth=1&at=0&search=a2")
    assert seen(root) == [("all", 10, 980, "around"), ("0xa", 10, 980, ""),
                          ("0xa1", 10, 392, ""), ("0xa2", 402, 588, "match")], seen(root)
    assert set(root.get("class").split()) == {"flamegraph", "live", "zoomed"}
    assert line(root, "matched") == "Matched: 30.00 %"


def test_deep_stacks_have_few_elements():
    trace = fxtwrite.Trace()
    trace.sample(1, 2, 3, *range(20000, 0, -1))
    for options, top, name in ((), 60, "0x1"), (("--upright",), 60 + 16 * 20000, "0x1"):
        draw(trace, *options)
        for fragment, shown in ("", name), ("#zoom=0x2710&depth=10000&at=0", "0x2710"):
            root = opened("p.svg", fragment)
            names = [frame[0] for frame in seen(root)]
            assert shown in names and 40 < len(names) < 200, (options, fragment, names[:3])
            assert all(frame[1:3] == (10, frame[2]) for frame in seen(root))
        assert root.find(SVG + "g[@class='frames']").get("data-root") == str(top)


def test_the_paper_is_light_or_dark():
    draw(small_trace())
    for scheme, paper in (1, "ffffff"), (0, "18181b"):
        opened("p.svg", "", "--screenshot=" + os.path.abspath("p.png"),
               "--blink-settings=preferredColorScheme=%d" % scheme)
        assert browser.first_pixel("p.png") == paper, browser.first_pixel("p.png")


if __name__ == "__main__":
    if browser.program() is None:
        skip("there is no chromium")
    main(sys.modules[__name__])
