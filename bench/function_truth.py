#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""How many samples of Debian's programs, stripped, are in the functions that their symbols have
there.

function_truth.py FXTRECORD FXT2PPROF FXTREPORT FOLDER

FOLDER has a folder of sources for each program, as `apt-get source` leaves them; those that are
missing are left out. Each program is built with -g, split from its symbols, and recorded while it
works on FOLDER/input, a large text, or on FOLDER/input.part, a megabyte of it."""

import glob
import os
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tests',
                                'support'))
import function_truth  # pylint: disable=wrong-import-position

FLAGS = '-g -O2 -fstack-protector-strong'
CONFIGURE = './configure -q --disable-nls'
WORDS = '\'{gsub(/[aeiou]+/, "x"); for (i = 1; i <= NF; i++) n[$i] += NF}\''

# The folder of the sources, how they are built, the program, its libraries, and its work.
PROGRAMS = [
    ('xz-utils-*', CONFIGURE + ' --disable-static --disable-doc && make -s', 'src/xz/.libs/xz',
     ['src/liblzma/.libs/liblzma.so.5'], '-9 -k -c INPUT'),
    ('libzstd-*', 'make -s -C programs zstd', 'programs/zstd', [], '-15 -k -c INPUT'),
    ('bzip2-*', 'make -s bzip2 CFLAGS="$CFLAGS"', 'bzip2', ['libbz2.so.1.0'],
     '-9 -k -c INPUT'),
    ('gzip-*', CONFIGURE + ' && make -s MAKEINFO=: ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=:', 'gzip',
     [], '-9 -k -c INPUT'),
    ('lz4-*', 'make -s lib && make -s -C programs lz4 LDFLAGS=-L../lib', 'programs/lz4',
     ['lib/liblz4.so.1'], '-12 -c INPUT'),
    ('brotli-*', 'mkdir -p out && cd out && cmake -DCMAKE_BUILD_TYPE=RelWithDebInfo .. && make -s',
     'out/brotli', [], '-q 9 -k -c INPUT'),
    ('lzip-*', './configure && make -s CXXFLAGS="$CXXFLAGS"', 'lzip', [], '-6 -k -c INPUT'),
    ('mawk-*', './configure -q && make -s', 'mawk', [],
     WORDS + ' INPUT'),
    ('ninja-build-*', 'python3 configure.py --bootstrap', 'ninja', [], '-C WORK -n'),
    ('zopfli-*', 'make -s zopfli', 'zopfli', [], '--i3 -c INPUT.part'),
    ('lua5.4-*', 'cd src && echo \'#define DEB_HOST_MULTIARCH "none"\' >lua5.4-deb-multiarch.h && '
     'cc $CFLAGS -DLUA_USE_LINUX -Wl,-E -o lua $(ls *.c | grep -v luac) -lm -ldl',
     'src/lua', [],
     "-e 'local t = {} for i = 1, 9e6 do t[i % 999] = (\"x\"):rep(i % 50) .. i end "
     "table.sort(t)'"),
    ('sqlite3-*', './configure -q --disable-tcl --disable-shared && make -s sqlite3', 'sqlite3',
     [], "':memory:' 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT "
     "3000000) SELECT count(DISTINCT i * 7919 % 10007), group_concat(i % 10) FROM n'"),
    ('gawk-*', CONFIGURE + ' --disable-extensions --disable-mpfr && make -s', 'gawk', [],
     WORDS + ' INPUT'),
]


def build(folder, command):
    environment = {**os.environ, 'CFLAGS': FLAGS, 'CXXFLAGS': FLAGS}
    with open(os.path.join(folder, 'build.log'), 'wb') as log:
        subprocess.run(command, cwd=folder, shell=True, check=False, env=environment, stdout=log,
                       stderr=log)


def record(fxtrecord, trace, program, libraries, work):
    with open(os.devnull, 'wb') as null:
        subprocess.run([fxtrecord, '-q', '-o', trace, program, *work], check=False, stdout=null,
                       stderr=null, env={**os.environ, 'LD_LIBRARY_PATH': libraries})


def show(name, result):
    print(f'{name:24} {result.samples:8} {100 * result.right / max(result.samples, 1):8.2f} '
          f'{100 * result.frames_right / max(result.frames, 1):8.2f} '
          f'{len(result.functions):6} {len(result.unmatched()):9}', flush=True)
    for (address, start, found), count in result.wrong.most_common(3):
        print(f'    {count} at {address} of {start}: {found}')


def measure(programs, folder, pattern, command, program, libraries, work):
    sources = glob.glob(os.path.join(folder, pattern + os.sep))
    if not sources:
        return
    source = sources[0]
    if not os.path.exists(os.path.join(source, program)):
        build(source, command)
    if not os.path.exists(os.path.join(source, program)):
        print(f'{pattern:24} was not built: see build.log there')
        return
    stripped, debug = os.path.join(source, 'stripped'), os.path.join(source, 'debug')
    truths = [function_truth.split(os.path.join(source, path), stripped, debug)
              for path in [program, *libraries]]
    trace = os.path.join(source, 'truth.fxt')
    record(programs[0], trace, truths[0].path, stripped,
           [word.replace('INPUT', os.path.join(folder, 'input')).replace('WORK', source)
            for word in shlex.split(work)])
    results = function_truth.compare(programs[1], trace, truths)
    rows = [function_truth.rows(programs[2], trace, *options)
            for options in ([], ['--debug-dir', debug])]
    for path, result in results.items():
        if result.frames:
            show(os.path.basename(path), result)
            module = os.path.basename(path)
            n_rows = [len(found.get(module, ())) for found in rows]
            if rows[0].get(module) != rows[1].get(module):
                print(f'    rows of a report: {n_rows[0]} without symbols, {n_rows[1]} with them')


def main():
    *programs, folder = [os.path.abspath(path) for path in sys.argv[1:]]
    print('of samples and of all frames, the share in their functions; functions seen, and those '
          'that\nare not one row each\n')
    print(f'{"file":24} {"samples":>8} {"leaf %":>8} {"frame %":>8} {"rows":>6} {"unmatched":>9}')
    for row in PROGRAMS:
        measure(programs, folder, *row)


main()
