#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Recording all allocations of real programs, beside heaptrack: what it costs, how deep the
stacks are, and how much of the heap has stacks that reach main.

heap_programs.py FXTHEAP FXT2FOLDED FXTDUMP HEAPS_PY [PROGRAM...]

HEAPS_PY is the file in tests/fxtheap that reads archives of heaps.

The candidates take turns; what counts is the CPU time of all processes, the median of it.
It is compared as a whole, and without the program's own: what recording takes. Depths are
means over all allocations, those that were freed included.

How many times the program's time a recording of samples takes (--sample 512K) is a column,
too: other work on the machine takes caches from both, so that it is the median of pairs, of
runs that follow each other. The programs are kept on one CPU for it. Most of what is left of
the map's are the unwind tables of its libraries, which are made once. So it is with git: of 869
million instructions (callgrind; of a tenth of it and three) 41 are for its start, most of them for
these tables, and 11 are 1.4 % of its work.

Of what an exact recording adds to the map, nearly half is finding the slots of freed blocks.
They are found in 1.18 buckets of the index on average, and two thirds of that time are one
access: to the slot itself, which no cache near the processor has any more, and from which the
stack is needed in any case. So it is the caches, and who else uses them, that make 0.53 of
what heaptrack adds on a machine that does nothing else 0.64 on one that is busy.
"""

import collections
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import heap_loads

ROUNDS = 5
PAIRS = 15
COST_MOST = 0.5
SAMPLED_MOST = 1.05
DEPTH_APART_MOST = 0.05
MAIN_LEAST = 0.97

MAP = '''
#include <cstdio>
#include <map>
#include <string>
int main()
{
    std::map<std::string, std::string> map;
    unsigned long x = 1;
    for (int i = 0; i < 1500000; i++) {
        x = x * 6364136223846793005ul + 1442695040888963407ul;
        std::string key = "the key of entry " + std::to_string(x >> 40 & 0xffff);
        map[key] = key + " has had " + std::to_string(i);
        if (x >> 60 == 0)
            map.erase(key);
    }
    std::printf("%zu\\n", map.size());
    std::fflush(stdout);
    std::getchar();
}
'''


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Served:
    """A program that does what its input says, prints a line, and waits for its end."""

    def __init__(self, command, text='', n_lines=1, has_operator_new=False):
        self.command, self.text, self.n_lines = command, text, n_lines
        # Which only heaptrack's stacks have.
        self.has_operator_new = has_operator_new

    def run(self, prefix, at_the_end):
        """Returns the CPU time of what is not the program."""
        process = subprocess.Popen([*prefix, *self.command], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        writer = threading.Thread(target=self.feed, args=(process,))
        writer.start()
        n = 0
        while n < self.n_lines:
            line = process.stdout.readline()
            if not line:
                sys.exit(f'{self.command[0]} has ended')
            # Of the objects of git only the heads count.
            n += self.command[0] != 'git' or b' missing\n' in line
        writer.join()
        at_the_end()
        process.stdin.close()
        process.stdout.read()
        process.wait()
        return 0

    def feed(self, process):
        process.stdin.write(self.text.encode())
        process.stdin.flush()


class Redis:
    has_operator_new = False

    def __init__(self, directory):
        self.socket = os.path.join(directory, 'socket')
        self.command = ['redis-server', '--port', '0', '--unixsocket', self.socket, '--save', '',
                        '--appendonly', 'no', '--dir', directory]

    def run(self, prefix, at_the_end):
        process = subprocess.Popen([*prefix, *self.command], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        while not os.path.exists(self.socket):
            time.sleep(0.01)
        before = children_seconds()
        self.call('redis-benchmark', '-n', '60000', '-t', 'set,lpush,hset,sadd', '-q')
        clients = children_seconds() - before
        at_the_end()
        self.call('redis-cli', 'shutdown', 'nosave')
        process.wait()
        return clients

    def call(self, tool, *arguments):
        subprocess.run([tool, '-s', self.socket, *arguments], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)


def objects_of(path):
    """What asks git for all objects of a repository."""
    names = subprocess.run(['git', '-C', path, 'rev-list', '--all', '--objects',
                            '--no-object-names'], stdout=subprocess.PIPE, text=True,
                           check=True).stdout
    return names * 10 + 'none\n'


def make_map(directory):
    """A program in C++ that fills a map of strings."""
    path = os.path.join(directory, 'map')
    if shutil.which('g++') is not None:
        subprocess.run(['g++', '-O2', '-x', 'c++', '-o', path, '-'], input=MAP, text=True,
                       check=True)
    return path


def programs(directory):
    path = heap_loads.repository(directory, 300)
    perl = heap_loads.perl(400000, 50000, at_end='<STDIN>;')
    python = heap_loads.python(900, at_end='sys.stdin.readline()')
    for name, program in (
            ('perl', Served(['/usr/bin/perl', '-e', perl])),
            ('redis', Redis(directory)),
            ('git', Served(['git', '-C', path, 'cat-file', '--batch'], objects_of(path))),
            ('sqlite3', Served(['sqlite3', ':memory:'], heap_loads.SQL.format(rows=300000))),
            ('python3', Served(['/usr/bin/python3', '-c', python])),
            ('map', Served([make_map(directory)], has_operator_new=True))):
        yield name, program.command[0], program


# ---- Stacks ----------------------------------------------------------------------------

def our_stacks(tools, directory, archive_of):
    """The mean depth, and the part of the bytes below main."""
    fxtheap, fxt2folded, fxtdump = tools
    path = os.path.join(directory, 'snap.fxt')
    subprocess.run([fxtheap, 'snapshot', '-q', '--directory', directory, '-o', path], check=True)
    stacks = archive_of(fxtdump, path).stacks.values()
    n = sum(objects for objects, _, _ in stacks)
    depth = sum(objects * len(pcs) for objects, _, pcs in stacks) / n
    folded = subprocess.run([fxt2folded, '-q', path], stdout=subprocess.PIPE, text=True,
                            check=True).stdout
    total = below = 0
    for line in folded.splitlines():
        frames, size = line.rsplit(' ', 1)
        frames = set(frames.split(';'))
        # What initializes libraries runs before main.
        if '_dl_init' not in frames:
            total += int(size)
        # The caller of main has a name where main has none.
        if {'main', '__libc_start_call_main'} & frames:
            below += int(size)
    return depth, below / total, n


def their_depth(directory):
    depths, traces, counts = [0], [], collections.Counter()
    for line in heap_loads.theirs(directory):
        if line.startswith('t '):
            depths.append(depths[int(line.split()[2], 16)] + 1)
        elif line.startswith('a '):
            traces.append(int(line.split()[2], 16))
        elif line.startswith('+ '):
            counts[traces[int(line[2:], 16)]] += 1
    n = sum(counts.values())
    return sum(depths[trace] * count for trace, count in counts.items()) / n, n


# ---- Comparing -------------------------------------------------------------------------

def cpu_of(program, prefix, at_the_end=lambda: None):
    before = children_seconds()
    others = program.run(prefix, at_the_end)
    return children_seconds() - before - others


def sampled_ratio(program, fxtheap):
    """How many times the program's CPU time it takes with samples."""
    cpus, ratios = os.sched_getaffinity(0), []
    os.sched_setaffinity(0, {max(cpus)})
    with tempfile.TemporaryDirectory(dir='/dev/shm') as tables:
        prefix = [fxtheap, 'run', '--directory', tables, '--sample', '512K', '--']
        for _ in range(PAIRS):
            plain = cpu_of(program, [])
            ratios.append(cpu_of(program, prefix) / plain)
    os.sched_setaffinity(0, cpus)
    return statistics.median(ratios)


