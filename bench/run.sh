#!/bin/sh
# Runs benchmarks one after the other, and fails if one is over a limit: run.sh BENCH...
status=0
for bench in "$@"; do
    "$bench" || status=1
done
exit $status
