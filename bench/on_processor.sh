#!/bin/sh
# Prints the processor, since ratios are those of one kind, and runs a benchmark.
grep -m 1 '^model name' /proc/cpuinfo || uname -m
exec "$@"
