#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtheap --peak: what programs have when their heaps are largest, to within 1 %.

test_heap_peak.py BUILD_DIR [TEST...]
"""

import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

import heap_table
from heaps import Archive, Program, main, test

# A peak is larger than the one before by more than this.
EXACT = 1 / 256
THREADS = 4
LARGEST_BLOCK = 4064


def run(heap, *command, name='peak.fxt', **how):
    path = heap.path(name)
    done = subprocess.run(heap.command(*command, options=('--peak', '--at-exit', path)),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)
    assert done.returncode == 0, done
    return Archive(heap.tool('fxtdump'), path)


def only_event(archive):
    (event,) = archive.events.values()
    assert event['peak'] is True, event
    return event


def sums(archive):
    """The archive's objects and bytes, which are in its event, too."""
    event = only_event(archive)
    (groups,) = archive.groups.values()
    found = (sum(groups.values()), sum(size * n for (_, size), n in groups.items()))
    assert found == (event['objects'], event['bytes']), (found, event)
    return found


def of_function(heap, name, options=()):
    folded = heap.folded('peak.fxt', *options)
    return sum(n for stack, n in folded.items() if name in stack)


@test
def each_stack_has_what_it_had_then(heap):
    archive = run(heap, heap.program('heap_peak'), 'phases')
    sums(archive)
    assert of_function(heap, 'peak_small') == 100 * 1000
    assert of_function(heap, 'peak_large') == 10 * 1000000
    objects = ('--value', 'inuse_objects')
    assert of_function(heap, 'peak_small', objects) == 1000
    assert of_function(heap, 'peak_large', objects) == 10
    report = subprocess.run([heap.fxtheap, 'report', heap.path('peak.fxt')],
                            stdout=subprocess.PIPE, text=True).stdout
    assert 'when its heap was largest' in report and ' blocks live, from ' in report, report


@test
def a_heap_that_only_grows_is_largest_at_the_end(heap):
    run(heap, heap.program('heap_peak'), 'grow')
    assert of_function(heap, 'peak_small') == 100 * 100


@test
def blocks_that_change_their_size_count(heap):
    run(heap, heap.program('heap_peak'), 'resize')
    folded = heap.folded('peak.fxt')
    assert sum(folded.values()) - 8 * 1000000 < 100000, folded
    assert max(folded.values()) == 8 * 1000000, folded


def amounts(path):
    with open(path, 'rb') as file:
        return struct.unpack('QQ', file.read(16))


def check(found, least, most):
    """Each thread may be between a count of the program's and that of the library."""
    slack = THREADS * LARGEST_BLOCK + 100000
    assert least * (1 - EXACT) - slack <= found <= most + slack, (found, least, most)


@test
def threads_have_one_peak(heap):
    path = heap.path('amounts')
    archive = run(heap, heap.program('heap_peak'), 'threads', str(THREADS), path)
    most = amounts(path)[1]
    check(sums(archive)[1], most, most)
    for function in 'peak_small', 'peak_large':
        assert of_function(heap, function) > 0.4 * most, (function, most)


def running(heap, path):
    return Program(heap.command(heap.program('heap_peak'), 'threads', str(THREADS), path,
                                options=('--peak',)))


@test
def a_program_that_runs_shows_the_peak_so_far(heap):
    path = heap.path('amounts-')
    with running(heap, path) as program:
        program.wait_until_ready()
        for i in range(10):
            time.sleep(0.02 * i)
            before = amounts(path)[1]
            options = ['--peak', '--by-pid', str(program.pid)]
            archive = heap.snapshot(*options, *(['--freeze'] if i % 2 == 0 else []))
            check(sums(archive)[1], before, amounts(path)[1])


@test
def a_killed_program_has_its_peak(heap):
    draw = random.Random(1)
    for i in range(10):
        path = heap.path(f'amounts{i}-')
        with running(heap, path) as program:
            program.wait_until_ready()
            time.sleep(draw.random() * 0.1)
            program.kill()
        archive = heap.snapshot('--peak', '--by-pid', str(program.pid))
        most = amounts(path)[1]
        check(sums(archive)[1], most, most)
        heap.call('list', '--clean')


PYTHON = """
words = [str(i) * 3 for i in range(300000)]
table = {word: [word] for word in words}
del words
half = dict(list(table.items())[:150000])
del table
"""


@test
def python_has_the_peak_that_heaptrack_finds(heap):
    python = sys.executable
    if shutil.which('heaptrack') is None:
        print('skipped: heaptrack is not installed')
        return
    script = heap.path('script.py')
    with open(script, 'w') as file:
        file.write(PYTHON)
    command = [python, '-S', script]
    env = {**os.environ, 'PYTHONMALLOC': 'malloc', 'PYTHONHASHSEED': '0'}
    with tempfile.TemporaryDirectory() as work:
        output = os.path.join(work, 'theirs')
        subprocess.run(['heaptrack', '-o', output, *command], check=True, env=env,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        (name,) = os.listdir(work)
        text = subprocess.run(['heaptrack_print', os.path.join(work, name)], check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True).stdout
    theirs = float(re.search(r'peak heap memory consumption: ([\d.]+)M', text)[1]) * 1e6
    ours = sums(run(heap, *command, env=env))[1]
    assert abs(ours - theirs) < 0.01 * theirs, (ours, theirs)


@test
def a_table_by_hand_has_the_peak_that_was_worked_out(heap):
    then = {(0, 7): 1, (1, 116): 1, (1, 117): 2, (2, 10): 4, (3, 10): 2}
    now = {(1, 100): 1, (2, 10): 4, (3, 10): 2}
    for size, expected in (160, then), (418, then), (1000, now):
        heap.put_table(heap_table.peak_table(size, 417))
        archive = heap.snapshot('--peak', '--by-pid', str(heap_table.PROCESS))
        assert sums(archive)[0] == sum(expected.values())
        assert archive.groups[heap_table.PROCESS] == expected, archive.groups


@test
def what_cannot_be_had_is_refused(heap):
    for options in ('--sample', '4K'), ('--with-tags', '--at-exit', heap.path('x')):
        done = subprocess.run(heap.command('true', options=('--peak', *options)),
                              stderr=subprocess.PIPE, text=True)
        assert done.returncode == 2 and '--peak' in done.stderr, done
    with Program(heap.command(heap.program('heap_peak'), 'threads', '1',
                              heap.path('amounts-'))) as program:
        program.wait_until_ready()
        done = heap.call('snapshot', '--peak', '--by-pid', str(program.pid), '-o',
                         heap.path('x'), status=1)
        assert 'its peak was not kept: see fxtheap run --peak' in done.stderr, done.stderr
        assert not os.path.exists(heap.path('x'))


if __name__ == '__main__':
    main()
