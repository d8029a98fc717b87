#!/bin/sh
# Runs all fuzz targets at once, each for some seconds, on copies of their seeds:
#
#     CC=clang meson setup build-fuzz -Dfuzzing=true -Db_lundef=false \
#         -Db_sanitize=address,undefined
#     ninja -C build-fuzz fuzzers
#     fuzz/run.sh build-fuzz SECONDS
#
# Ends with 1 if one found something; the input that did it is in BUILD/fuzz/found/NAME/,
# and `BUILD/fuzz/fuzz_NAME FILE` does it again.
set -eu

build=$1
seconds=$2
source=$(dirname "$0")
found=$build/fuzz/found
rm -rf "$found"

start() {
    dir=$found/$1
    mkdir -p "$dir/corpus"
    # Longer seeds would be cut: kernels have tables of hundreds of symbols.
    max_len=4096
    [ -z "$(find "$source/corpus/$1" -size +4096c)" ] || max_len=16384
    "$build/fuzz/fuzz_$1" -max_total_time="$seconds" -max_len="$max_len" -timeout=20 \
        -rss_limit_mb=2048 -dict="$source/fxt.dict" -artifact_prefix="$dir/" \
        "$dir/corpus" "$source/corpus/$1" >"$dir/log" 2>&1
}

names=
pids=
for program in "$build"/fuzz/fuzz_*; do
    [ -f "$program" ] && [ -x "$program" ] || continue
    name=${program##*/fuzz_}
    mkdir -p "$found"
    start "$name" &
    names="$names $name"
    pids="$pids $!"
done
[ -n "$names" ] || { echo "there are no fuzz targets in $build/fuzz"; exit 1; }

failed=0
for name in $names; do
    # shellcheck disable=SC2086 # the list is meant to be split
    set -- $pids
    pid=$1
    shift
    pids=$*
    if wait "$pid"; then
        printf 'fuzz_%s: %s\n' "$name" "$(grep '^Done ' "$found/$name/log")"
    else
        failed=1
        printf 'fuzz_%s: FAILED\n' "$name"
        tail -n 60 "$found/$name/log"
    fi
done
exit "$failed"
