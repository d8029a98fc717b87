#!/bin/sh
# Runs benchmarks one after the other, and fails if one is over a limit: run.sh BENCH...
#
# FXTDUMP in the environment is the program that bench_fxtdump measures.
status=0
for bench in "$@"; do
    case $bench in
    *bench_fxtdump) "$bench" "$FXTDUMP" ;;
    *) "$bench" ;;
    esac || status=1
done
exit $status
