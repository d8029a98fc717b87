#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What naming 10,000 different PCs of a file with 100 MB of DWARF takes, and what it
takes addr2line; whether both say the same; and how much of the file is in memory for these
and for one PC. Folding and memory have limits.

symbols.py FXT2FOLDED FXT2PPROF SYMBOLS_CPP

The file is one object, linked many times under different names.

Units are read when the first PC in them is looked up; 10,000 random ones are in nearly all.
Line tables and the tree of DIEs are read without libdw, which sorts all rows to get one
file's name, and looks each DIE's abbreviation up under a lock. With 200 objects (590 MB) that
took 1.53 s and 706 MiB, and takes 0.6 s and 78 MiB; one PC 0.035 s and 20 MiB, of which half
is for the 100,000 symbols.
"""

import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

N_PCS = 10000
N_COPIES = 60
# Of the file's size.
ONE_PC_LIMIT = 0.15
ALL_PCS_LIMIT = 0.5
# Of addr2line's time.
FOLDED_LIMIT = 0.4
ROUNDS = 3
BASE = 0x7f0000000000


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def make_file(source):
    run('g++', '-std=c++17', '-g', '-gdwarf-4', '-O2', '-fPIC', '-c', source, '-o', 'one.o')
    names = [f'{i}.o' for i in range(N_COPIES)]
    for i, name in enumerate(names):
        run('objcopy', f'--prefix-symbols=copy{i}_', 'one.o', name)
    run('ld', '-shared', '-o', 'large.so', *names)
    for name in names:
        os.unlink(name)
    text = re.search(r'LOAD\s+\S+ 0x(\S+) \S+ \S+ 0x(\S+) R E', run('readelf', '-lW', 'large.so'))
    return int(text[1], 16), int(text[2], 16)


def write_samples(pcs):
    """Each of a separate thread, so that no two are merged to one line."""
    with open('pcs', 'w', encoding='ascii') as file:
        file.writelines(f'{pc:#x}\n' for pc in pcs)
    with open('samples.bin', 'wb') as file:
        for i, pc in enumerate(pcs):
            file.write(struct.pack('<5Q', 10 | 5 << 4 | 2 << 16 | 1 << 28, i, 1, i, BASE + pc))


def measure(*command, stdin=None):
    """The least CPU time of some runs, in seconds."""
    times = []
    for _ in range(ROUNDS):
        before = os.times()
        with open(stdin or os.devnull, encoding='ascii') as file, open(os.devnull, 'w') as null:
            subprocess.run(command, check=True, stdin=file, stdout=null, stderr=null)
        after = os.times()
        times.append(after.children_user - before.children_user +
                     after.children_system - before.children_system)
    return min(times)


def is_small(fxt2folded, what, limit):
    """Whether naming the PCs takes less memory than the limit."""
    with open(os.devnull, 'w', encoding='ascii') as null:
        child = subprocess.Popen([fxt2folded, '-q', '--lines', '--elf', f'large.so@{BASE:#x}',
                                  'samples.bin'], stdout=null)
        _, status, used = os.wait4(child.pid, 0)
    share = used.ru_maxrss * 1024 / os.path.getsize('large.so')
    good = status == 0 and share <= limit
    print(f'{what}: {used.ru_utime + used.ru_stime:.2f} s, {used.ru_maxrss >> 10} MiB, '
          f'{share:.2f} of the file (limit {limit}): {"ok" if good else "OVER"}')
    return good


def compare(fxt2folded, where):
    """In how many PCs the functions are those of addr2line, from the outermost in."""
    with open('pcs', encoding='ascii') as file:
        text = run('addr2line', '-a', '-C', '-f', '-i', '-e', 'large.so', stdin=file)
    theirs = [block.splitlines()[1::2][::-1] for block in re.split('^0x', text, flags=re.M)[1:]]
    ours = {}
    for line in run(fxt2folded, '-q', '--roots', 'thread', *where).splitlines():
        thread, *frames = line.rsplit(' ', 1)[0].split(';')
        ours[int(re.search(r'\[(\d+)\]', thread)[1])] = frames
    same = sum([name.replace(';', ':') for name in names] == ours[i]
               for i, names in enumerate(theirs))
    between = sum(ours[i][0].startswith('large.so+0x') for i in range(N_PCS))
    print(f'{same / N_PCS:.2%} of the PCs have the functions that addr2line says; '
          f'{between / N_PCS:.2%} are between functions, where it says the one before or none')


def main():
    fxt2folded, fxt2pprof, source = map(os.path.abspath, sys.argv[1:4])
    for program in 'g++', 'objcopy', 'ld', 'readelf', 'addr2line':
        if shutil.which(program) is None:
            print('skipped: there is no', program)
            return
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        start, size = make_file(source)
        # First, as the memory of a new process is at least what this one has.
        write_samples([start + size // 2])
        good = is_small(fxt2folded, 'one PC', ONE_PC_LIMIT)
        write_samples(random.Random(1).sample(range(start, start + size), N_PCS))
        good &= is_small(fxt2folded, f'{N_PCS} PCs', ALL_PCS_LIMIT)
        print(f'{N_PCS} PCs of {os.path.getsize("large.so") >> 20} MiB, {size >> 20} MiB of it code')
        where = ('--elf', f'large.so@{BASE:#x}', 'samples.bin')
        base = measure('addr2line', '-f', '-i', '-e', 'large.so', stdin='pcs')
        for what, command in (('addr2line -f -i', None),
                              ('fxt2folded', [fxt2folded, '-q', *where]),
                              ('fxt2folded --lines', [fxt2folded, '-q', '--lines', *where]),
                              ('fxt2folded --inlines off', [fxt2folded, '-q', '--inlines', 'off',
                                                            *where]),
                              ('fxt2pprof', [fxt2pprof, '-q', '-o', 'p.pb.gz', *where])):
            seconds = base if command is None else measure(*command)
            print(f'{what:26} {seconds:7.2f} s  {seconds / base:5.2f}')
            if what == 'fxt2folded':
                is_fast = seconds <= FOLDED_LIMIT * base
        print(f'fxt2folded: limit {FOLDED_LIMIT}: {"ok" if is_fast else "OVER"}')
        compare(fxt2folded, where)
        os.chdir('/')
        sys.exit(not good or not is_fast)


if __name__ == '__main__':
    main()
