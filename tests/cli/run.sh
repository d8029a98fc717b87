#!/bin/sh
# Runs one command line test: run.sh TOOLS_DIR NAME
#
# tests/cli/TOOL/TOOL_ANYTHING.sh is run by sh in an empty directory, with the built tools on PATH and
# $data naming tests/data. Its standard output must be NAME.out, its standard error NAME.err
# and its exit status NAME.exit; a file that is missing stands for nothing, and 0. With
# UPDATE=1 in the environment the files are written instead of compared: read the diff.
set -u

tools=$(cd "$1" && pwd) || exit 99
name=$2
here=$(cd "$(dirname "$0")/${name%%_*}" && pwd)
data=$here/../../data
export data
PATH=$tools/fxtdump:$tools/fxt2chrome:$tools/fxt2firefox:$tools/fxt2perfetto:$tools/fxt2pprof:$tools/fxt2folded:$tools/fxtreport:$PATH
LC_ALL=C
export PATH LC_ALL
# Where it is set, servers are asked; where not, it is suggested.
unset DEBUGINFOD_URLS

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
mkdir "$work/in"
(cd "$work/in" && sh "$here/$name.sh" >"$work/out" 2>"$work/err" </dev/null)
status=$?

if [ -n "${UPDATE-}" ]; then
    for kind in out err; do
        rm -f "$here/$name.$kind"
        [ ! -s "$work/$kind" ] || cp "$work/$kind" "$here/$name.$kind"
    done
    rm -f "$here/$name.exit"
    [ "$status" = 0 ] || echo "$status" >"$here/$name.exit"
fi

failed=0
for kind in out err; do
    expected=$here/$name.$kind
    [ -e "$expected" ] || expected=/dev/null
    diff -u "$expected" "$work/$kind" || failed=1
done
expected=0
[ ! -e "$here/$name.exit" ] || expected=$(cat "$here/$name.exit")
if [ "$status" != "$expected" ]; then
    echo "exit status $status, expected $expected"
    failed=1
fi
exit $failed
