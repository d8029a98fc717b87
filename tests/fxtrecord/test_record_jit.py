#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Names of code that a program makes while it runs: perf maps and jitdumps, which may go
away, be damaged, or be another user's. See recorder.py and jit_program.c."""

import collections
import glob
import os
import re
import shutil
import subprocess
import tempfile

from recorder import build_c, main, run

HERE = os.path.dirname(os.path.abspath(__file__))


def program(directory):
    path = os.path.join(directory, 'jit_program')
    with open(os.path.join(HERE, 'jit_program.c'), encoding='ascii') as file:
        if not os.path.exists(path):
            build_c(directory, 'jit_program', file.read(), '-O1')
    assert os.path.exists(path), 'jit_program.c must compile'
    return path


def remove_maps(archive, r):
    """The program's files in /tmp stay, as those of real compilers do."""
    for record in r.dump(archive):
        if record.get('object_type') == 'process':
            for path in glob.glob('/tmp/perf-%d.map*' % record['koid']):
                os.remove(path)


def leaves(r, directory, *steps, before=()):
    """How many samples each leaf function of the program has, and what is reported."""
    archive = os.path.join(directory, 'jit.fxt')
    try:
        r.record('-q', '-o', archive, *before, program(directory), *steps)
        found = collections.Counter()
        for stack, n in r.folded('--roots', 'none', archive):
            found[stack[-1]] += n
        tool = os.path.join(r.tools, 'fxt2folded', 'fxt2folded')
        said = run(tool, '-o', os.devnull, archive).stderr
    finally:
        remove_maps(archive, r)
    return found, said


def unnamed(found):
    """Samples in code of which only the address is known."""
    return sum(n for name, n in found.items() if re.fullmatch('0x[0-9a-f]+', name))


def test_perf_map(r, directory):
    found, said = leaves(
        r, directory, 'code:0', 'code:1', 'code:2', 'line:0:0:64:JS:~name with spaces a.js:1:2',
        'line:1:0:4096:all of it', 'raw:what no compiler writes', 'raw:', 'raw:12 zz name',
        'line:2:0:16:old', 'line:2:0:64:a later line', 'run:0:150', 'run:1:150', 'run:2:150')
    for name in 'JS:~name with spaces a.js:1:2', 'all of it', 'a later line':
        assert found[name] >= 5, found
    assert found['old'] == 0 and unnamed(found) == 0, found
    assert '2 JIT symbols ignored by the recorder: malformed' in said, said


def test_files_that_are_deleted_before_the_end(r, directory):
    found, _ = leaves(r, directory, 'dump:' + directory, 'code:0', 'line:0:0:64:mapped',
                      'code:1', 'load:1:1:dumped', 'run:0:900', 'run:1:200', 'remove',
                      'run:0:100')
    assert found['mapped'] >= 20 and found['dumped'] >= 5, found
    assert unnamed(found) == 0, found


def test_code_that_is_replaced_and_moved(r, directory):
    for swapped in (), ('swapped',):
        found, said = leaves(
            r, directory, *swapped, 'dump:' + directory, 'code:0', 'load:0:1:first', 'run:0:300',
            'code:1', 'move:0:1:1', 'load:0:2:second', 'run:0:600', 'run:1:300')
        first, second = found['first'], found['second']
        assert first >= 10 and abs(first - second) <= 0.2 * (first + second), found
        assert unnamed(found) == 0, found
        assert 'malformed' not in said, said


def test_a_dump_names_more_than_a_map(r, directory):
    found, _ = leaves(r, directory, 'dump:' + directory, 'code:0', 'code:1',
                      'line:0:0:64:without time', 'line:1:0:64:only mapped',
                      'load:0:1:with time', 'run:0:200', 'run:1:200')
    assert found['with time'] >= 5 and found['only mapped'] >= 5, found
    assert found['without time'] == 0, found


def test_a_damaged_dump(r, directory):
    found, said = leaves(r, directory, 'dump:' + directory, 'code:0', 'load:0:1:whole',
                         'move:0:1:77', 'cut', 'run:0:200')
    assert found['whole'] >= 5, found
    assert '2 JIT symbols ignored by the recorder: malformed' in said, said


