#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes the pictures in README.md: docs/report.svg and docs/page*.png, of a recording of
# examples/workload, and docs/trace*.png, of the trace that tests of the page have:
# pictures.sh BUILD. Needs Chromium, and root for the kernel's names.
set -eu

build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$build/tools/fxtrecord:$build/tools/fxtreport:$build/examples:$PATH
cd "$work"

fxtrecord -q workload -s 3
fxtreport -q --color always --rows 8 trace.fxt >report.txt
fxtreport -q -o page.html trace.fxt
python3 "$source/scripts/terminal_svg.py" 'fxtreport trace.fxt' <report.txt >"$source/docs/report.svg"
PYTHONPATH=$source/tests/support python3 - "$source/docs" <<'PYTHON'
import os
import sys

import subprocess

import browser
import server_trace

with open("server.fxt", "wb") as file:
    file.write(server_trace.server_trace(1200).data())
subprocess.run(["fxtreport", "-q", "-o", "server.html", "server.fxt"], check=True)

with browser.Browser() as page:
    for name, is_dark in ("trace.png", False), ("trace-dark.png", True):
        page.show(1320, 900, is_dark)
        page.open("server.html", ready="'ready' in document.documentElement.dataset")
        # A slow query, with the flow that brought it.
        page.run("""(() => {
            const {events, flows} = fxtreport, {slices} = events, found = [];
            for (let i = 0; i < slices.n; i++) {
                if (events.name(slices.label[i]) === "query" && slices.start[i] > 2e8)
                    found.push(i);
            }
            found.sort((a, b) => slices.end[b] - slices.start[b] - (slices.end[a] - slices.start[a]));
            const i = found.find(i => flows.of(i).into.length > 0);
            fxtreport.toggle(0);
            fxtreport.camera.set(slices.start[i] - 12e5, slices.end[i] + 16e5);
            fxtreport.goTo("s" + i);
            fxtreport.tracks.top = fxtreport.tracks.layout.height;
            fxtreport.camera.rest();
            return new Promise(done => setTimeout(done, 300));
        })()""")
        path = os.path.join(sys.argv[1], name)
        page.picture(path)
        assert os.path.getsize(path) < 150000, (path, os.path.getsize(path))
        assert not page.errors, page.errors
    for name, is_dark in ("page.png", False), ("page-dark.png", True):
        page.show(1320, 800, is_dark)
        page.open("page.html", ready="'ready' in document.documentElement.dataset")
        # The function with the most self that has source.
        page.run("""(() => {
            const {sums, profile} = fxtreport, known = fxtreport.details.sources;
            const best = [...known.keys()].reduce((a, b) =>
                sums.functionSelf[b] > sums.functionSelf[a] ? b : a);
            const end = profile.endTime;
            fxtreport.change({function: best, range: [end * 0.2, end * 0.62].map(Math.round)});
        })()""")
        path = os.path.join(sys.argv[1], name)
        page.picture(path)
        assert os.path.getsize(path) < 150000, (path, os.path.getsize(path))
        assert not page.errors, page.errors
PYTHON
ls -l "$source/docs/report.svg" "$source"/docs/page*.png "$source"/docs/trace*.png
