#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What fxtheap and heaptrack find in the same runs of ordinary programs: bytes and blocks
at the peak and at exit, temporary blocks, and the stacks of the largest sites.

heap_compare.py FXTHEAP FXT2FOLDED FXTDUMP HEAPS_PY [PROGRAM...]

HEAPS_PY is the file in tests/fxtheap that reads archives of heaps.

Each program does the same in each run, as hashes have no random seeds. The sites are those
with the most bytes at our peak. Functions are compared from the innermost one to the one that main
calls; one that has no name is called by its module.

What remains, and why:
- To heaptrack each realloc is a free and an allocation. So a block that was resized where it
  was has the stack of the last realloc, and a resized block is temporary more often: their
  count is between ours and ours with the blocks that were resized.
- Programs that copy their environment (perl, make) have a few blocks more with fxtheap, whose
  options are variables.
"""

import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

import heap_loads

APART_MOST = 0.01
# Our peak may be 0.4 % lower than the highest moment, a few blocks earlier.
BLOCKS_APART_MOST = 3
TEMPORARY_APART_MOST = 0.02
N_SITES = 10
# Heaptrack keeps so many functions of a stack, or a few less.
THEIR_DEPTH = 60
STARTS = ('main', '__libc_start_call_main', '__libc_start_main')
# Heaptrack starts a thread, and with a second thread putc locks and calls what else it jumps
# to.
JUMPS = {'putc'}

Heap = collections.namedtuple('Heap', 'allocated temporary exit peak sites reallocs')
Amount = collections.namedtuple('Amount', 'bytes blocks')

# ---- Programs --------------------------------------------------------------------------

def write(directory, name, text):
    path = os.path.join(directory, name)
    with open(path, 'w') as file:
        file.write(text)
    return path


def programs(directory):
    """Commands that end by themselves."""
    lines = write(directory, 'lines', ''.join(f'{i * 7919 % 100003} line {i}\n'
                                              for i in range(60000)))
    objects = write(directory, 'objects.json', '[' + ','.join(
        f'{{"id": {i}, "name": "n{i % 97}", "list": [1, 2, {i}]}}' for i in range(5000)) + ']')
    rules = write(directory, 'Makefile', 'all: ' + ' '.join(f't{i}' for i in range(2000)) + '\n' +
                  ''.join(f't{i}: t{i // 2 - 1}\n\t@:\nV{i} := $(subst a,b,aaa{i})\n'
                          for i in range(2, 2000)) + 't0 t1 t-1:\n')
    words = '{ n[$2 " " $1 % 1000] += $1; l[NR % 500] = $0 } END { for (i in n) print i, n[i] }'
    yield 'sort', ['sort', '--parallel=1', '-S', '1M', '-T', directory, lines]
    yield 'perl', ['perl', '-e', heap_loads.perl(100000, 5000)]
    yield 'git', ['git', '-C', heap_loads.repository(directory, 100), 'log', '--stat', '--no-color']
    yield 'gawk', ['gawk', words, lines]
    yield 'mawk', ['mawk', words, lines]
    yield 'xz', ['xz', '-1', '-T1', '-c', lines]
    yield 'bc', ['bc', '-l', write(directory, 'sum.bc', 'scale=300\nfor (i = 1; i < 300; i++) '
                                   's += e(1/i)\ns\n2^20000 % 12345\nquit\n')]
    sql = write(directory, 'input.sql', heap_loads.SQL.format(rows=60000))
    yield 'sqlite3', ['sqlite3', '-init', sql, ':memory:', '.quit']
    yield 'python3', ['/usr/bin/python3', '-c', heap_loads.python(40)]
    yield 'openssl', ['openssl', 'req', '-x509', '-newkey', 'ed25519', '-nodes', '-subj', '/CN=x',
                      '-keyout', '/dev/null', '-out', '/dev/null']
    yield 'jq', ['jq', '-c', 'group_by(.name) | map({n: .[0].name, l: map(.list[2]) | add})',
                 objects]
    yield 'sed', ['sed', '-n', '-E', 'H; s/(.)(.*)/\\2\\1/; x; s/\\n/,/; x; $p', lines]
    yield 'make', ['make', '-rR', '-n', '-f', rules]
    # Names of users are looked up by modules whose libraries heaptrack has loaded before.
    yield 'tar', ['tar', '--numeric-owner', '-cf', '/dev/null', '/usr/share/doc']
    yield 'find', ['find', '/usr/share/doc', '-name', '*.gz']


def run(command):
    env = {**os.environ, 'PERL_HASH_SEED': '0', 'PYTHONHASHSEED': '0', 'LC_ALL': 'C'}
    done = subprocess.run(command, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=env, text=True,
                          errors='replace', check=False)
    return done.stderr


# ---- Ours ------------------------------------------------------------------------------

def up_to_main(names):
    """From the innermost function on, without main: of a program without symbols, only we
    know its name."""
    names = [name for name in names if name not in JUMPS]
    for i, name in enumerate(names):
        if name in STARTS:
            return tuple(names[:i if name == 'main' else max(i - 1, 0)])
    return tuple(names)


def plain_name(name):
    """One name for all that the C library calls a function, and for what compilers make of
    it."""
    module = re.fullmatch(r'(.*)\+0x[0-9a-f]+', name)
    if module:
        return module[1]
    name = re.sub(r'(\.(part|isra|constprop|cold|localalias)(\.\d+)?)+$', '', name)
    return name if name in STARTS else re.sub(r'^(__GI_)?_*(IO_)?(new_)?_*', '', name)


def folded(fxt2folded, path, value):
    done = subprocess.run([fxt2folded, '-q', '--roots', 'none', '--value', value, path],
                          stdout=subprocess.PIPE, check=True, text=True)
    sums = collections.Counter()
    for line in done.stdout.splitlines():
        frames, size = line.rsplit(' ', 1)
        sums[up_to_main([plain_name(name) for name in frames.split(';')[::-1]])] += int(size)
    return sums


def ours(tools, archive_of, directory, command):
    fxtheap, fxt2folded, fxtdump = tools
    path = os.path.join(directory, 'ours.fxt')
    sums = []
    for options in ['--peak'], []:
        run([fxtheap, 'run', '-q', '--no-children', *options, '--at-exit', path, '--', *command])
        archive = archive_of(fxtdump, path)
        (process, event), = archive.events.items()
        sums.append(Amount(event['bytes'], event['objects']))
        if options:
            sites = folded(fxt2folded, path, 'inuse_space')
    return Heap(sum(objects for objects, _, _ in archive.stacks.values()),
                sum(archive.temporary.values()), sums[1], sums[0], sites,
                archive.recordings[process]['reallocs_in_place'])


# ---- Theirs ----------------------------------------------------------------------------

class Recording:
    """The interpreted data of heaptrack."""

    def __init__(self, directory):
        self.strings, self.ips, self.traces, self.infos = [''], [None], [None], []
        self.events, self.modules = [], set()
        for line in heap_loads.theirs(directory):
            self.take(line.rstrip('\n'))

    def take(self, line):
        kind, _, rest = line.partition(' ')
        if kind == 's':
            self.strings.append(rest.partition(' ')[2])
            return
        if kind not in ('i', 't', 'a', '+', '-'):
            return
        numbers = [int(number, 16) for number in rest.split()]
        if kind == 'i':
            self.ips.append(self.names_of(numbers))
        elif kind == 't':
            self.traces.append(numbers)
        elif kind == 'a':
            self.infos.append(numbers)
        else:
            self.events.append((1 if kind == '+' else -1, numbers[0]))

    def names_of(self, numbers):
        """Of an address: its functions, the innermost first."""
        _, module, function, *rest = (*numbers, 0)[:max(len(numbers), 3)]
        names = [function, *rest[2::3]]
        file = os.path.basename(os.path.realpath(self.strings[module]))
        self.modules.add(file)
        return [plain_name(self.strings[i]) or file for i in names]

    def stack(self, trace):
        names = []
        while trace > 0:
            ip, trace = self.traces[trace]
            names += self.ips[ip] if ip else []
        return up_to_main(names)

    def heap(self, temporary):
        """None of the programs is in C++: what libstdc++ keeps for exceptions is heaptrack's."""
        own = {i for i, (_, trace) in enumerate(self.infos)
               if any(name.startswith('libstdc++') for name in self.stack(trace)[:1])}
        events = [event for event in self.events if event[1] not in own]
        live = blocks = most = at = 0
        most_blocks = 0
        for i, (sign, info) in enumerate(events):
            live += sign * self.infos[info][0]
            blocks += sign
            if live > most:
                most, most_blocks, at = live, blocks, i
        sites = collections.Counter()
        for sign, info in events[:at + 1]:
            sites[info] += sign
        by_names = collections.Counter()
        for info, n in sites.items():
            by_names[self.stack(self.infos[info][1])] += n * self.infos[info][0]
        return Heap(sum(sign > 0 for sign, _ in events), temporary, Amount(live, blocks),
                    Amount(most, most_blocks), by_names, 0)

    def all_stacks(self):
        return {self.stack(trace) for _, trace in self.infos}


