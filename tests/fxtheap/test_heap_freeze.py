#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtheap snapshot --freeze: one moment of a program that never rests, which then goes on.

test_heap_freeze.py BUILD_DIR [TEST...]
"""

import collections
import ctypes
import os
import random
import signal
import subprocess
import time

from heaps import Program, main, test
from patience import wait_for

N_THREADS, N_BLOCKS = 3, 500
PTRACE_SEIZE = 0x4206


def states(process):
    found = []
    for thread in os.listdir(f'/proc/{process}/task'):
        with open(f'/proc/{process}/task/{thread}/stat', encoding='utf-8') as file:
            found.append(file.read().rsplit(')', 1)[1].split()[0])
    return found


def cpu_ticks(process):
    with open(f'/proc/{process}/stat', encoding='utf-8') as file:
        fields = file.read().rsplit(')', 1)[1].split()
    return int(fields[11]) + int(fields[12])


def goes_on(process):
    before = cpu_ticks(process)
    wait_for(lambda: cpu_ticks(process) > before, 'it goes on')


def churn(heap):
    return Program(heap.command(heap.program('heap_churn'), str(N_THREADS), '0', str(N_BLOCKS),
                                heap.path('progress')))


def counts(archive):
    return collections.Counter(block.thread for block in archive.only())


def is_full(heap):
    """Each thread has all the blocks that it may have: from now on it frees one, and then
    allocates one."""
    found = counts(heap.snapshot('--freeze', '--with-tags'))
    return sum(n >= N_BLOCKS - 1 for n in found.values()) == N_THREADS


@test
def it_is_one_moment_of_threads_that_allocate_and_free(heap):
    with churn(heap) as program:
        program.wait_until_ready()
        wait_for(lambda: is_full(heap), 'all blocks')
        for _ in range(20):
            archive = heap.snapshot('--freeze', '--with-tags')
            event = archive.events[program.pid]
            assert event['frozen'] and event['running'], event
            found = sorted(counts(archive).values())[-N_THREADS:]
            assert all(N_BLOCKS - 1 <= n <= N_BLOCKS for n in found), found
        goes_on(program.pid)
        assert 'frozen' not in heap.snapshot().events[program.pid]


@test
def threads_go_on_when_fxtheap_is_killed(heap):
    chance = random.Random(3)
    with churn(heap) as program:
        program.wait_until_ready()
        for _ in range(30):
            taker = subprocess.Popen([heap.fxtheap, 'snapshot', '--directory', heap.tables, '-q',
                                      '--freeze', '-o', heap.path('killed.fxt')])
            time.sleep(chance.random() * 0.02)
            taker.kill()
            taker.wait()
        wait_for(lambda: not {'t', 'T'} & set(states(program.pid)), 'no thread is stopped')
        goes_on(program.pid)


@test
def a_stopped_process_stays_stopped(heap):
    with Program(heap.command(heap.program('heap_steps'), 'threads')) as program:
        program.wait_until_ready()
        os.kill(program.pid, signal.SIGSTOP)
        wait_for(lambda: set(states(program.pid)) == {'T'}, 'it is stopped')
        assert heap.snapshot('--freeze').events[program.pid]['frozen']
        # A released thread reports its next stop after some time.
        wait_for(lambda: set(states(program.pid)) == {'T'}, 'it is still stopped')
        os.kill(program.pid, signal.SIGCONT)
        wait_for(lambda: 'T' not in states(program.pid), 'it goes on')


@test
def one_with_a_debugger_is_refused(heap):
    with churn(heap) as program:
        program.wait_until_ready()
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.ptrace(PTRACE_SEIZE, program.pid, 0, 0) != 0:
            print('skipped: processes cannot be traced')
            return
        done = heap.call('snapshot', '--freeze', '-o', heap.path('x.fxt'), status=1)
        assert f'process {program.pid} cannot be stopped: ' in done.stderr, done.stderr
        assert not os.path.exists(heap.path('x.fxt'))
        goes_on(program.pid)


@test
def of_one_that_has_ended_nothing_is_stopped(heap):
    with Program(heap.command(heap.program('heap_steps'), 'threads')) as program:
        program.wait_until_ready()
        program.kill()
        event = heap.snapshot('--freeze').events[program.pid]
        assert 'frozen' not in event and not event['running'], event


main()
