#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What recording context switches costs the program that is recorded, and how many bytes it
takes, beside perf sched record.

scheduling.py FXTRECORD SWITCH_LOAD [SWITCHES]

Two processes wake each other some ten thousand times and measure their own CPU time. The
candidates take turns, so that a slow moment hits all of them, and the fastest run of each
counts. Files are compared by their bytes for each context switch of the program: perf
records the whole system, and so does fxtrecord with -a. Samples are all but left out (-F 1).
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

ROUNDS = 5
TIMES = '20000'
MAX_TIME, MAX_BYTES = 1.25, 0.5
# What is compared, and with what.
PAIRS = {'fxtrecord --trace': 'perf sched record', 'fxtrecord --trace -a': 'perf sched record',
         'fxtrecord --off-cpu': 'perf sched record -g'}


def candidates(fxtrecord, load, times, directory):
    ours, theirs = (os.path.join(directory, name) for name in ('ours.fxt', 'theirs.data'))
    work = [load, times]
    record = [fxtrecord, '-q', '-F', '1', '-o', ours]
    yield 'not recorded', work, None
    yield 'fxtrecord --trace', [*record, '--trace', *work], ours
    yield 'fxtrecord --trace -a', [*record, '--trace', '-a', *work], ours
    yield 'fxtrecord --off-cpu', [*record, '--off-cpu', *work], ours
    if shutil.which('perf') is not None:
        perf = ['perf', 'sched', 'record', '-o', theirs]
        yield 'perf sched record', [*perf, *work], theirs
        yield 'perf sched record -g', [*perf, '-g', *work], theirs


def measure(command, file):
    """The program's own CPU seconds and context switches, and the size of the file."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(f'{command}: {done.stderr}')
    said = json.loads(done.stdout.splitlines()[0])
    return said['seconds'], said['switches'], os.path.getsize(file) if file else 0


def main():
    fxtrecord, load = sys.argv[1:3]
    times = sys.argv[3] if len(sys.argv) > 3 else TIMES
    with tempfile.TemporaryDirectory() as directory:
        every = list(candidates(fxtrecord, load, times, directory))
        results = {name: [] for name, _, _ in every}
        for _ in range(ROUNDS):
            for name, command, file in every:
                results[name].append(measure(command, file))
    base = min(seconds for seconds, _, _ in results['not recorded'])
    print(f'{results["not recorded"][0][1]} context switches in {base:.3f} s of CPU time')
    print(f'{"":22} {"slowdown":>9} {"us/switch":>10} {"bytes/switch":>13}')
    costs = {}
    for name, runs in results.items():
        seconds, switches, _ = min(runs)
        size = min(size / n for _, n, size in runs)
        costs[name] = (seconds - base) / switches * 1e6, size
        print(f'{name:22} {seconds / base - 1:9.1%} {costs[name][0]:10.2f} {size:13.1f}')
    sys.exit(any([is_over(costs, *pair) for pair in PAIRS.items() if pair[1] in costs]))


def is_over(costs, ours, theirs):
    time, size = (mine / other for mine, other in zip(costs[ours], costs[theirs]))
    over = time > MAX_TIME or size > MAX_BYTES
    print(f'{ours}: {time:.2f} of the time of {theirs} (limit {MAX_TIME}), {size:.2f} of its bytes '
          f'({MAX_BYTES}): {"OVER" if over else "ok"}')
    return over


if __name__ == '__main__':
    main()