def judge(name, program, tools, archive_of):
    has_theirs = shutil.which('heaptrack') is not None
    found = {}

    def look():
        found['ours'] = our_stacks(tools, tables, archive_of)

    costs = collections.defaultdict(list)
    for i in range(ROUNDS):
        costs['plain'].append(cpu_of(program, []))
        with tempfile.TemporaryDirectory(dir='/dev/shm') as tables:
            prefix = [tools[0], 'run', '--directory', tables, '--']
            costs['ours'].append(cpu_of(program, prefix))
            if i == 0:
                cpu_of(program, prefix, look)
        if has_theirs:
            with tempfile.TemporaryDirectory(dir='/dev/shm') as theirs:
                prefix = ['heaptrack', '-o', os.path.join(theirs, 'theirs')]
                costs['theirs'].append(cpu_of(program, prefix))
                found['theirs'] = found.get('theirs') or their_depth(theirs)
    plain, ours = (statistics.median(costs[which]) for which in ('plain', 'ours'))
    sampled = sampled_ratio(program, tools[0])
    depth, below, n = found['ours']
    line = f'{name:8} {plain:7.2f} {sampled:7.3f} {ours:7.2f}'
    bad = below < MAIN_LEAST or sampled > SAMPLED_MOST
    if has_theirs:
        theirs = statistics.median(costs['theirs'])
        their, their_n = found['theirs']
        their -= program.has_operator_new
        added = (ours - plain) / (theirs - plain)
        line += (f' {theirs:7.2f} {ours / theirs:6.3f} {added:6.3f} {n:9} {their_n:9} '
                 f'{depth:6.2f} {their:6.2f} {depth / their - 1:+7.1%}')
        bad = bad or added > COST_MOST or abs(depth / their - 1) > DEPTH_APART_MOST
    print(f'{line} {below:8.2%}{"  OVER" if bad else ""}', flush=True)
    return bad


def main():
    print(f'{"CPU s:":8} {"plain":>7} {"sampled":>7} {"fxtheap":>7} {"heaptr.":>7} {"ratio":>6} '
          f'{"added":>6} {"allocated":>9} {"theirs":>9} {"depth":>6} {"theirs":>6} {"apart":>7} '
          f'{"main":>8}')
    good, n = heap_loads.judge_all(programs, judge)
    print(f'{good} of {n} programs: with samples they take at most {SAMPLED_MOST} times their '
          f'time, recording at most {COST_MOST:.0%} of what heaptrack takes, depths are at most '
          f'{DEPTH_APART_MOST:.0%} apart, and main has at least {MAIN_LEAST:.0%} of the bytes')
    sys.exit(0 if good == n else 1)


if __name__ == '__main__':
    main()
