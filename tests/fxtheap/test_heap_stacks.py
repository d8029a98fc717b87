#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Stacks of programs without frame pointers are whole, under libfxtheap and sampled by
signals.

test_heap_stacks.py BUILD_DIR [TEST...]
"""

import os
import subprocess

from heaps import Program, main, needs_compiler, test

SOURCES = os.path.join(os.path.dirname(__file__), 'programs')


def plugins(heap):
    return [heap.program(f'libheap_plugin_{which}.so') for which in ('small', 'large')]


def without_suffixes(folded):
    """Compilers may make several of a function, such as work.constprop.0."""
    return {tuple(frame.split('.constprop')[0].split('.isra')[0] for frame in stack): value
            for stack, value in folded.items()}


def stacks_of(heap, *arguments):
    """Each stack and its bytes, of a program that is left alone when it is ready."""
    with Program(heap.command(heap.program('heap_whole'), *arguments)) as program:
        program.wait_until_ready()
        heap.snapshot()
        program.resume()
        program.end()
    return without_suffixes(heap.folded('snap.fxt'))


@test
def functions_of_all_kinds_have_their_callers(heap):
    folded = stacks_of(heap, 'calls')
    by_size = {value: stack for stack, value in folded.items() if 'allocate_here' in stack}
    expected = {1001: ('with_array',), 1002: ('with_alloca',), 1003: ('realigned',),
                1004: ('compare',), 1005 + 1006: ('call_in_handlers',)}
    for size, names in expected.items():
        stack = by_size[size]
        at = stack.index('make_calls')
        assert stack[at - 1] == 'main' and stack[-1] == 'allocate_here', stack
        assert all(name in stack[at:] for name in names), stack
    assert by_size[1005 + 1006][-2] == 'handle', 'both signals have one stack'
    assert by_size[1007][-3:] == ('thread_main', 'with_array', 'allocate_here'), by_size
    assert len(by_size[1007]) >= 5, 'what starts threads is there, too'


@test
@needs_compiler('c++')
def functions_of_cpp_have_their_callers(heap, compiler):
    program = heap.path('whole_cpp')
    subprocess.run([compiler, '-std=c++17', '-O2', '-fomit-frame-pointer', '-pthread', '-o',
                    program, os.path.join(SOURCES, 'whole.cc')], check=True)
    with Program(heap.command(program)) as running:
        running.wait_until_ready()
        heap.snapshot()
        running.resume()
        running.end()
    folded = heap.folded('snap.fxt')
    for size, names in ((50001, ('main', 'keep_string')), (60001, ('main', 'catch_string')),
                        (70001, ('thread_main',))):
        (stack,) = [stack for stack, value in folded.items() if value == size]
        at = [[i for i, frame in enumerate(stack) if name in frame] for name in names]
        assert all(at) and sorted(at) == at, (stack, names)


@test
def a_quarter_of_a_million_stacks_are_all_there(heap):
    with Program(heap.command(heap.program('heap_whole'), 'paths', '18')) as program:
        program.wait_until_ready()
        (row,) = heap.rows()
        assert row[4:] == ('exact', 'heap_whole', 0, 0), row
        archive = heap.snapshot()
        stacks = {stack for (stack, size), count in archive.groups[program.pid].items()
                  if size == 16 and count == 1}
        assert 0 not in stacks and len(stacks) >= 1 << 18, len(stacks)
        assert archive.events[program.pid]['lost_stacks'] == 0, archive.events
        program.resume()
        program.end()


@test
def libraries_may_come_and_go(heap):
    rounds = 3000
    folded = stacks_of(heap, 'storm', str(rounds), *plugins(heap))
    here = {stack: value for stack, value in folded.items() if 'allocate_here' in stack}
    known = {}
    for stack, value in here.items():
        assert 'main' in stack or 'allocate_all_the_time' in stack, stack
        if stack[-4:-2] == ('use_plugin', 'plugin_allocate'):
            known[stack[-2]] = known.get(stack[-2], 0) + value
    assert known == {'allocate_small': rounds // 2 * 2000,
                     'allocate_large': rounds // 2 * 2001}, (known, here)


def folded_at_exit(heap, options, *arguments):
    options = ('--at-exit', heap.path('exit.fxt'), '--quiet', *options)
    with Program(heap.command(heap.program('heap_whole'), *arguments,
                              options=options)) as program:
        program.wait_until_ready()
        program.resume()
        program.end()
    return without_suffixes(heap.folded('exit.fxt'))


@test
def code_that_takes_turns_at_an_address_keeps_its_names(heap):
    expected = {('allocate_small', 'allocate_here'): 200 * 2000,
                ('allocate_large', 'allocate_here'): 200 * 2001}
    for options in ((), ('--with-tags',), ('--sample', '1'), ('--mmap',), ('--every', '60s')):
        found = {}
        for stack, value in folded_at_exit(heap, options, 'storm', '400',
                                           *plugins(heap)).items():
            if stack[-4:-2] == ('use_plugin', 'plugin_allocate'):
                found[stack[-2:]] = found.get(stack[-2:], 0) + value
        assert found == expected, (options, found)


@test
def a_stack_that_is_too_deep_says_so(heap):
    for depth, is_cut in (('3', True), ('64', False)):
        folded = folded_at_exit(heap, ('--depth', depth), 'calls')
        stacks = [stack for stack in folded if stack[-1] == 'allocate_here']
        assert stacks and all(('[cut: depth limit]' in stack) == is_cut
                              for stack in stacks), folded
        report = subprocess.run([heap.fxtheap, 'report', heap.path('exit.fxt')],
                                stdout=subprocess.PIPE, text=True)
        assert ('more frames than the sampler keeps' in report.stdout) == is_cut, report


@test
def children_of_threaded_programs_allocate(heap):
    stacks_of(heap, 'forks', '300')
    assert heap.left() == []


# ---- Signals ---------------------------------------------------------------------------

def can_be_injected(build_tools):
    """Programs that know nothing of sanitizers cannot load what has one."""
    library = os.path.join(build_tools, 'fxtrecord', 'libfxtrecord-inject.so')
    if not os.path.exists(library):
        return False
    with open(library, 'rb') as file:
        return b'san_init' not in file.read()


def sampled(heap, *arguments):
    """The stacks of heap_whole while it is sampled by signals, and how often each was."""
    trace = heap.path('sampled.fxt')
    done = subprocess.run([heap.tool('fxtrecord'), '--method', 'signal', '-F', '997', '-o',
                           trace, heap.program('heap_whole'), *arguments], input='\n',
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done
    return without_suffixes(heap.folded('sampled.fxt'))


def share_of_whole(folded):
    """Of the stacks that were taken: late signals leave time without any."""
    folded = {stack: value for stack, value in folded.items() if '[not sampled]' not in stack}
    whole = sum(value for stack, value in folded.items()
                if 'main' in stack or 'allocate_all_the_time' in stack)
    return whole / max(sum(folded.values()), 1)


@test
def libraries_may_come_and_go_under_signals(heap):
    if not can_be_injected(heap.tools):
        print('skipped: fxtrecord cannot sample by signals here')
        return
    folded = sampled(heap, 'storm', '20000', *plugins(heap))
    assert sum(folded.values()) > 100, folded
    assert share_of_whole(folded) > 0.95, folded


@test
def children_are_sampled_by_signals(heap):
    if not can_be_injected(heap.tools):
        print('skipped: fxtrecord cannot sample by signals here')
        return
    folded = sampled(heap, 'forks', '200')
    assert share_of_whole(folded) > 0.9, folded


if __name__ == '__main__':
    main()
