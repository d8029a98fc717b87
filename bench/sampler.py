#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What sampling costs the program that is sampled: by unwind tables, by frame pointers and
by signals, and by perf record's two ways.

sampler.py FXTRECORD SAMPLE_LOAD [PERIOD_US]

A fixed amount of work is done by one thread, which measures its own CPU time; the
candidates take turns, so that a slow moment hits all of them, and the fastest run of each
counts. What is over that of the unsampled program is the cost: of the samples that were
really taken, and from these of a thousand a second. Five times as many are taken, since a
hundredth of the work is less than what two runs differ by. What a program takes once,
before its work, is apart: by signals it starts the session itself.

Most of the cost is the interrupt, above all in a virtual machine, and perf record has that,
too: limits are beyond its cost with the same stacks. Where it is not installed, they are
beyond nothing. By signals the least is what the program takes with a handler that does
nothing, and as many signals by the same timers. On a virtual machine that was 16 to 18 us
each, and 20 with fxtrecord's handler, which takes 1.9: a third of that to walk the stack, and
a third to ask for the thread's CPU time, twice.
"""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROUNDS = 21
WORK = ('5000',)
# Of the program's time, with a thousand samples a second.
BEYOND_MOST = (('fxtrecord, tables', 'perf record, dwarf', 0.01),
               ('fxtrecord, fp', 'perf record, fp', 0.01),
               ('fxtrecord, signal', 'perf record, fp', 0.01),
               ('fxtrecord, signal', 'signals alone', 0.005))


def candidates(fxtrecord, load, period_us, directory):
    work = [load, *WORK]
    record = [fxtrecord, '--period', f'{period_us}us', '-o', os.path.join(directory, 'ours')]
    yield 'not sampled', work
    yield 'fxtrecord, tables', [*record, '--method', 'perf', '--call-graph', 'dwarf', *work]
    yield 'fxtrecord, fp', [*record, '--method', 'perf', '--call-graph', 'fp', *work]
    yield 'fxtrecord, signal', [*record, '--method', 'signal', *work]
    yield 'signals alone', [*work, str(period_us)]
    if shutil.which('perf') is not None:
        for how in 'dwarf,32768', 'fp':
            yield f'perf record, {how.partition(",")[0]}', [
                'perf', 'record', '-e', 'cpu-clock', '-c', str(period_us * 1000),
                '--call-graph', how, '-o', os.path.join(directory, 'theirs'), *work]


def measure(command):
    """The CPU seconds of the program's work, all CPU seconds, how many samples or signals
    there were, and the program's CPU seconds before its work."""
    before = os.times()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    after = os.times()
    if done.returncode != 0:
        sys.exit(f'{command}: {done.stderr}')
    total = (after.children_user - before.children_user +
             after.children_system - before.children_system)
    samples = re.search(r'(\d+) samples', done.stderr)
    load = json.loads(done.stdout)
    return (load['total'] / 1e9, total,
            int(samples.group(1)) if samples else load['signals'], load['before'] / 1e9)


def main():
    fxtrecord, load = sys.argv[1:3]
    period_us = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    with tempfile.TemporaryDirectory() as directory:
        every = dict(candidates(fxtrecord, load, period_us, directory))
        results = {name: [] for name in every}
        for _ in range(ROUNDS):
            for name, command in every.items():
                results[name].append(measure(command))
    base = min(own for own, *_ in results['not sampled'])
    median = statistics.median(own for own, *_ in results['not sampled'])
    print(f'asked for a sample every {period_us} us of CPU time; the work takes {base:.3f} s')
    print(f'{"":20} {"target":>8} {"median":>8} {"samples":>8} {"a second":>9} {"us each":>8} '
          f'{"at 1 kHz":>9} {"all CPU s":>10} {"start ms":>9}')
    costs = {}
    for name, runs in results.items():
        own = min(run[0] for run in runs)
        middle = statistics.median(run[0] for run in runs) / median - 1
        n = statistics.median(run[2] for run in runs)
        # What the kernel really delivered is what costs; a thousand of these a second.
        each = (own - base) / n if n else 0
        print(f'{name:20} {own / base - 1:8.2%} {middle:8.2%} {n:8.0f} {n / own:9.0f} '
              f'{each * 1e6:8.1f} {each * 1000:9.2%} {min(run[1] for run in runs):10.3f} '
              f'{min(run[3] for run in runs) * 1e3:9.2f}')
        costs[name] = each * 1000
    bad = False
    for name, like, most in BEYOND_MOST:
        beyond = costs[name] - costs.get(like, 0)
        bad |= beyond > most
        print(f'{name}, beyond {like}: {beyond:.2%} (limit {most:.1%}): '
              f'{"OVER" if beyond > most else "ok"}')
    sys.exit(1 if bad else 0)


if __name__ == '__main__':
    main()
