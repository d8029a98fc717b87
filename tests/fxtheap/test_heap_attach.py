#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtheap attach and detach: programs that were not started by fxtheap, while they run.

test_heap_attach.py BUILD_DIR [TEST...]
"""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time

from heaps import Heap, Program, main, preloaded, test
from patience import wait_for
import patience

N_THREADS = 4
PTRACE_SEIZE = 0x4206


def is_supported(heap):
    """Whether attach is there, and processes can be traced."""
    if os.uname().machine != 'x86_64':
        return False
    with Program([heap.program('heap_attached'), 'wait', 'read']) as program:
        program.wait_until_ready()
        libc = ctypes.CDLL(None, use_errno=True)
        return libc.ptrace(PTRACE_SEIZE, program.pid, 0, 0) == 0


def storm(heap, program='heap_attached'):
    return Program([heap.program(program), 'storm', str(N_THREADS)])


def attach(heap, process, *options, status=0):
    return heap.call('attach', *options, str(process), status=status)


def detach(heap, process, status=0):
    done = subprocess.run([heap.fxtheap, 'detach', str(process)], stderr=subprocess.PIPE,
                          text=True, check=False)
    assert done.returncode == status, done.stderr
    return done


def states(process):
    """Of all threads that have not just ended."""
    found = []
    for thread in os.listdir(f'/proc/{process}/task'):
        try:
            with open(f'/proc/{process}/task/{thread}/stat', encoding='utf-8') as file:
                found.append(file.read().rsplit(')', 1)[1].split()[0])
        except FileNotFoundError:
            pass
    return found


def mappings(process):
    """The lines of files that are no table, but for the heap and the stack, which grow."""
    with open(f'/proc/{process}/maps', encoding='utf-8') as file:
        return [line for line in file.read().splitlines()
                if '/' in line and 'libfxtheap' not in line and '/fxtheap.' not in line]


def writable_words(process):
    """All that relocations may have been applied to: data of modules that has been made
    read-only, which nothing but an attach changes."""
    found = {}
    with open(f'/proc/{process}/mem', 'rb') as memory:
        lines = mappings(process)
        for line, following in zip(lines, lines[1:]):
            fields, after = line.split(None, 5), following.split(None, 5)
            if fields[1] != 'r--p' or after[1] != 'rw-p' or fields[5] != after[5]:
                continue
            start, limit = (int(part, 16) for part in fields[0].split('-'))
            memory.seek(start)
            found[fields[0], fields[5]] = memory.read(limit - start)
    assert found
    return found


def settle(program):
    """Ends the storm: the numbers of blocks and bytes that it has kept."""
    program.resume()
    return tuple(map(int, program.process.stdout.readline().split()))


def attach_to_the_end(heap, program):
    attach(heap, program.pid)
    expected = settle(program)
    event = heap.snapshot().events[program.pid]
    assert (event['objects'], event['bytes']) == expected, (event, expected)
    program.resume()
    program.end()


def by_function(heap, function, name='snap.fxt'):
    """Blocks and bytes of stacks with a function, and of all others in the program."""
    def total(kind):
        stacks = heap.folded(name, '--value', kind)
        mine = {stack: n for stack, n in stacks.items() if function in stack}
        return sum(mine.values()), sum(stacks.values()) - sum(mine.values())
    return tuple(zip(total('objects'), total('bytes')))


@test
def blocks_since_then_are_counted_and_those_from_before_do_no_harm(heap):
    for name in 'heap_attached', 'heap_attached_fixed':
        check_counts(heap, name)


def check_counts(heap, name):
    with storm(heap, name) as program:
        program.wait_until_ready()
        time.sleep(0.1)
        attach(heap, program.pid)
        assert [row[:2] for row in heap.rows()] == [(str(program.pid), 'running')]
        time.sleep(0.3)
        expected = settle(program)
        archive = heap.snapshot()
        event, attached = archive.events[program.pid], archive.attached[program.pid]
        kept, _ = by_function(heap, 'keep_blocks')
        assert kept == expected, (kept, expected)
        # Whatever the storm has allocated before or since, it has freed.
        assert event['objects'] == expected[0] and event['bytes'] == expected[1], event
        assert attached['unknown_frees'] >= N_THREADS * 100, attached
        assert attached['bytes_before'] > N_THREADS * 100 * 1000, attached
        program.resume()
        program.end()
    assert heap.left() == []


@test
def words_and_protections_are_as_before_after_a_detach(heap):
    with storm(heap) as program:
        program.wait_until_ready()
        words, lines = writable_words(program.pid), mappings(program.pid)
        for _ in range(50 if patience.IS_LONG else 10):
            attach(heap, program.pid)
            assert writable_words(program.pid) != words
            detach(heap, program.pid)
            assert writable_words(program.pid) == words
            assert mappings(program.pid) == lines
        assert {row[1] for row in heap.rows()} == {'ended'}
        settle(program)
        program.resume()
        program.end()


def numbers_of_one_attach(heap, program, number):
    attach(heap, program.pid, *(['--peak'] if number % 2 else []))
    time.sleep(0.02)
    detach(heap, program.pid)


@test
def it_can_be_attached_to_again_and_again(heap):
    with storm(heap) as program:
        program.wait_until_ready()
        for number in range(50):
            numbers_of_one_attach(heap, program, number)
        attach_to_the_end(heap, program)


def kill_at(heap, process, command, moment):
    """Whether it was killed then, and had not ended before."""
    command = [heap.fxtheap, command, '-q', str(process)]
    if 'attach' in command:
        command[2:2] = ['--directory', heap.tables]
    done = subprocess.run(command, stderr=subprocess.PIPE, check=False, text=True,
                          env={**preloaded(heap.program('libheap_kill_at.so')),
                               'HEAP_KILL_AT': str(moment)})
    wait_for(lambda: not {'t', 'T'} & set(states(process)), 'all threads run')
    return done.returncode == -signal.SIGKILL


# The others may see a system call that was interrupted.
KINDS_KILLED = ['read', 'interrupted-read', 'interrupted-nanosleep', 'sigsuspend', 'futex',
                'computing', 'interrupted-computing', 'malloc', 'interrupted-malloc']


def goes_on_after_kill(heap, kind, command, moment):
    """Whether there was such a moment. The other command follows at once."""
    with Program([heap.program('heap_attached'), 'wait', kind]) as program:
        program.wait_until_ready()
        if command == 'detach':
            attach(heap, program.pid)
        is_killed = kill_at(heap, program.pid, command, moment)
        kill_at(heap, program.pid, 'attach' if command == 'detach' else 'detach', 0)
        program.resume()
        program.end()
    return is_killed


@test
def the_process_goes_on_when_fxtheap_is_killed_at_any_moment(heap):
    for command in 'attach', 'detach':
        moment = 1
        is_killed = True
        while is_killed:
            first = moment % len(KINDS_KILLED)
            kinds = KINDS_KILLED if patience.IS_LONG else KINDS_KILLED[first:first + 1]
            is_killed = all([goes_on_after_kill(heap, kind, command, moment)
                             for kind in kinds])
            moment += 1 if patience.IS_LONG else 2
        assert moment > 40, moment


@test
def a_storm_goes_on_when_fxtheap_is_killed_again_and_again(heap):
    with storm(heap) as program:
        program.wait_until_ready()
        for moment in range(1, 160, 1 if patience.IS_LONG else 15):
            for command in 'attach', 'detach':
                kill_at(heap, program.pid, command, moment)
                assert program.process.poll() is None, (moment, program.process.returncode)
        # Whatever the last one has done: it is not recorded after this.
        kill_at(heap, program.pid, 'detach', 0)
        attach_to_the_end(heap, program)


def n_waiting(process):
    """How many threads wait for a lock (system call 202)."""
    n = 0
    for thread in os.listdir(f'/proc/{process}/task'):
        with open(f'/proc/{process}/task/{thread}/syscall', encoding='utf-8') as file:
            n += file.read().startswith('202 ')
    return n


@test
def a_library_that_is_being_loaded_is_waited_for(heap):
    """By a thread that an fxtheap which was killed has left in dlopen."""
    with Program([heap.program('heap_hold'), 'loader']) as program:
        program.wait_until_ready()
        command = [heap.fxtheap, 'attach', '-q', '--directory', heap.tables,
                   str(program.pid)]
        with subprocess.Popen(command) as first:
            wait_for(lambda: n_waiting(program.pid) == 1, 'it waits for the loader')
            first.kill()
        with subprocess.Popen(command) as second:
            wait_for(lambda: second.poll() is not None or n_waiting(program.pid) == 2,
                     'both wait for the loader')
            program.resume()
            assert second.wait() == 0
        program.resume()
        program.end()


@test
def a_thread_that_stops_late_goes_on(heap):
    """It has the loader's lock, for which the one that is used waits."""
    with Program([heap.program('heap_hold'), 'late']) as program:
        program.wait_until_ready()
        command = [heap.fxtheap, 'attach', '-q', '--directory', heap.tables,
                   str(program.pid)]
        with subprocess.Popen(command) as first:
            wait_for(lambda: n_waiting(program.pid) == 1, 'it waits for the loader')
            program.resume()
            assert first.wait() == 0
        program.resume()
        program.end()