def theirs(directory, command):
    output = os.path.join(directory, 'theirs')
    text = run(['heaptrack', '-o', output, *command])
    found = re.search(r'temporary allocations:\s+(\d+)', text)
    recording = Recording(directory)
    return recording.heap(int(found[1])), recording.all_stacks(), recording.modules


# ---- Comparing -------------------------------------------------------------------------

def apart(our, their):
    return abs(our - their) / max(our, their, 1)


def compare_amounts(our, their):
    bad = False
    for what in 'peak', 'exit':
        for unit in 'bytes', 'blocks':
            a, b = getattr(getattr(our, what), unit), getattr(getattr(their, what), unit)
            is_bad = apart(a, b) > APART_MOST and \
                not (unit == 'blocks' and abs(a - b) <= BLOCKS_APART_MOST)
            bad |= is_bad
            print(f'    {what:5} {unit:10} {a:12} {b:12} {apart(a, b):8.2%}'
                  f'{"  APART" if is_bad else ""}')
    a, b = our.allocated + our.reallocs, their.allocated
    print(f'    allocated, resized {a:10} {b:12} {apart(a, b):8.2%}')
    # To heaptrack a realloc in place is a free and an allocation.
    a, b = our.temporary, their.temporary
    is_bad = not a * (1 - TEMPORARY_APART_MOST) <= b <= \
        (a + our.reallocs) * (1 + TEMPORARY_APART_MOST)
    print(f'    temporary        {a:12} {b:12} {apart(a, b):8.2%}, {our.reallocs} resized'
          f'{"  APART" if is_bad else ""}')
    return bad or is_bad


