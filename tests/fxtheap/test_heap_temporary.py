#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Temporary blocks, reallocs, and how much was allocated in which time.

test_heap_temporary.py BUILD_DIR [TEST...]
"""

import os
import re
import shutil
import subprocess

import fxtwrite
import heap_table
from heap_reports import blob, report, snapshot, stacks, write
from heaps import Archive, Program, main, test


def look(heap, *options):
    """An archive of the program that knows which of its blocks are temporary."""
    with Program(heap.command(heap.program('heap_steps'), 'temporaries',
                              options=options)) as program:
        program.wait_until_ready()
        archive = heap.snapshot()
        program.resume()
        program.end()
    return archive, program.pid


def of_function(heap, name, value):
    return sum(n for stack, n in heap.folded('snap.fxt', '--value', value).items()
               if name in stack)


@test
def blocks_that_are_freed_at_once_are_temporary(heap):
    for options in (), ('--peak',):
        archive, process = look(heap, *options)
        for function, allocated, temporary in (
                ('freed_at_once', 1002, 1002), ('freed_later', 3, 0), ('reallocated', 6, 2),
                ('free_in_turn', 200, 200)):
            found = [of_function(heap, function, value)
                     for value in ('alloc_objects', 'temporary_objects')]
            assert found == [allocated, temporary], (options, function, found)
        recording = archive.recordings[process]
        assert (recording['reallocs_in_place'], recording['reallocs_moved']) == (2, 2), recording


SED = 'H; s/(.)(.*)/\\2\\1/; x; s/\\n/,/; x'


@test
def heaptrack_finds_as_many(heap):
    """To it a realloc in place is a free and an allocation."""
    if shutil.which('heaptrack') is None:
        print('skipped: heaptrack is not installed')
        return
    lines = heap.path('lines')
    with open(lines, 'w') as file:
        file.write(''.join(f'{i * 7919 % 10007} line {i}\n' for i in range(3000)))
    env = {**os.environ, 'LC_ALL': 'C'}
    for command in ['find', '/usr/share', '-name', '*.gz'], ['sed', '-n', '-E', SED, lines]:
        done = subprocess.run(['heaptrack', '-o', heap.path('theirs'), *command], env=env,
                              check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True)
        theirs = int(re.search(r'temporary allocations:\s+(\d+)', done.stderr)[1])
        path = heap.path('ours.fxt')
        subprocess.run(heap.command(*command, options=('-q', '--at-exit', path)), env=env,
                       check=True, stdout=subprocess.DEVNULL)
        archive = Archive(heap.tool('fxtdump'), path)
        (recording,) = archive.recordings.values()
        ours, in_place = sum(archive.temporary.values()), recording['reallocs_in_place']
        assert ours > 1000 and 0.98 * ours <= theirs <= 1.02 * (ours + in_place), \
            (command, ours, in_place, theirs)


@test
def samples_are_not_counted(heap):
    archive, process = look(heap, '--sample', '1K')
    assert not archive.temporary and archive.stacks
    assert set(archive.recordings[process]) == {'version', 'from_ns', 'until_ns'}
    text = report(heap, '--temporary', heap.path('snap.fxt'), status=3).stdout
    assert ' not counted in the archive' in text and 'about ' in text, text


@test
def a_report_has_the_stacks_with_most_of_them(heap):
    archive, _ = look(heap)
    text = report(heap, '--temporary', heap.path('snap.fxt'), status=3).stdout
    found = [(first, frames[:2]) for first, frames in stacks(text)]
    assert found[0] == ('1000 of 1000 blocks temporary (100.0 %)',
                        ['allocate_here', 'freed_at_once']), found
    assert ['free_in_turn', 'of_threads'] in [stack for _, stack in found[1:3]], found
    n = sum(archive.temporary.values())
    total = sum(objects for objects, _, _ in archive.stacks.values())
    assert f'\n{n} of these blocks temporary ({100 * n / total:.1f} %)\n' in text, (n, text)
    assert '\n2 reallocs in place, 2 to another place\n' in text, text
    text = report(heap, '--temporary', '--limit', '1', heap.path('snap.fxt'), status=3).stdout
    assert f'\n{n - 1000} blocks from {len(found) - 1} more stacks (--limit 0' in text, text


def recording(start, end, process=7, counts=(1, 2)):
    args = [fxtwrite.arg(2, b'version', 1), fxtwrite.arg(4, b'from_ns', start),
            fxtwrite.arg(4, b'until_ns', end)]
    args += [fxtwrite.arg(4, name, count)
             for name, count in zip((b'reallocs_in_place', b'reallocs_moved'), counts)]
    return fxtwrite.event(0, 5_000_000_000, (process, process), b'heap', b'recording', args)


@test
def rates_are_those_of_all_processes(heap):
    second = 1_000_000_000
    records = [snapshot(), recording(2 * second, 3 * second), snapshot(8),
               recording(1 * second, 5 * second, 8),
               blob('stacks', [1, 300, 9000, 1, 30, 0x1001], 5),
               blob('stacks', [1, 100, 1000, 1, 20, 0x1001], 5, 8)]
    text = report(heap, write(heap, *records), status=0).stdout
    assert text.endswith(
        '\n10000 bytes in 400 blocks allocated in 4.000 s: 2500 bytes in 100 blocks a second\n'
        '50 of these blocks temporary (12.5 %)\n2 reallocs in place, 4 to another place\n\n'), text
    # What is not known of one of them is not known of all.
    records[1] = recording(0, 0, counts=())
    text = report(heap, write(heap, *records), status=0).stdout
    assert text.endswith('\n10000 bytes in 400 blocks allocated\n\n'), text
    largest = (1 << 64) - 1
    path = write(heap, recording(1, 2), snapshot(), recording(1, 2, counts=(largest, largest)),
                 recording(largest, 1, 9),
                 blob('stacks', [1, largest, largest, 1, largest, 0x1001], 5))
    report(heap, '--temporary', path, status=0)


@test
def the_time_is_that_of_the_process(heap):
    with Program(heap.command(heap.program('heap_steps'), 'stacks')) as program:
        program.wait_until_ready()
        archive = heap.snapshot()
        (taken,) = [r['timestamp'] for r in archive.records if r.get('name') == 'recording']
        times = archive.recordings[program.pid]
        assert times['from_ns'] < times['until_ns'] == taken, (times, taken)
        assert re.search(r' blocks allocated in \d+\.\d+ s: \d+ bytes in \d+ blocks a second\n',
                         report(heap, heap.path('snap.fxt'), status=3).stdout)
        program.kill()
    archive = heap.snapshot()
    assert 'from_ns' not in archive.recordings[program.pid], archive.recordings
    heap.call('list', '--clean')
    # The first child's table is read some time after its end, while the second one runs.
    path = heap.path('left.fxt')
    subprocess.run(heap.command('sh', '-c', '/bin/true; sleep 1.5; kill -9 $$',
                                options=('-q', '--at-exit', path)), check=False)
    archive = Archive(heap.tool('fxtdump'), path)
    times = {os.path.basename(archive.events[process]['program']):
             (arguments['from_ns'], arguments['until_ns'])
             for process, arguments in archive.recordings.items()}
    order = [*times['true'], *times['sleep'], times[next(iter({*times} - {'true', 'sleep'}))][1]]
    assert order == sorted(order), times


@test
def a_table_by_hand_has_the_counts_that_precede_its_stacks(heap):
    heap.put_table(heap_table.COUNTED)
    archive = heap.snapshot()
    assert archive.stacks == {(heap_table.PROCESS, 1): (5, 500, (0x401001, 0x402002)),
                              (heap_table.PROCESS, 2): (7, 700, (0x403003,))}
    assert archive.temporary == {(heap_table.PROCESS, 1): 3, (heap_table.PROCESS, 2): 6}
    assert archive.recordings == {heap_table.PROCESS: {
        'version': 1, 'from_ns': 1000, 'until_ns': 9999, 'reallocs_in_place': 52,
        'reallocs_moved': 41}}, archive.recordings


@test
def a_table_by_hand_has_the_states_that_precede_its_stacks(heap):
    heap.put_table(heap_table.TURNS)
    archive = heap.snapshot()
    assert archive.states == {(heap_table.PROCESS, 1): (1000, 2),
                              (heap_table.PROCESS, 2): (1500, 0)}, archive.states
    mappings = [(record['timestamp'], record['start']) for record in archive.records
                if record.get('profiler') == 'mapping']
    assert mappings == [(1000, '0x401000'), (1500, '0x401000')], archive.records


if __name__ == '__main__':
    main()
