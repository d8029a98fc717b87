#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtheap run --at-exit: what programs leave, however they end, and what happens to their
tables.

test_heap_at_exit.py BUILD_DIR [TEST...]
"""

import collections
import os
import signal
import subprocess
import time

from heaps import Archive, Program, main, test
from patience import wait_for
import patience

LEFT = {1000: 3, 70000: 1}


def run(heap, *command, options=(), name='left.fxt', **how):
    path = heap.path(name)
    done = subprocess.run(heap.command(*command, options=('--at-exit', path, *options)),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)
    return done


def archive(heap, name='left.fxt'):
    return Archive(heap.tool('fxtdump'), heap.path(name))


def sizes(groups):
    """How many blocks of each size that the program has allocated itself."""
    counts = collections.Counter()
    for (_, size), count in groups.items():
        if size in (1000, 2000, 70000) or 5000 <= size < 6000:
            counts[size] += count
    return dict(counts)


def leave(heap, *arguments, **how):
    return run(heap, heap.program('heap_leave'), *arguments, **how)


@test
def what_is_left_does_not_depend_on_how_a_program_ends(heap):
    for end, status, left in (('exit', 3, LEFT), ('_exit', 3, {**LEFT, 2000: 1}),
                              ('quick_exit', 3, {**LEFT, 2000: 1}),
                              ('exit_group', 3, {**LEFT, 2000: 1}),
                              ('abort', 134, {**LEFT, 2000: 1}),
                              ('kill', 137, {**LEFT, 2000: 1})):
        done = leave(heap, end)
        assert done.returncode == status, (end, done)
        assert 'left.fxt: ' in done.stderr and 'left by 1 process\n' in done.stderr, done.stderr
        found = archive(heap)
        (process, event), = found.events.items()
        assert event['running'] is False and event['lost_blocks'] == 0
        assert sizes(found.groups[process]) == left, (end, found.groups)
        assert found.name(process) == 'heap_leave'
        assert heap.left() == [], end
    folded = heap.folded('left.fxt')
    assert sum(n for stack, n in folded.items() if 'leave_small' in stack) == 3000, folded
    assert sum(n for stack, n in folded.items() if 'leave_large' in stack) == 70000, folded
    assert any('main' in stack for stack in folded)


@test
def blocks_have_times_and_threads_with_tags(heap):
    done = leave(heap, 'exit', options=('--with-tags', '-q'))
    assert (done.returncode, done.stderr) == (3, ''), done
    small = [block for block in archive(heap).only() if block.size == 1000]
    assert len(small) == 3 and len({block.thread for block in small}) == 1
    assert all(block.time > 0 for block in small)


@test
def a_program_that_executes_another_is_that_one(heap):
    done = leave(heap, 'exec', heap.program('heap_leave'), '_exit')
    assert done.returncode == 3, done
    (groups,) = archive(heap).groups.values()
    assert sizes(groups) == {**LEFT, 2000: 1}
    # One that is not recorded leaves what was there before it.
    done = leave(heap, 'exec', '/usr/bin/env', '-u', 'LD_PRELOAD', 'sh', '-c', 'exit 4')
    assert done.returncode == 4, done
    assert heap.left() == []


@test
def children_are_in_the_same_archive(heap):
    done = leave(heap, 'children', '10', '3')
    assert done.returncode == 3, done.stderr
    assert 'left by 11 processes\n' in done.stderr, done.stderr
    found = archive(heap)
    assert len(found.events) == 11
    left = collections.Counter()
    for groups in found.groups.values():
        left.update(sizes(groups))
    # Those that exited, were killed or aborted, two of each; two have executed the program.
    assert left == {1000: 3 * 3, 70000: 3, 5000: 1, 5005: 1, 5001: 1, 5006: 1, 5004: 1,
                    5009: 1}, left
    assert heap.left() == []
    done = leave(heap, 'children', '10', '3', options=('--no-children',))
    assert 'left by 1 process\n' in done.stderr, done.stderr
    (groups,) = archive(heap).groups.values()
    assert sizes(groups) == LEFT


@test
def a_child_that_still_runs_is_in_it_and_is_not_disturbed(heap):
    path = heap.path('left.fxt')
    command = heap.command(heap.program('heap_leave'), 'daemon', options=('--at-exit', path))
    with Program(command) as program:
        program.wait_until_ready()
        program.end(3)
    found = archive(heap)
    (child,) = [process for process, event in found.events.items() if event['running']]
    assert len(found.events) == 2 and child != program.pid
    assert sizes(found.groups[child]) == {5000: 1}
    ((pid, state, *_),) = heap.rows()
    assert (pid, state) == (str(child), 'running')
    assert sizes(heap.snapshot().groups[child]) == {5000: 1}
    os.kill(child, signal.SIGKILL)
    wait_for(lambda: heap.rows()[0][1] == 'ended', 'the end of the child')
    heap.call('list', '--clean')
    heap.call('list')
    assert heap.left() == []


@test
def another_fxtheap_finds_the_processes_and_removes_nothing(heap):
    path = heap.path('left.fxt')
    command = heap.command(heap.program('heap_leave'), 'wait', options=('--at-exit', path))
    with Program(command) as program:
        program.wait_until_ready()
        ((pid, state, *_),) = heap.rows()
        assert state == 'running' and pid != str(program.pid)
        assert sizes(heap.snapshot().groups[int(pid)]) == {**LEFT, 2000: 1}
        # The table of a killed process is its own fxtheap's.
        program.process.send_signal(signal.SIGSTOP)
        os.kill(int(pid), signal.SIGKILL)
        wait_for(lambda: heap.rows()[0][1] == 'ended', 'the end of the process')
        heap.call('list', '--clean')
        assert len(heap.rows()) == 1
        program.process.send_signal(signal.SIGCONT)
        program.end(137)
    (groups,) = archive(heap).groups.values()
    assert sizes(groups) == {**LEFT, 2000: 1}
    assert heap.left() == []


@test
def signals_that_are_sent_to_fxtheap_reach_the_command(heap):
    path = heap.path('left.fxt')
    command = heap.command(heap.program('heap_leave'), 'wait', options=('--at-exit', path))
    for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1:
        # What is ignored here, as by nohup, would be in the command.
        before = signal.signal(number, signal.SIG_DFL)
        with Program(command) as program:
            signal.signal(number, before)
            program.wait_until_ready()
            program.process.send_signal(number)
            program.end(128 + number)
        (groups,) = archive(heap).groups.values()
        assert sizes(groups) == {**LEFT, 2000: 1}
        assert heap.left() == []


@test
def a_killed_fxtheap_leaves_the_command_alone(heap):
    command = heap.command(heap.program('heap_leave'), 'wait',
                           options=('--at-exit', heap.path('left.fxt')))
    with Program(command) as program:
        program.wait_until_ready()
        ((pid, *_),) = heap.rows()
        program.kill()
        assert heap.rows()[0][:2] == (pid, 'running')
        os.kill(int(pid), signal.SIGTERM)
        wait_for(lambda: not heap.rows() or heap.rows()[0][1] == 'ended', 'its end')
        heap.call('list', '--clean')
        heap.call('list')
    assert heap.left() == [] and not os.path.exists(heap.path('left.fxt'))


@test
def what_cannot_be_run_or_written_is_an_error(heap):
    done = run(heap, '/nonexistent')
    assert done.returncode == 127 and 'No such file' in done.stderr, done
    done = run(heap, '/')
    assert done.returncode == 126 and 'Permission denied' in done.stderr, done
    assert not os.path.exists(heap.path('left.fxt'))
    done = run(heap, 'touch', heap.path('ran'), name='missing/left.fxt')
    assert done.returncode == 1 and 'missing/left.fxt' in done.stderr, done
    assert not os.path.exists(heap.path('ran')), 'it is known before the command runs'
    for options, why in ((('--at-exit', '-'), 'takes a file'), (('-q',), 'are for --at-exit'),
                         (('--at-exit', 'x.svg'), 'fxt2folded -o x.svg x.fxt')):
        done = subprocess.run(heap.command('true', options=options), stderr=subprocess.PIPE,
                              text=True)
        assert done.returncode == 2 and why in done.stderr, done
    env = {**os.environ, 'FXTHEAP_DIRECTORY': '/nonexistent'}
    done = run(heap, '/usr/bin/env', '-i', 'sh', '-c', 'exit 0', env=env)
    assert done.returncode == 0, 'env itself has left a table'
    assert heap.left() == []


@test
def a_storm_of_children_and_kills_loses_nothing(heap):
    """Children end in all ways while others begin, while the tables are read."""
    n = 300 if patience.IS_LONG else 60
    done = leave(heap, 'children', str(n), '20')
    assert done.returncode == 3 and f'left by {n + 1} processes\n' in done.stderr, done.stderr
    left = collections.Counter()
    found = archive(heap)
    for groups in found.groups.values():
        left.update(sizes(groups))
    assert left[1000] == 3 * (n // 5 + 1) and left[70000] == n // 5 + 1
    assert all(left[5000 + i] == (i % 5 not in (2, 3)) for i in range(n)), left
    assert heap.left() == []


@test
def a_table_that_is_replaced_while_it_is_read_is_not_lost(heap):
    """Between two programs of a process, none has its table mapped."""
    program = heap.program('heap_leave')
    done = run(heap, 'sh', '-c', ' & '.join([f'"{program}" again 100'] * 4) + '; wait')
    assert done.returncode == 0, done.stderr
    found = archive(heap)
    left = [sizes(groups) for groups in found.groups.values() if sizes(groups)]
    assert left == [LEFT] * 4, left
    assert heap.left() == []


@test
def killed_at_any_moment_nothing_stays_for_ever(heap):
    command = heap.command(heap.program('heap_leave'), 'children', '40', '10',
                           options=('--at-exit', heap.path('left.fxt')))
    for i in range(100 if patience.IS_LONG else 12):
        with subprocess.Popen(command, stderr=subprocess.DEVNULL,
                              start_new_session=True) as program:
            time.sleep(i % 12 * 0.02)
            program.kill()
            program.wait()
            # The command goes on to its end, and others of its group with it.
            wait_for(lambda: not group_lives(program.pid), 'the end of the command')
        heap.call('list', '--clean')
        heap.call('list', '--clean')
        assert heap.left() == [], (i, heap.left())


def group_lives(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


if __name__ == '__main__':
    main()
