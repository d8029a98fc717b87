#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Makes the pictures in README.md and docs/: pictures.sh BUILD [PART]...
#
#   report      docs/report.svg and docs/page*.png, of a recording of examples/workload
#   trace       docs/trace*.png, of the trace that tests of the page have
#   tutorial    docs/tutorial*, of the program in docs/tutorial.md
#
# Without a PART all of them. Needs Chromium, and root for the kernel's names.
set -eu

build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$build/tools/fxtrecord:$build/tools/fxtreport:$build/examples:$PATH
PYTHONPATH=$source/tests/support:$source/tests/docs
export PYTHONPATH
cd "$work"

# terminal PICTURE TRACE: what fxtreport prints.
terminal() {
    fxtreport -q --color always --rows 8 "$2" |
        python3 "$source/scripts/terminal_svg.py" "fxtreport $2" >"$source/docs/$1.svg"
}

# browser PICTURE TRACE HEIGHT SCRIPT: its page, where SCRIPT has gone, in both color schemes.
browser() {
    fxtreport -q -o page.html "$2"
    python3 - "$source/docs/$1" "$3" "$4" <<'PYTHON'
import os
import sys

from browser import Browser

picture, height, script = sys.argv[1:]
with Browser() as page:
    for scheme, is_dark in ("", False), ("-dark", True):
        page.show(1320, int(height), is_dark)
        page.open("page.html", ready="'ready' in document.documentElement.dataset")
        page.run(script)
        path = f"{picture}{scheme}.png"
        page.picture(path)
        assert os.path.getsize(path) < 150000, (path, os.path.getsize(path))
        assert not page.errors, page.errors
PYTHON
}

# The function with the most self that has source.
report() {
    fxtrecord -q workload -s 3
    terminal report trace.fxt
    browser page trace.fxt 800 '(() => {
        const {sums, profile} = fxtreport, known = fxtreport.details.sources;
        const best = [...known.keys()].reduce((a, b) =>
            sums.functionSelf[b] > sums.functionSelf[a] ? b : a);
        const end = profile.endTime;
        fxtreport.change({function: best, range: [end * 0.2, end * 0.62].map(Math.round)});
    })()'
}

# A slow query, with the flow that brought it.
trace() {
    python3 -c 'import sys, server_trace
sys.stdout.buffer.write(server_trace.server_trace(1200).data())' >server.fxt
    browser trace server.fxt 900 '(() => {
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
    })()'
}

# The function that a reader of the tutorial is to click on.
tutorial() {
    python3 -c 'import sys, pages
blocks, _ = pages.blocks_of(sys.argv[1])
print(next(block.text for block in blocks if block.language == "c"))' \
        "$source/docs/tutorial.md" >words.c
    cc -O2 -g -o words words.c
    fxtrecord -q --embed-symbols -o before.fxt ./words
    terminal tutorial before.fxt
    browser tutorial before.fxt 800 '(() => {
        const known = [...fxtreport.details.sources.keys()];
        fxtreport.change({function: known.find(i => fxtreport.profile.shortName(i) === "find")});
    })()'
}

for part in "${@:-report trace tutorial}"; do
    for name in $part; do
        "$name"
    done
done
ls -l "$source"/docs/*.svg "$source"/docs/*.png
