#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A page of a million events in Chromium: how large it is, how soon it opens, and how many
frames a second it shows while it is zoomed and moved.

page.py FXTREPORT [REQUESTS]

It fails beyond 12 bytes an event without arguments, 3 seconds, and below 30 frames. On a
busy machine the time that the browser's processes used counts, and not the time that
passed."""
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "support"))

import browser  # noqa: E402
import html_read  # noqa: E402
import server_trace  # noqa: E402

READY = "'ready' in document.documentElement.dataset"
MAX_BYTES, MAX_SECONDS, MIN_FRAMES = 12, 3, 30

# Steps of zooming and moving, each followed by the frame that shows it: frames a second, and
# the time in the page's own functions for one.
MOVE = """(async () => {
    const {camera, tracks} = fxtreport, found = [];
    const moves = {zoom: i => camera.zoom(i < 60 ? 0.9 : 1 / 0.9), move: i => camera.pan(i < 60 ? 0.02 : -0.02),
                   scroll: i => { tracks.top += i < 60 ? 5 : -5; camera.draw(); }};
    for (const [name, step] of Object.entries(moves)) {
        camera.set(fxtreport.endTime * 0.2, fxtreport.endTime * 0.9);
        const start = performance.now();
        for (let i = 0; i < 120; i++) {
            step(i);
            await new Promise(requestAnimationFrame);
        }
        const passed = performance.now() - start, drawn = performance.now();
        for (let i = 0; i < 20; i++)
            tracks.draw();
        found.push([name, 120000 / passed, (performance.now() - drawn) / 20]);
    }
    return found;
})()"""


def used(pid):
    """The seconds of CPU time of a process and all below it."""
    children, times = {}, {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % name, encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(name))
        times[int(name)] = int(fields[11]) + int(fields[12])
    total, left = 0, [pid]
    while left:
        now = left.pop()
        total += times.get(now, 0)
        left += children.get(now, [])
    return total / os.sysconf("SC_CLK_TCK")


def bytes_an_event(path):
    page, at, size = html_read.Page(path), 0, 0
    data = page.element("application/octet-stream", "rows")
    for name, n in page.facts["rows"]:
        first = at
        for _ in range(0, n, html_read.BLOCK):
            at += 1 + html_read.BLOCK // 8 * data[at]
        size += 0 if name.startswith("arg.") else at - first
    rows = dict(page.facts["rows"])
    return size * 4 / 3 / sum(rows.get(group + ".time", 0) for group in html_read.GROUPS)


def main():
    fxtreport, n_requests = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 50000
    faults = []

    def judge(what, value, unit, is_good):
        print("%-28s %8.2f %s%s" % (what, value, unit, "" if is_good else "  over the limit"))
        faults.extend([] if is_good else [what])

    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        with open("trace.fxt", "wb") as file:
            file.write(server_trace.server_trace(n_requests).data())
        start = time.monotonic()
        subprocess.run([fxtreport, "-q", "-o", "page.html", "trace.fxt"], check=True)
        print("%-28s %8.2f s" % ("written in", time.monotonic() - start))
        size = bytes_an_event("page.html")
        judge("bytes an event", size, "", size <= MAX_BYTES)
        with browser.Browser(1600, 1000) as page:
            before, start = used(page.process.pid), time.monotonic()
            page.open("page.html", ready=READY)
            passed, busy = time.monotonic() - start, used(page.process.pid) - before
            print("%-28s %8d" % ("events", page.run("fxtreport.events.n")))
            judge("opened in", passed, "s, %.2f s of CPU time" % busy, min(passed, busy) <= MAX_SECONDS)
            for name, frames, drawn in page.run(MOVE):
                judge(name, frames, "frames a second, %.1f ms to draw one" % drawn, frames >= MIN_FRAMES)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
