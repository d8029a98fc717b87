#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtheap run --mmap: the mappings that programs make, page by page.

test_heap_mmap.py BUILD_DIR [TEST...]
"""

import re
import subprocess
import sys

from heaps import Archive, Program, main, preloaded, test


def mapped(heap, name='snap.fxt', value='inuse_space'):
    """The sum of what has come from mmap."""
    folded = heap.folded(name, '--value', value)
    return sum(n for stack, n in folded.items() if stack[-1] == 'mmap')


def number(program):
    return int(program.process.stdout.readline())


@test
def each_page_is_counted_once(heap):
    for seed, threads, options in ((1, 1, ()), (2, 4, ()), (3, 2, ('--peak',))):
        command = heap.command(heap.program('heap_maps'), str(seed), '3000', str(threads),
                               options=('--mmap', *options))
        with Program(command) as program:
            for process in program.pid, None:
                process = process or number(program)
                size = number(program)
                program.wait_until_ready()
                archive = heap.snapshot('--by-pid', str(process), '--with-tags')
                assert size > 0 and mapped(heap) == size, (seed, mapped(heap), size)
                (event,) = archive.events.values()
                assert event['lost_blocks'] == event['damaged'] == event['replaced'] == 0, event
                blocks = sorted(block for block in archive.only() if block.address % 4096 == 0)
                for one, other in zip(blocks, blocks[1:]):
                    assert one.address + one.size <= other.address, (one, other)
                program.resume()
            program.end()


@test
def without_the_option_there_are_none(heap):
    with Program(heap.command(heap.program('heap_maps'), '1', '100', '1')) as program:
        assert number(program) > 0
        program.wait_until_ready()
        heap.snapshot('--by-pid', str(program.pid))
        assert mapped(heap) == 0


ARENAS = """
import sys
words = [str(i) for i in range(200000)]
half = words[::2]
del words
lists = [[i] for i in range(20000)]
sys._debugmallocstats()
print('ready', flush=True)
sys.stdin.readline()
"""


@test
def pythons_arenas_are_those_that_it_counts(heap):
    errors = heap.path('errors')
    with open(errors, 'w') as file:
        process = subprocess.Popen(
            heap.command(sys.executable, '-I', '-S', '-c', ARENAS, options=('--mmap',)),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=file, text=True)
    with process:
        try:
            assert process.stdout.readline() == 'ready\n'
            archive = heap.snapshot('--by-pid', str(process.pid), '--with-tags')
        finally:
            process.stdin.close()
    assert process.returncode == 0
    with open(errors) as file:
        text = file.read()
    found = re.search(r'(\d+) arenas \* (\d+) bytes/arena', text)
    if found is None:
        print('skipped: this python does not count its arenas')
        return
    n, size = int(found[1]), int(found[2])
    arenas = [block for block in archive.only() if block.size == size]
    assert len(arenas) == n, (len(arenas), n, size)
    assert mapped(heap) >= n * size and mapped(heap, value='inuse_objects') >= n


@test
def a_second_allocator_s_own_mappings_are_not_counted(heap):
    """Its blocks are."""
    path = heap.path('exit.fxt')
    env = preloaded(heap.program('libheap_mapping_malloc.so'))
    subprocess.run(heap.command(heap.program('heap_leave'), 'exit',
                                options=('--mmap', '--at-exit', path)), env=env)
    (groups,) = Archive(heap.tool('fxtdump'), path).groups.values()
    assert sum(n for (_, size), n in groups.items() if size in (1000, 70000)) == 4, groups
    assert mapped(heap, 'exit.fxt') == 0


@test
def what_cannot_be_had_is_refused(heap):
    done = subprocess.run(heap.command('true', options=('--mmap', '--sample', '4K')),
                          stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and '--mmap' in done.stderr, done


if __name__ == '__main__':
    main()