@test
def a_thread_that_stops_late_is_not_taken_for_another_tracers(heap):
    with Program([heap.program('heap_hold'), 'table']) as program:
        program.wait_until_ready()
        attach(heap, program.pid)
        program.resume()
        program.wait_until_ready('held')
        detach(heap, program.pid)
        program.resume()
        program.end()


KINDS = ['read', 'interrupted-read', 'nanosleep', 'interrupted-nanosleep', 'poll', 'pause',
         'sigsuspend', 'epoll', 'futex', 'computing', 'interrupted-computing', 'malloc',
         'interrupted-malloc']


@test
def waits_and_signals_are_as_without_it(heap):
    for kind in KINDS:
        with Program([heap.program('heap_attached'), 'wait', kind]) as program:
            program.wait_until_ready()
            for _ in range(20 if patience.IS_LONG else 5):
                attach(heap, program.pid)
                detach(heap, program.pid)
            program.resume()
            program.end()


@test
def a_program_that_only_waits_can_be_attached_to(heap):
    with subprocess.Popen(['cat'], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        wait_for(lambda: states(program.pid) == ['S'], 'it waits')
        time.sleep(0.1)
        attach(heap, program.pid)
        detach(heap, program.pid)
        output, _ = program.communicate(b'all\n')
        assert output == b'all\n' and program.returncode == 0


@test
def modules_that_are_loaded_later_are_recorded(heap):
    plugin = heap.program('libheap_loaded.so')
    with Program([heap.program('heap_attached'), 'load', plugin]) as program:
        program.wait_until_ready()
        attach(heap, program.pid)
        program.resume()
        program.wait_until_ready('loaded')
        heap.snapshot()
        (objects, size), _ = by_function(heap, 'loaded_function')
        assert (objects, size) == (7, sum(range(1000, 1007))), (objects, size)
        detach(heap, program.pid)
        program.resume()
        program.end()


@test
def sqlite_goes_on(heap):
    if shutil.which('sqlite3') is None:
        print('skipped: there is no sqlite3')
        return
    rows = "with recursive r(x) as (select 1 union all select x + 1 from r where x < 100000) "
    with Program(['sqlite3', ':memory:']) as program:
        program.process.stdin.write("select 'ready';\n")
        program.process.stdin.flush()
        program.wait_until_ready()
        attach(heap, program.pid)
        program.process.stdin.write(f"{rows} select sum(x) from r; create table t(a);\n"
                                    f"insert into t {rows} select x from r; "
                                    "select count(*) from t;\n")
        program.process.stdin.flush()
        assert [program.process.stdout.readline() for _ in range(2)] == \
            ['5000050000\n', '100000\n']
        assert int(heap.rows()[0][3]) > 100000
        detach(heap, program.pid)
        program.process.stdin.write('select 7;\n')
        program.process.stdin.close()
        assert program.process.stdout.readline() == '7\n'
        program.end()


@test
def python_and_perl_go_on(heap):
    script = 'import time\nx = []\nprint("ready", flush=True)\n' \
             'while not __import__("select").select([0], [], [], 0.0005)[0]:\n' \
             '    x.append(bytearray(5000)); x = x[-100:]\n' \
             'print("all", len(x))'
    perl = '$| = 1; print "ready\\n"; my @x; my $r = ""; vec($r, 0, 1) = 1;' \
           'until (select(my $c = $r, undef, undef, 0.0005)) {' \
           'push @x, "a" x 5000; shift @x if @x > 100; } print "all 100\\n";'
    for command in [sys.executable, '-c', script], ['perl', '-e', perl]:
        with Program(command) as program:
            program.wait_until_ready()
            time.sleep(0.1)
            for _ in range(3):
                attach(heap, program.pid)
                wait_for(lambda: int(heap.rows()[0][2]) > 0, 'blocks are recorded')
                detach(heap, program.pid)
            program.resume()
            assert program.process.stdout.readline() == 'all 100\n'
            program.end()


@test
def a_table_of_a_process_that_was_detached_from_can_be_read(heap):
    with storm(heap) as program:
        program.wait_until_ready()
        attach(heap, program.pid, '--depth', '5')
        time.sleep(0.1)
        detach(heap, program.pid)
        before = heap.snapshot().events[program.pid]
        time.sleep(0.1)
        after = heap.snapshot().events[program.pid]
        assert before['objects'] == after['objects'] > 0 and not after['running']
        settle(program)
        program.resume()
        program.end()


def refusal(heap, process, command='attach'):
    if command == 'detach':
        return detach(heap, process, status=1).stderr
    return attach(heap, process, status=1).stderr


@test
def what_cannot_be_attached_to_is_refused_with_the_reason(heap):
    with storm(heap) as program:
        program.wait_until_ready()
        assert 'it is not recorded' in refusal(heap, program.pid, 'detach')
        attach(heap, program.pid)
        assert 'already being recorded' in refusal(heap, program.pid)
        detach(heap, program.pid)
        assert 'it is not recorded' in refusal(heap, program.pid, 'detach')
        attach(heap, program.pid, '--sample', '1000')
        detach(heap, program.pid)
        assert 'with --sample' in refusal(heap, program.pid)
        attach(heap, program.pid, '--sample', '1000')
        os.kill(program.pid, signal.SIGSTOP)
        wait_for(lambda: set(states(program.pid)) == {'T'}, 'it is stopped')
        assert 'it is stopped' in refusal(heap, program.pid, 'detach')
        os.kill(program.pid, signal.SIGCONT)
        thread = next(int(thread) for thread in os.listdir(f'/proc/{program.pid}/task')
                      if int(thread) != program.pid)
        assert 'one thread of a process' in refusal(heap, thread)
        program.kill()
    assert 'there is no such process' in refusal(heap, program.pid)


@test
def one_with_a_debugger_is_refused(heap):
    with storm(heap) as program:
        program.wait_until_ready()
        libc = ctypes.CDLL(None, use_errno=True)
        assert libc.ptrace(PTRACE_SEIZE, program.pid, 0, 0) == 0
        assert 'is debugging it' in refusal(heap, program.pid)


@test
def one_that_was_started_by_fxtheap_is_refused(heap):
    with Program(heap.command(heap.program('heap_attached'), 'storm', '1')) as program:
        program.wait_until_ready()
        assert 'already being recorded' in refusal(heap, program.pid)
        assert 'was not attached to' in refusal(heap, program.pid, 'detach')


@test
def children_are_recorded_too_unless_they_are_not_to_be(heap):
    script = 'import os, sys\nprint("ready", flush=True)\nsys.stdin.readline()\n' \
             'child = os.fork()\n' \
             'x = [bytearray(5000) for i in range(100)]\n' \
             'if child == 0:\n' \
             '    os.read(0, 1); os._exit(0)\n' \
             'os.wait()'
    for options, expected in ([], 2), (['--no-children'], 1):
        with Program([sys.executable, '-c', script]) as program:
            program.wait_until_ready()
            attach(heap, program.pid, *options)
            program.resume()
            time.sleep(0.3)
            wait_for(lambda: len(heap.rows()) == expected, 'children have tables')
            program.resume()
            program.end()
        assert heap.left() == []


def run():
    """Skips all where nothing can be traced."""
    heap = Heap(sys.argv[1], '/tmp')
    supported = is_supported(heap)
    os.rmdir(heap.tables)
    if not supported:
        print('skipped: processes cannot be attached to')
        sys.exit(77)
    main()


run()