def test_code_that_comes_late_and_goes(r, directory):
    """The program has no code outside of files when it is seen first, nor when it ends."""
    found, _ = leaves(r, directory, 'wait:400', 'code:0', 'line:0:0:64:late', 'run:0:300',
                      'data')
    assert found['late'] >= 10 and unnamed(found) == 0, found


def test_only_sampled_functions_are_stored(r, directory):
    archive = os.path.join(directory, 'jit.fxt')
    try:
        r.record('-q', '-o', archive, program(directory), 'code:0', 'line:0:0:64:ran',
                 *('line:1:%d:1:never ran' % i for i in range(2000)), 'run:0:200')
        blobs = [{a['name']: a['value'] for a in x['args']} for x in r.dump(archive)
                 if x.get('category') == 'symbols']
        found = [args for args in blobs if args['source'] != '[kernel.kallsyms]']
        assert len(found) == 1, blobs
        assert int(found[0]['entries']) == 1 and found[0]['source'].startswith('/tmp/perf-'), found
    finally:
        remove_maps(archive, r)


def test_files_that_may_be_anyones(r, directory):
    """Those of another user, symbolic links, and those that are older than the process."""
    ways = ['link', 'old'] + (['user:4242'] if os.geteuid() == 0 else [])
    for way in ways:
        found, _ = leaves(r, directory, 'code:0', 'line:0:0:64:planted', way, 'run:0:200')
        assert found['planted'] == 0 and unnamed(found) >= 5, (way, found)


def test_a_process_in_a_container(r, directory):
    """Its map has the number that it has there, in a file system that only it sees."""
    unshare = ['unshare', '--pid', '--mount', '--fork']
    if os.geteuid() != 0 or shutil.which('unshare') is None or subprocess.run(
            [*unshare, 'true'], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        print('skipped: there are no namespaces here')
        return
    with tempfile.TemporaryDirectory(dir='/var/tmp') as outside:
        found, _ = leaves(r, outside, 'code:0', 'line:0:0:64:contained', 'run:0:1500',
                          before=[*unshare, 'sh', '-c',
                                  'mount -t tmpfs none /tmp && exec "$0" "$@"'])
    assert found['contained'] >= 20, found


# push rbp; mov ebp, 3; sub rsp, 72; mov ecx, 1 << 28; 0: dec ecx; jnz 0b; add rsp, 72;
# pop rbp; ret
FRAMELESS = '''
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const unsigned char code[] = {
    0x55, 0xbd, 3, 0, 0, 0, 0x48, 0x83, 0xec, 72, 0xb9, 0, 0, 0, 0x10,
    0xff, 0xc9, 0x75, 0xfc, 0x48, 0x83, 0xc4, 72, 0x5d, 0xc3};

int main(void)
{
    void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char name[64];
    FILE *file;

    memcpy(at, code, sizeof(code));
    snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)getpid());
    file = fopen(name, "w");
    fprintf(file, "%lx 1000 frameless\\n", (unsigned long)at);
    fclose(file);
    ((void (*)(void))at)();
    return 0;
}
'''


def test_code_without_frames(r, directory):
    """A perf map is not to be built with tables."""
    if os.uname().machine != 'x86_64':
        return
    archive = os.path.join(directory, 'frameless.fxt')
    try:
        r.record('-q', '-o', archive, build_c(directory, 'frameless', FRAMELESS))
        tool = os.path.join(r.tools, 'fxt2folded', 'fxt2folded')
        done = run(tool, archive)
    finally:
        remove_maps(archive, r)
    assert 'frameless' in done.stdout, done.stdout
    assert '.map, whose code a JIT compiler made without frame' in done.stderr, done.stderr
    assert '-fasynchronous' not in done.stderr, done.stderr


if __name__ == '__main__':
    main(both=[test_perf_map, test_code_that_is_replaced_and_moved, test_a_damaged_dump,
               test_files_that_are_deleted_before_the_end, test_a_dump_names_more_than_a_map,
               test_only_sampled_functions_are_stored, test_code_that_comes_late_and_goes, test_files_that_may_be_anyones],
         perf=[test_a_process_in_a_container, test_code_without_frames])
