#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""libfxtheap and fxtheap on programs that know their heaps: what is seen from outside must
be what they say.

test_heap.py BUILD_DIR [TEST...]
"""

import os
import random
import re
import signal
import struct
import subprocess
import threading
import time

import heap_table
from heaps import Program, main, needs_compiler, preloaded, test
from patience import wait_for


def known_blocks(path):
    """Address to size and thread, as a program has printed them."""
    with open(path, 'rb') as file:
        data = file.read()
    return {address: (size, thread)
            for address, size, thread, _ in struct.iter_unpack('<4Q', data)}


def compare(blocks, known, base):
    """What is there, but for what was there before, is what is known."""
    seen = {block.address: (block.size, block.thread) for block in blocks}
    assert len(seen) == len(blocks), 'an address comes twice'
    missing = {address: what for address, what in known.items() if seen.get(address) != what}
    assert not missing, f'{len(missing)} of {len(known)}, such as {list(missing.items())[:3]}'
    more = {address: what for address, what in seen.items()
            if address not in known and base.get(address) != what}
    assert not more, f'{len(more)} too many, such as {list(more.items())[:3]}'


def check_moments(heap, program, file, n_moments):
    base = None
    for _ in range(n_moments):
        program.wait_until_ready()
        blocks = heap.snapshot('--with-tags').only()
        if base is None:
            base = {block.address: (block.size, block.thread) for block in blocks}
        else:
            compare(blocks, known_blocks(file), base)
        program.resume()
    program.end()


@test
def blocks_of_c_are_exact_at_many_moments(heap):
    file = heap.path('known')
    for seed, threads in ((1, 1), (2, 4)):
        with Program(heap.command(heap.program('heap_exact'), str(seed), str(threads), '12',
                                  file)) as program:
            check_moments(heap, program, file, 13)
    assert heap.left() == [], 'programs that end leave nothing'


@test
@needs_compiler('c++')
def blocks_of_cpp_are_exact_at_many_moments(heap, compiler):
    source = os.path.join(os.path.dirname(__file__), 'programs', 'exact.cc')
    program, file = heap.path('exact_cpp'), heap.path('known')
    subprocess.run([compiler, '-std=c++17', '-O1', '-fno-omit-frame-pointer', '-pthread', '-o',
                    program, source], check=True)
    with Program(heap.command(program, file)) as running:
        check_moments(heap, running, file, 14)
    # The same without frame pointers, linked so that its operators are its own.
    subprocess.run([compiler, '-std=c++17', '-O2', '-fomit-frame-pointer', '-pthread',
                    '-static-libstdc++', '-o', program, source], check=True)
    with Program(heap.command(program, file)) as running:
        check_moments(heap, running, file, 14)


# ---- While it runs ---------------------------------------------------------------------

def read_progress(path):
    """By thread: what churn.c says of each."""
    with open(path, 'rb') as file:
        data = file.read()
    return [words[:7] for words in struct.iter_unpack('<8Q', data) if words[0] != 0]


def check_whole(blocks, threads):
    """Each block has a size that its thread gives; returns how many there are."""
    by_thread = {words[0]: i for i, words in enumerate(threads)}
    n = size = 0
    end = 0
    for block in blocks:
        assert block.address >= end, 'blocks overlap'
        end = block.address + block.size
        if block.size % 64 in range(1, len(threads) + 1) and block.thread in by_thread \
                and block.size <= 512:
            assert (block.size - 1) % 64 == by_thread[block.thread], block
            n += 1
            size += block.size
    return n, size


def bounds(before, after):
    """The least and the most blocks, and bytes, that there can have been all the time."""
    least = most = least_bytes = 0
    for b, a in zip(before, after):
        _, _, done, _, free_done, bytes_done, _ = b
        _, begun, _, free_begun, _, _, bytes_free_begun = a
        least += max(0, done - free_begun)
        most += begun - free_done
        least_bytes += max(0, bytes_done - bytes_free_begun)
    return least, most, least_bytes


@test
def ten_million_blocks_are_whole_while_snapshots_are_taken(heap):
    file = heap.path('progress')
    n_threads, n_each = 4, 2500000
    with Program(heap.command(heap.program('heap_churn'), str(n_threads), str(n_each), '20000',
                              file)) as program:
        program.wait_until_ready()
        done = threading.Event()
        ended = threading.Thread(target=lambda: (program.wait_until_ready('done'), done.set()))
        ended.start()
        n_snapshots = 0
        while not done.is_set() or n_snapshots == 0:
            before = read_progress(file)
            blocks = heap.snapshot('--with-tags').only()
            after = read_progress(file)
            least, most, least_bytes = bounds(before, after)
            n, size = check_whole(blocks, after)
            assert least <= n <= most, (least, n, most)
            assert least_bytes <= size, (least_bytes, size)
            n_snapshots += 1
        ended.join()
        # All is quiet: there is but one answer.
        progress = read_progress(file)
        n, size = check_whole(heap.snapshot('--with-tags').only(), progress)
        assert n == sum(words[2] - words[4] for words in progress)
        assert size == sum(words[5] - words[6] for words in progress)
        archive = heap.snapshot()
        total = sum(objects for objects, _, _ in archive.stacks.values())
        assert total >= n_threads * n_each, total
        event = archive.events[program.pid]
        assert event['lost_blocks'] == 0 and event['damaged'] == 0, event
        program.resume()
        program.end()
    assert n_snapshots >= 2, n_snapshots


@test
def a_block_that_is_there_all_the_time_is_seen_whatever_its_size(heap):
    with Program(heap.command(heap.program('heap_steps'), 'resizes')) as program:
        program.wait_until_ready()
        for _ in range(25):
            archive = heap.snapshot()
            found = [size for _, size in archive.groups[program.pid]]
            assert found.count(100000) + found.count(600000) == 1, archive.events
        assert program.process.poll() is None, 'its blocks stay where they are'


@test
def a_program_that_is_killed_leaves_a_table_that_can_be_read(heap):
    file = heap.path('progress')
    chance = random.Random(7)
    for _ in range(8):
        with Program(heap.command(heap.program('heap_churn'), '3', '0', '5000', file)) as program:
            program.wait_until_ready()
            time.sleep(chance.random() * 0.15)
            program.kill()
            (row,) = heap.rows()
            assert row[0] == str(program.pid) and row[1] == 'ended' and row[5] == 'heap_churn'
            archive = heap.snapshot('--by-pid', str(program.pid), '--with-tags')
            progress = read_progress(file)
            n, _ = check_whole(archive.only(), progress)
            least, most, _ = bounds(progress, progress)
            # A thread may have been between an allocation and reporting it.
            assert least - 3 <= n <= most + 3, (least, n, most)
            assert not archive.events[program.pid]['running']
            folded = heap.folded('snap.fxt')
            assert any('work' in stack for stack in folded), folded
        heap.call('list', '--clean')
        assert heap.left() == []


@test
def a_program_that_is_stopped_or_hangs_can_be_looked_at(heap):
    file = heap.path('progress')
    with Program(heap.command(heap.program('heap_churn'), '3', '0', '5000', file)) as program:
        program.wait_until_ready()
        program.process.send_signal(signal.SIGSTOP)
        time.sleep(0.05)
        progress = read_progress(file)
        first = heap.snapshot('--with-tags').only()
        assert first == heap.snapshot('--with-tags').only()
        n, _ = check_whole(first, progress)
        least, most, _ = bounds(progress, progress)
        assert least - 3 <= n <= most + 3, (least, n, most)
        assert heap.rows()[0][1] == 'running'
    with Program(heap.command(heap.program('heap_steps'), 'hang')) as program:
        program.wait_until_ready()
        blocks = heap.snapshot('--by-pid', str(program.pid), '--with-tags').only()
        assert [block.size for block in blocks].count(1234) == 1


@test
def a_program_whose_first_thread_has_ended_runs(heap):
    with Program(heap.command(heap.program('heap_steps'), 'first_thread_ends')) as program:
        program.wait_until_ready()
        assert heap.rows()[0][1] == 'running'
        heap.call('list', '--clean')
        directory = heap.path('contents')
        blocks = heap.snapshot('--with-tags', '--contents-dir', directory).only()
        (address,) = (hex(block.address) for block in blocks if block.size == 1234)
        with open(os.path.join(directory, str(program.pid), address), 'rb') as file:
            assert file.read() == b'\1' * 1234
        program.resume()
        program.end()
    assert heap.left() == []


# ---- Stacks ----------------------------------------------------------------------------

@test
def stacks_lead_to_the_allocating_function(heap):
    with Program(heap.command(heap.program('heap_steps'), 'stacks')) as program:
        program.wait_until_ready()
        heap.snapshot()
        root = f'heap_steps[{program.pid}]'

        def only(folded):
            return {stack[stack.index('main') + 1:]: value for stack, value in folded.items()
                    if 'allocate_here' in stack and stack[0] == root}

        assert only(heap.folded('snap.fxt')) == {
            ('stacks', 'outer_function', 'allocate_here'): 1000,
            ('stacks', 'other_function', 'allocate_here'): 500000}
        assert only(heap.folded('snap.fxt', '--value', 'objects')) == {
            ('stacks', 'outer_function', 'allocate_here'): 1,
            ('stacks', 'other_function', 'allocate_here'): 1}


@test
def depth_is_what_was_asked_for(heap):
    for depth in (1, 5, 128):
        with Program(heap.command(heap.program('heap_steps'), 'deep',
                                  options=('--depth', str(depth)))) as program:
            program.wait_until_ready()
            archive = heap.snapshot('--with-tags')
            (block,) = [b for b in archive.only() if b.size == 777]
            assert len(archive.stacks[program.pid, block.stack][2]) == depth
            assert archive.events[program.pid]['depth'] == depth


@test
def stacks_of_coroutines_are_walked_too(heap):
    with Program(heap.command(heap.program('heap_steps'), 'coroutine')) as program:
        program.wait_until_ready()
        heap.snapshot()
        (stack,) = [stack for stack, value in heap.folded('snap.fxt').items() if value == 1111]
        assert stack[-3:] == ('on_other_stack', 'outer_function', 'allocate_here'), stack


@test
def what_was_loaded_later_has_names_though_the_process_is_gone(heap):
    with Program(heap.command(heap.program('heap_steps'), 'loaded')) as program:
        program.wait_until_ready()
        program.kill()
    heap.snapshot()
    (stack,) = [stack for stack, value in heap.folded('snap.fxt').items() if value == 2468]
    assert stack[-3:] == ('main', 'loaded', 'loaded_function'), stack


@test
def threads_have_names(heap):
    for kill in (False, True):
        with Program(heap.command(heap.program('heap_steps'), 'threads')) as program:
            program.wait_until_ready()
            if kill:
                program.kill()
            archive = heap.snapshot('--by-pid', str(program.pid), '--with-tags')
            (block,) = [b for b in archive.only() if b.size == 4321]
            assert block.thread != program.pid
            assert archive.name(block.thread) == 'worker bee'
            assert archive.name(program.pid) == 'heap_steps'


# ---- Children --------------------------------------------------------------------------

def sizes(archive, process):
    return [block.size for block in archive.blocks[process]]


def check_child(heap, how):
    with Program(heap.command(heap.program('heap_steps'), how)) as program:
        program.wait_until_ready()
        archive = heap.snapshot('--multi-process', '--with-tags')
        (child,) = [process for process in archive.events if process != program.pid]
        assert 1000 in sizes(archive, program.pid) and 3000 not in sizes(archive, program.pid)
        assert sizes(archive, child) == [3000], 'a child has what it allocates itself'
        program.resume()
        program.wait_until_ready()
        archive = heap.snapshot('--with-tags')
        assert list(archive.events) == [program.pid], 'the child has ended'
        assert 1000 in sizes(archive, program.pid)
        program.resume()
        program.end()
    assert heap.left() == []


@test
def children_have_tables_of_their_own(heap):
    check_child(heap, 'child_of_fork')
    check_child(heap, 'child_of_clone')


@test
def children_of_vfork_do_no_harm(heap):
    with Program(heap.command(heap.program('heap_steps'), 'child_of_vfork')) as program:
        program.wait_until_ready()
        assert 1000 in sizes(heap.snapshot('--with-tags'), program.pid)
        program.resume()
        program.end()


@test
def children_may_be_left_alone(heap):
    with Program(heap.command(heap.program('heap_steps'), 'child_of_fork',
                              options=('--no-children',))) as program:
        program.wait_until_ready()
        archive = heap.snapshot('--multi-process', '--with-tags')
        assert list(archive.events) == [program.pid]
        assert 1000 in sizes(archive, program.pid)
        program.resume()
        program.wait_until_ready()
        program.resume()
        program.end()
    show = ['sh', '-c', 'echo "$LD_PRELOAD"; ls "$0"; exec ls "$0"', heap.tables]
    env = {**os.environ, 'LD_PRELOAD': 'libm.so.6'}
    done = subprocess.run(heap.command(*show, options=('--no-children',)), env=env, check=True,
                          stdout=subprocess.PIPE, text=True)
    # The list is as it was without us, and what sh starts is not instrumented: of the two
    # lists the first has the table of sh, the second that of a process that has ended.
    assert done.stdout.splitlines()[0] == 'libm.so.6', done.stdout
    heap.call('list', '--clean')


@test
def a_program_that_executes_another_has_its_tables_replaced(heap):
    command = ['sh', '-c', 'exec "$0" stacks', heap.program('heap_steps')]
    with Program(heap.command(*command)) as program:
        program.wait_until_ready()
        (row,) = heap.rows()
        assert row[0] == str(program.pid) and row[5] == 'heap_steps'
        program.resume()
        program.wait_until_ready()
        program.resume()
        program.end()
    # One that is not instrumented leaves the table of the one before: it is stale.
    command = ['sh', '-c', 'unset LD_PRELOAD; exec cat']
    with Program(heap.command(*command)) as program:
        wait_for(lambda: os.readlink(f'/proc/{program.pid}/exe').endswith('/cat'), 'exec')
        assert [row[1] for row in heap.rows()] == ['ended']
        heap.call('list', '--clean')
        assert heap.left() == []


@test
def programs_that_leave_by_exit_leave_nothing(heap):
    done = subprocess.run(heap.command(heap.program('heap_steps'), 'end_by_exit'))
    assert done.returncode == 3
    assert heap.left() == []


# ---- Choosing --------------------------------------------------------------------------

@test
def one_process_must_match(heap):
    done = heap.call('snapshot', '-o', heap.path('none.fxt'), status=1)
    assert done.stderr == 'fxtheap: there is no instrumented process: see fxtheap run\n'
    with Program(heap.command(heap.program('heap_steps'), 'stacks')) as one, \
            Program(heap.command(heap.program('heap_steps'), 'deep')) as two:
        one.wait_until_ready()
        two.wait_until_ready()
        pids = sorted((one.pid, two.pid))
        both = f'{pids[0]} (heap_steps), {pids[1]} (heap_steps)'
        done = heap.call('snapshot', '-o', heap.path('none.fxt'), status=1)
        assert f'2 processes match: {both};' in done.stderr, done.stderr
        done = heap.call('snapshot', '--by-name', 'heap_steps', '-o', heap.path('none.fxt'),
                         status=1)
        assert f'2 processes match: {both};' in done.stderr, done.stderr
        done = heap.call('snapshot', '--by-name', 'nobody', '-o', heap.path('none.fxt'), status=1)
        assert f'no process matches; there are {both}' in done.stderr, done.stderr
        assert not os.path.exists(heap.path('none.fxt'))
        assert list(heap.snapshot('--by-pid', str(two.pid)).events) == [two.pid]
        archive = heap.snapshot('--multi-process')
        assert sorted(archive.events) == pids
        assert sorted(archive.groups) == pids
        assert {row[0] for row in heap.rows()} == {str(pid) for pid in pids}
        # One that was killed is of no interest as long as another one runs.
        two.kill()
        assert list(heap.snapshot('--by-name', 'heap_steps').events) == [one.pid]
        assert list(heap.snapshot('--by-pid', str(two.pid)).events) == [two.pid]
        one.kill()
        assert len(heap.rows()) == 2


@test
def the_list_counts_what_is_live(heap):
    with Program(heap.command(heap.program('heap_steps'), 'stacks')) as program:
        program.wait_until_ready()
        ((_, state, objects, size, counts, name, *_),) = heap.rows()
        assert (state, counts, name) == ('running', 'exact', 'heap_steps')
        blocks = heap.snapshot('--with-tags').only()
        assert int(objects) == len(blocks) and int(size) == sum(b.size for b in blocks)


@test
def contents_are_what_the_program_has_in_its_blocks(heap):
    with Program(heap.command(heap.program('heap_steps'), 'stacks')) as program:
        program.wait_until_ready()
        directory = heap.path('contents')
        blocks = heap.snapshot('--with-tags', '--contents-dir', directory).only()
        own = os.path.join(directory, str(program.pid))
        assert os.stat(own).st_mode & 0o777 == 0o700
        assert sorted(os.listdir(own)) == sorted(hex(b.address) for b in blocks)
        for block in blocks:
            with open(os.path.join(own, hex(block.address)), 'rb') as file:
                content = file.read()
            assert len(content) == block.size
            if block.size in (1000, 500000):
                assert content == b'\1' * block.size
        done = heap.call('snapshot', '--contents-dir', directory, '-o', heap.path('again.fxt'),
                         status=1)
        assert 'File exists' in done.stderr
        program.kill()
        done = heap.call('snapshot', '--contents-dir', heap.path('more'), '-o',
                         heap.path('again.fxt'), status=1)
        assert 'cannot be read' in done.stderr, done.stderr


@test
def stale_tables_are_cleaned_up(heap):
    with Program(heap.command(heap.program('heap_steps'), 'stacks')) as program:
        program.wait_until_ready()
        (name,) = heap.left()
        path = os.path.join(heap.tables, name)
        heap.call('list', '--clean')
        assert heap.left() == [name], 'its process runs'
        assert os.stat(path).st_mode & 0o777 == 0o600
        program.kill()
    heap.call('list')
    assert os.stat(path).st_mode & 0o777 == 0o400, 'it was seen to be stale'
    heap.call('list')
    assert heap.left() == [name], 'it was seen a moment ago'
    long_ago = time.time() - 700
    os.utime(path, (long_ago, long_ago))
    heap.snapshot_status = heap.call('snapshot', '-o', heap.path('late.fxt'), status=1)
    assert heap.left() == []
    with open(os.path.join(heap.tables, '.fxtheap.4194304'), 'w'):
        heap.call('list')
        assert heap.left() == ['.fxtheap.4194304'], 'it is being written'
    heap.call('list')
    assert heap.left() == [], 'an unfinished snapshot remains'


# ---- Around it -------------------------------------------------------------------------

@test
def a_program_may_bind_it_by_itself(heap):
    with Program([heap.program('heap_bound'), heap.tables]) as program:
        program.wait_until_ready()
        found = sizes(heap.snapshot('--with-tags'), program.pid)
        assert 2222 in found and 1000 not in found, found
        program.resume()
        program.end()
    assert heap.left() == []


@test
def signal_handlers_may_allocate_at_any_time(heap):
    allocator = os.path.join(heap.programs, 'libheap_simple_malloc.so')
    env = preloaded(allocator)
    with Program(heap.command(heap.program('heap_steps'), 'signals'), env=env) as program:
        program.wait_until_ready()
        archive = heap.snapshot('--with-tags')
        found = sizes(archive, program.pid)
        # Nothing is left of thousands of blocks that came and went, in whatever order.
        assert found.count(1000) == 1 and found.count(100) == found.count(200) == 0, found
        assert archive.events[program.pid]['lost_blocks'] == 0
        program.resume()
        program.end()


@test
def programs_may_free_before_they_allocate(heap):
    for options, variables in (((), {}), (('--sample', '512K'), {}), (('--no-children',), {}),
                               (None, {'FXTHEAP_SAMPLE': 'some'})):
        command = [heap.program('heap_steps'), 'frees_first']
        if options is None:
            variables.update(preloaded(heap.library))
        else:
            command = heap.command(*command, options=options)
        with Program(command, env={**os.environ, **variables}) as program:
            program.wait_until_ready()
            program.resume()
            program.end()


@test
def a_table_that_is_full_is_counted_and_the_program_continues(heap):
    file = heap.path('progress')
    with Program(heap.command(heap.program('heap_churn'), '2', '20000', '10000', file,
                              options=('--blocks', '1K'))) as program:
        program.wait_until_ready()
        program.wait_until_ready('done')
        done = heap.call('snapshot', '-o', heap.path('snap.fxt'))
        assert 'blocks lost, as the table had no room' in done.stderr, done.stderr
        assert heap.rows()[0][4] == 'partial'
        archive = heap.snapshot('--with-tags')
        event = archive.events[program.pid]
        progress = read_progress(file)
        assert 0 < event['objects'] <= 1024 and event['lost_blocks'] > 0
        assert event['objects'] + event['lost_blocks'] >= sum(p[2] - p[4] for p in progress)
        check_whole(archive.only(), progress)
        program.resume()
        program.end()


@test
def tables_of_other_users_are_reported(heap):
    if os.geteuid() != 0:
        print('skipped: this takes two users')
        return
    with Program(heap.command(heap.program('heap_steps'), 'stacks')) as program:
        program.wait_until_ready()
        os.chmod(heap.tables, 0o755)
        try:
            done = subprocess.run([heap.fxtheap, 'snapshot', '--directory', heap.tables,
                                   '-o', '/dev/null'], stderr=subprocess.PIPE, text=True,
                                  user=65534)
        except PermissionError:
            print('skipped: another user may not go where this was built')
            return
        assert done.returncode == 1 and 'tables of other users' in done.stderr, done.stderr
        assert 'no instrumented process' not in done.stderr


def process_start(process):
    with open(f'/proc/{process}/stat', encoding='utf-8') as file:
        return file.read().rsplit(')', 1)[1].split()[19]


@test
def names_that_another_user_has_taken_do_not_matter(heap):
    """In a directory like /dev/shm, where nobody can remove what belongs to others."""
    if os.geteuid() != 0:
        print('skipped: this takes two users')
        return
    command = heap.command(heap.program('heap_steps'), 'stacks')
    if subprocess.run(['test', '-x', command[0], '-a', '-r', heap.library], user=65534,
                      check=False).returncode != 0:
        print('skipped: another user may not go where this was built')
        return
    os.chmod(heap.tables, 0o1777)
    with Program(['sh', '-c', 'read go; exec "$@"', 'sh', *command], user=65534) as program:
        taken = [f'.fxtheap.{program.pid}', f'fxtheap.{program.pid}.{process_start(program.pid)}']
        open(os.path.join(heap.tables, taken[0]), 'w').close()
        os.mkdir(os.path.join(heap.tables, taken[1]))
        try:
            program.resume()
            program.wait_until_ready()
            (own,) = set(heap.left()) - set(taken)
            assert re.fullmatch(re.escape(taken[1]) + r'\.\d+', own), own
            assert heap.snapshot().events[program.pid]['objects'] > 0
        finally:
            os.rmdir(os.path.join(heap.tables, taken[1]))


@test
def a_program_with_few_addresses_has_a_smaller_table(heap):
    for kib in 500000, 100000:
        command = ['sh', '-c', f'ulimit -v {kib}; exec "$0" stacks', heap.program('heap_steps')]
        with Program(heap.command(*command)) as program:
            program.wait_until_ready()
            archive = heap.snapshot('--with-tags')
            assert archive.events[program.pid]['lost_blocks'] == 0
            assert {1000, 500000} <= set(sizes(archive, program.pid))
            program.kill()
        heap.call('list', '--clean')


@test
def a_table_grows_with_its_blocks_and_not_with_their_distance(heap):
    with Program(heap.command(heap.program('heap_steps'), 'far_apart')) as program:
        program.wait_until_ready()
        (name,) = heap.left()
        size = os.stat(os.path.join(heap.tables, name)).st_blocks * 512
        blocks = [block for block in heap.snapshot('--with-tags').only() if block.size == 60000]
        assert len(blocks) == 20000 and size < 64 * 20000 + (2 << 20), (len(blocks), size)
        program.resume()
        program.end()


@test
def where_no_table_can_be_made_the_program_runs_all_the_same(heap):
    env = {**preloaded(heap.library), 'FXTHEAP_DIRECTORY': '/nonexistent'}
    done = subprocess.run(['echo', 'hello'], env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stdout) == (0, 'hello\n')
    assert done.stderr == 'libfxtheap: the table cannot be created: nothing is recorded\n'
    env['FXTHEAP_DEPTH'] = '-1'
    done = subprocess.run(['echo', 'hello'], env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stdout) == (0, 'hello\n')
    assert 'out of range' in done.stderr


# ---- Damage ----------------------------------------------------------------------------

@test
def the_first_version_can_be_read_for_ever(heap):
    data = os.path.join(os.path.dirname(__file__), '..', 'data', 'heap_v1.bin')
    with open(data, 'rb') as file:
        heap.put_table(file.read())
    (row,) = heap.rows()
    assert row == (str(heap_table.PROCESS), 'ended', '4', '350', 'partial', 'golden', 3,
                   4), row
    archive = heap.snapshot('--with-tags')
    assert [block[:2] + block[3:] for block in archive.only()] == [
        (0x10000, 100, heap_table.PROCESS, 10), (0x20000, 200, 77, 11), (0x30000, 50, 77, 13),
        (0x40000, 0, heap_table.PROCESS, 14)]
    assert [block.stack for block in archive.only()] == [1, 2, 2, 0]
    assert archive.stacks == {(heap_table.PROCESS, 1): (5, 500, (0x401001, 0x402002)),
                              (heap_table.PROCESS, 2): (7, 700, (0x403003,))}
    event = archive.events[heap_table.PROCESS]
    assert (event['objects'], event['bytes'], event['replaced'], event['lost_blocks']) == \
        (4, 350, 2, 3)
    assert archive.name(77) == 'worker'
    (mapping,) = [r for r in archive.records if r.get('profiler') == 'mapping']
    assert mapping['start'] == '0x401000', mapping
    assert heap.call('snapshot', '-o', heap.path('snap.fxt')).stderr == (
        f'fxtheap: process {heap_table.PROCESS}: 4 objects, 350 bytes\n'
        f'fxtheap: process {heap_table.PROCESS}: 3 blocks lost, as the table had no room: '
        'see --blocks\n'
        f'fxtheap: process {heap_table.PROCESS}: 4 blocks recorded without a stack\n')


@test
def damaged_tables_are_errors_and_no_crashes(heap):
    with Program(heap.command(heap.program('heap_steps'), 'stacks',
                              options=('--blocks', '1K'))) as program:
        program.wait_until_ready()
        program.kill()
    (name,) = heap.left()
    path = os.path.join(heap.tables, name)
    with open(path, 'rb') as file:
        whole = file.read(1 << 17)
        size = os.fstat(file.fileno()).st_size
    chance = random.Random(11)

    def try_with(data, length):
        os.unlink(path)
        with open(path, 'wb') as file:
            file.write(data)
            file.truncate(length)
        listed = subprocess.run([heap.fxtheap, 'list', '--directory', heap.tables],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        taken = subprocess.run([heap.fxtheap, 'snapshot', '--directory', heap.tables, '-o',
                                heap.path('damaged.fxt'), '--with-tags'],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert listed.returncode in (0, 1) and taken.returncode in (0, 1), (listed, taken)
        assert taken.returncode == 0 or taken.stderr, 'an error has a reason'
        assert b'no instrumented process' not in taken.stderr
        if b'no table can be read' in taken.stderr:
            assert listed.returncode == 1 and listed.stderr, listed
        return taken.stderr.decode()

    assert 'fxtheap: process' in try_with(whole, size)
    assert 'it is too short' in try_with(b'', 0)
    assert 'wrong magic number' in try_with(b'x' * 8 + whole[8:], size)
    assert 'another byte order' in try_with(whole[7::-1] + whole[8:], size)
    assert 'version 5, which is newer' in try_with(whole[:8] + b'\5' + whole[9:], size)
    assert 'version 3, which no release' in try_with(whole[:8] + b'\3' + whole[9:], size)
    assert 'ends inside its header' in try_with(whole[:100], 100)
    assert 'not inside the file' in try_with(whole, 1 << 17)
    assert 'not of the process' in try_with(whole[:24] + b'\1\2\3\4' + whole[28:], size)
    for _ in range(40):
        data = bytearray(whole)
        for _ in range(1 << chance.randrange(12)):
            data[chance.randrange(16, len(data))] = chance.randrange(256)
        try_with(bytes(data), size)


if __name__ == '__main__':
    main()
