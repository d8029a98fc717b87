#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What libfxtheap costs a program that does little but allocate, beside heaptrack and
jemalloc's profiler, which comes with its own allocator.

heap.py FXTHEAP HEAP_LOAD

The candidates take turns, so that a slow moment hits all of them; what counts is CPU time,
the program's own and that of all processes together, the median of each. What is not
installed is left out, with a message.
"""

import ctypes.util
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROUNDS = 9
LOADS = (('keep', 2000000), ('pairs', 10000000))
SAMPLED_LIMIT = 1.05
LIVE = 10000000
SNAPSHOT_SECONDS, SNAPSHOT_BYTES = 3, 40


def candidates(fxtheap, directory):
    run = [fxtheap, 'run', '--directory', directory]
    yield 'plain', []
    yield 'fxtheap, 512K samples', [*run, '--sample', '512K', '--']
    yield 'fxtheap, exact', [*run, '--']
    if shutil.which('heaptrack') is not None:
        yield 'heaptrack', ['heaptrack', '-o', os.path.join(directory, 'theirs')]
    else:
        print('heaptrack is not installed: left out')
    jemalloc = ctypes.util.find_library('jemalloc')
    if jemalloc is None:
        print('jemalloc is not installed: left out')
        return
    for name, how in (('jemalloc, not profiled', 'prof:false'),
                      ('jemalloc, 512K samples', 'prof:true,lg_prof_sample:19'),
                      ('jemalloc, exact', 'prof:true,lg_prof_sample:0')):
        yield name, ['env', 'LD_PRELOAD=' + jemalloc, 'MALLOC_CONF=' + how]


def measure(command):
    """The program's own CPU seconds, those of all, and its peak of memory in MiB."""
    before = os.times()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    after = os.times()
    said = re.search(r'cpu ([\d.]+) memory (\d+)', done.stdout)
    if done.returncode != 0 or said is None:
        sys.exit(f'{command}: {done.stderr}')
    total = (after.children_user - before.children_user +
             after.children_system - before.children_system)
    return float(said[1]), total, int(said[2]) / 1024


def compare(fxtheap, load, work, n):
    with tempfile.TemporaryDirectory(dir='/dev/shm') as directory:
        every = dict(candidates(fxtheap, directory))
        results = {name: [] for name in every}
        for _ in range(ROUNDS):
            for name, command in every.items():
                results[name].append(measure([*command, load, work, str(n)]))
    medians = {name: [statistics.median(column) for column in zip(*runs)]
               for name, runs in results.items()}
    fastest = {name: min(runs)[0] for name, runs in results.items()}
    own, _, memory = medians['plain']
    print(f'{work}: {own / n * 1e9:.0f} ns a step, {memory:.0f} MiB')
    print(f'  {"":22} {"own CPU s":>9} {"ratio":>6} {"fastest":>7} {"all CPU s":>9} {"MiB":>6}')
    for name, (seconds, total, size) in medians.items():
        base = 'jemalloc, not profiled' if 'jemalloc' in name else 'plain'
        print(f'  {name:22} {seconds:9.3f} {seconds / medians[base][0]:6.3f} '
              f'{fastest[name] / fastest[base]:7.3f} {total:9.3f} {size:6.0f}')
    return medians


def limit(what, ratio, most):
    print(f'  {what}: {ratio:.3f} (limit {most:.2f}): {"ok" if ratio <= most else "OVER"}')
    return ratio > most


def snapshot(fxtheap, load):
    """A snapshot of ten million live blocks: its CPU seconds and its memory."""
    with tempfile.TemporaryDirectory(dir='/dev/shm') as directory:
        where = ['--directory', directory]
        program = subprocess.Popen([fxtheap, 'run', *where, '--', load, 'live', str(LIVE)],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        program.stdout.readline()
        taken = subprocess.Popen([fxtheap, 'snapshot', *where, '--by-name', 'heap_load', '-o',
                                  os.path.join(directory, 'heap.fxt')],
                                 stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(taken.pid, 0)
        program.communicate()
    if status != 0:
        sys.exit('the snapshot failed')
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / LIVE


def main():
    fxtheap, load = sys.argv[1:]
    over = False
    for work, n in LOADS:
        medians = compare(fxtheap, load, work, n)
        exact = medians['fxtheap, exact']
        if 'heaptrack' in medians:
            theirs = medians['heaptrack']
            over |= limit('exact / heaptrack, own CPU', exact[0] / theirs[0], 1)
            over |= limit('exact / heaptrack, all CPU', exact[1] / theirs[1], 0.5)
        if work == 'keep':
            over |= limit('samples / plain', medians['fxtheap, 512K samples'][0] /
                          medians['plain'][0], SAMPLED_LIMIT)
    seconds, size = snapshot(fxtheap, load)
    print(f'snapshot of {LIVE} live blocks')
    over |= limit('CPU seconds', seconds, SNAPSHOT_SECONDS)
    over |= limit('peak of memory, bytes a block', size, SNAPSHOT_BYTES)
    sys.exit(1 if over else 0)


if __name__ == '__main__':
    main()