def is_same(names, their, modules):
    """Only we name code that a compiler has moved out of a function: by the function, as
    nothing else jumps there."""
    return (len(their) == len(names) or THEIR_DEPTH <= len(their) < len(names)) and \
        all(b == a or b in modules for a, b in zip(names, their))


def compare_sites(our, their, their_stacks, modules):
    n_bad = n_same = 0
    largest = [(names, size) for names, size in our.sites.most_common(N_SITES) if size > 0]
    for names, size in largest:
        same = [names] if names in their_stacks else \
            [stack for stack in their_stacks if is_same(names, stack, modules)]
        n_same += apart(size, sum(their.sites[stack] for stack in same)) <= APART_MOST
        if same:
            continue
        n_bad += 1
        print(f'    not in theirs: {size} bytes: {";".join(names)}')
        for candidate in sorted(their_stacks, key=lambda other: -common(names, other))[:1]:
            print(f'        the nearest: {";".join(candidate)}')
    print(f'    sites            {len(largest)} largest: {len(largest) - n_bad} with the same '
          f'functions, {n_same} with the same bytes')
    return n_bad > 0


def common(left, right):
    """How many functions are the same, from the innermost one on."""
    n = 0
    while n < min(len(left), len(right)) and left[n] == right[n]:
        n += 1
    return n


def compare(name, command, tools, archive_of):
    print(f'{name + ":":22} {"fxtheap":>10} {"heaptrack":>12} {"apart":>8}', flush=True)
    with tempfile.TemporaryDirectory(dir='/dev/shm') as directory:
        our = ours(tools, archive_of, directory, command)
        their, *stacks = theirs(directory, command)
    bad = compare_amounts(our, their)
    return compare_sites(our, their, *stacks) or bad


def main():
    if shutil.which('heaptrack') is None:
        sys.exit('heaptrack is not installed')
    good, n = heap_loads.judge_all(
        lambda directory: ((name, command[0], command)
                           for name, command in programs(directory)), compare)
    print(f'{good} of {n} programs: at most {APART_MOST:.0%} apart in bytes and blocks, '
          f'{TEMPORARY_APART_MOST:.0%} in temporary blocks, and the {N_SITES} largest sites have '
          'the same functions')
    sys.exit(0 if good == n else 1)


if __name__ == '__main__':
    main()
