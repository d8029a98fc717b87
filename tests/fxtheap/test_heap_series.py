#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtheap run --every: series of points, against what the program says that it had; with
processes that end, fork and call exec, and with a fxtheap that is killed.

test_heap_series.py BUILD_DIR [TEST...]
"""

import collections
import gzip
import json
import os
import random
import subprocess
import time

import html_read
import patience
import pprof_read
from heaps import main, test
from patience import wait_for

State = collections.namedtuple('State', 'begin end bytes blocks alloc_bytes alloc_blocks')
Point = collections.namedtuple('Point', 'number time_ns processes live_bytes live_blocks '
                                        'allocated_bytes allocated_blocks shown')

# A busy machine lets the reader wait between two looks at a table.
SLACK_NS = 300_000_000
NOTHING = State(0, 0, 0, 0, 0, 0)


def run(heap, *command, every='50ms', options=(), status=0, name='series.fxt'):
    path = heap.path(name)
    done = subprocess.run(
        heap.command(*command, options=('--at-exit', path, '--every', every, *options)),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == status, done
    return done


def grow(heap, steps, milliseconds, **how):
    done = run(heap, heap.program('heap_grow'), str(steps), str(milliseconds),
               heap.path('log'), **how)
    return states(heap), done


def grow_until(n_points, heap, steps, milliseconds, **how):
    """Again and slower until there are so many points: a busy machine leaves some out."""
    end = time.monotonic() + patience.SECONDS
    log, done = grow(heap, steps, milliseconds, **how)
    while len(points(heap)) < n_points:
        assert time.monotonic() < end, points(heap)
        milliseconds *= 2
        log, done = grow(heap, steps, milliseconds, **how)
    return log, done


def states(heap):
    with open(heap.path('log')) as file:
        return [State(*map(int, line.split())) for line in file]


def tool(heap, name, *arguments, status=0):
    done = subprocess.run([heap.tool(name), *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    assert done.returncode == status, (name, arguments, done)
    return done


def report(heap, *options, name='series.fxt'):
    return json.loads(tool(heap, 'fxtreport', '-q', '--json', *options, heap.path(name)).stdout)


def points_of(shown):
    return [Point(*(point[key] for key in ('point', 'time_ns', 'processes', 'live_bytes',
                                           'live_blocks', 'allocated_bytes',
                                           'allocated_blocks', 'shown')))
            for point in shown['points']]


def points(heap, name='series.fxt'):
    return points_of(report(heap, name=name))


def records(heap, name='series.fxt'):
    done = tool(heap, 'fxtdump', '--json', '--strict', heap.path(name))
    return [json.loads(line) for line in done.stdout.splitlines()]


def arguments(record):
    return {argument['name']: argument['value'] for argument in record['args']}


def events(heap, name='series.fxt'):
    """The events that end the points, and the counters before them."""
    found = [record for record in records(heap, name)
             if record['type'] == 'event' and record['category'] == 'heap']
    assert [record['name'] for record in found] == ['heap', 'point', 'recording'] * \
        (len(found) // 3)
    for end, recording in zip(found[1::3], found[2::3]):
        assert arguments(recording)['point'] == arguments(end)['point']
        assert arguments(recording)['from_ns'] == arguments(end)['start_ns']
    return found[1::3], found[::3]


def amounts(point):
    return (point.live_bytes, point.live_blocks, point.allocated_bytes, point.allocated_blocks)


def moments(step, before):
    """What the program has within a step, and at its end."""
    n, bytes_each, short = before.blocks, 1000, 300
    allocated, n_allocated = before.alloc_bytes, before.alloc_blocks
    for i in range(1, step + 1):
        yield ((n + i) * bytes_each, n + i, allocated + i * bytes_each, n_allocated + i)
    n, allocated = n + step, allocated + step * bytes_each + short
    n_allocated += step + 1
    yield (n * bytes_each + short, n + 1, allocated, n_allocated)
    for i in range(step if step % 3 == 0 else 1):
        yield ((n - i) * bytes_each, n - i, allocated, n_allocated)


def is_one_of(found, allowed):
    """What is live is read before what was allocated: there may be a step in between."""
    return found[:2] in {moment[:2] for moment in allowed} and \
        found[2:] in {moment[2:] for moment in allowed}


def was_so(log, time_ns, found):
    """Whether the program had that at a time, or a little earlier."""
    ends = [state.begin for state in log[1:]] + [2**63]
    around = [moment for i, (before, state, end) in enumerate(zip([NOTHING, *log], log, ends))
              if state.begin <= time_ns and end >= time_ns - SLACK_NS
              for moment in moments(i + 1, before)]
    if log[0].begin >= time_ns - SLACK_NS:
        around.append(NOTHING[2:])
    return is_one_of(found, around)


@test
def each_point_is_what_the_program_had(heap):
    log, done = grow_until(8, heap, 12, 60)
    found = points(heap)
    ends, counters = events(heap)
    assert len(found) == len(ends), found
    assert f'{len(found)} points; {log[-1].blocks} objects, {log[-1].bytes} bytes left by 1 ' \
        'process\n' in done.stderr, done.stderr
    for i, (point, end, counter) in enumerate(zip(found, ends, counters)):
        said = arguments(end)
        assert point.number == said['point'] == i + 1 and said['processes'] == 1
        assert said['running'] == (i + 1 < len(found))
        assert was_so(log, end['timestamp'], amounts(point)), (point, log)
        assert tuple(arguments(counter).values()) == amounts(point)
        assert end['timestamp'] - said['start_ns'] == point.time_ns
        assert point.shown == (i + 1 == len(found))
    assert amounts(found[-1]) == log[-1][2:]
    assert len({amounts(point) for point in found}) >= 5, found
    times = [point.time_ns for point in found]
    assert times == sorted(times) and times[-1] > 12 * 60_000_000, times


@test
def a_point_by_size_is_written_when_the_heap_has_changed_by_that(heap):
    log, _ = grow_until(10, heap, 24, 40, every='16K')
    found = points(heap)
    ends, _ = events(heap)
    for point, end in zip(found, ends):
        assert was_so(log, end['timestamp'], amounts(point)), (point, log)
    last = n = 0
    for state in log:
        if abs(state.bytes - last) >= 16384:
            last = state.bytes
            n += 1
    # A point may be taken within a step, or be late; and the last one is at the end.
    assert 8 < n and n // 2 <= len(found) - 1 <= n + 4, (n, found)
    assert amounts(found[-1]) == log[-1][2:]
    # What is below the step has only that point.
    grow(heap, 3, 1, every='1M')
    assert len(points(heap)) == 1


def folded(heap, *options, name='series.fxt'):
    return {stack[1:]: n for stack, n in heap.folded(name, *options).items()}


def is_of_program(stack):
    return any(name.startswith(('grow_', 'leave_')) for name in stack)


@test
def the_last_point_is_what_a_snapshot_at_exit_has(heap):
    log, _ = grow(heap, 10, 20)
    path = heap.path('left.fxt')
    subprocess.run(heap.command(heap.program('heap_grow'), '10', '0', heap.path('log'),
                                options=('-q', '--at-exit', path)), check=True)
    assert folded(heap) == folded(heap, name='left.fxt')
    for value in 'objects', 'alloc_space', 'alloc_objects', 'temporary_objects':
        assert folded(heap, '--value', value) == folded(heap, '--value', value, name='left.fxt')
    last = len(points(heap))
    assert folded(heap, '--point', str(last)) == folded(heap)
    (stack,) = folded(heap)
    assert stack[-1] == 'grow_block' and folded(heap)[stack] == log[-1].bytes


@test
def any_point_can_be_chosen_and_two_compared(heap):
    grow_until(7, heap, 12, 40)
    found = points(heap)
    path = heap.path('series.fxt')
    for point in found:
        number = str(point.number)
        if point.live_bytes > 0:
            assert sum(folded(heap, '--point', number).values()) == point.live_bytes, point
        else:
            # Before the first allocation, at which there may be a stack already.
            done = subprocess.run([heap.tool('fxt2folded'), '--point', number, path],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            why = ('all values of inuse_space are 0', 'there are no samples')[done.returncode]
            assert done.stdout == '' and why in done.stderr, done
        assert report(heap, '--point', number)['total'] == point.live_bytes
        done = subprocess.run([heap.fxtheap, 'report', '--allow', '1G', '--point', number, path],
                              stdout=subprocess.PIPE, text=True, check=True)
        assert f'\n{point.live_bytes} bytes in {point.live_blocks} blocks left' in \
            done.stdout.replace('1 block left', '1 blocks left') or point.live_bytes == 0, done
        assert f'\n{point.allocated_bytes} bytes in {point.allocated_blocks} blocks allocated ' \
            'in ' in done.stdout or point.allocated_blocks == 0, done
    for earlier, later in (2, 7), (7, 2), (1, len(found)):
        output = heap.path('diff.pb.gz')
        tool(heap, 'fxt2pprof', '-q', '--point', f'{earlier}..{later}', '-o', output, path,
             status=0)
        for value, key in enumerate(('live_blocks', 'live_bytes', 'allocated_blocks',
                                     'allocated_bytes')):
            difference = pprof_read.fold(pprof_read.read(output), value=value)
            expected = getattr(found[later - 1], key) - getattr(found[earlier - 1], key)
            # The reader knows nothing of signs.
            assert (sum(difference.values()) - expected) % 2**64 == 0, (key, difference)
        changes = report(heap, '--point', f'{earlier}..{later}')
        assert changes['total'] == found[later - 1].live_bytes
        assert changes['before']['total'] == found[earlier - 1].live_bytes
    tool(heap, 'fxt2folded', '-q', '--point', '2..', '-o', heap.path('diff.svg'), path)
    with open(heap.path('diff.svg')) as file:
        assert 'grow_block' in file.read()


@test
def what_has_no_such_point_is_refused(heap):
    grow(heap, 3, 30)
    path = heap.path('series.fxt')
    for options, why in ((('--point', '99'), 'there is no point 99'),
                         (('--point', '1..99'), 'is no point 99'),
                         (('--point', '99..'), 'is no point 99'),
                         (('--point', '0'), "cannot be '0'"),
                         (('--point', '1..2', '--diff', path), 'no meaning with --diff'),
                         (('--point', '1..2', path), 'one file')):
        done = tool(heap, 'fxtreport', *options, path, status=2)
        assert why in done.stderr, done
    done = tool(heap, 'fxt2folded', '--point', '1..2', path, status=2)
    assert 'only with svg' in done.stderr, done
    for options, why in ((('--every', '1s'), 'needs --at-exit'),
                         (('--at-exit', path, '--every', '10'), '--every takes'),
                         (('--at-exit', path, '--every', '1us'), '--every takes'),
                         (('--at-exit', path, '--every', '18000000000s'), '--every takes'),
                         (('--at-exit', path, '--every', '0K'), '--every takes'),
                         (('--at-exit', path, '--every', '1s', '--peak'), '--peak'),
                         (('--at-exit', path, '--every', '1s', '--with-tags'), '--with-tags'),
                         (('--at-exit', path, '--every', '1M', '--sample', '1M'), '--sample')):
        done = subprocess.run(heap.command('true', options=options), stderr=subprocess.PIPE,
                              text=True)
        assert done.returncode == 2 and why in done.stderr, done
    left = heap.path('left.fxt')
    subprocess.run(heap.command(heap.program('heap_grow'), '3', '0', heap.path('log'),
                                options=('-q', '--at-exit', left)), check=True)
    done = tool(heap, 'fxtreport', '--point', '1', left, status=2)
    assert 'for series' in done.stderr, done


@test
def stacks_and_mappings_are_in_the_archive_once(heap):
    grow_until(30, heap, 8, 100, every='5ms')
    found = records(heap)
    stacks = [record for record in found if record.get('name') == 'stacks']
    assert sum(arguments(record)['entries'] for record in stacks) == 2, stacks
    kinds = collections.Counter(record['type'] for record in found)
    modules = [record for record in found if record['type'] == 'profiler']
    n = sum(record.get('name') == 'point' for record in found)
    assert len(modules) < 20 and kinds['kernel_object'] == 2, kinds
    # What does not change is not written again.
    changes = [record for record in found if record.get('name') == 'amounts']
    assert len(changes) <= 16 < n, (len(changes), n)
    assert os.path.getsize(heap.path('series.fxt')) < 6000 + 400 * n


@test
def children_are_in_it_as_they_end(heap):
    def left(name):
        return sum(n for stack, n in heap.folded(name).items() if is_of_program(stack))

    run(heap, heap.program('heap_leave'), 'children', '20', '5', every='30ms', status=3)
    path = heap.path('left.fxt')
    subprocess.run(heap.command(heap.program('heap_leave'), 'children', '20', '5',
                                options=('-q', '--at-exit', path)), stderr=subprocess.PIPE)
    ends, _ = events(heap)
    assert len({arguments(end)['heap'] for end in ends}) >= 21
    by_point = collections.Counter(arguments(end)['point'] for end in ends)
    assert all(arguments(end)['processes'] == by_point[arguments(end)['point']] for end in ends)
    assert [point.processes for point in points(heap)] == [n for _, n in sorted(by_point.items())]
    assert left('series.fxt') == left('left.fxt') > 200000, (left('series.fxt'), left('left.fxt'))
    assert heap.left() == []
    # What is allocated is that of all.
    allocated = [point.allocated_bytes for point in points(heap)]
    assert allocated == sorted(allocated)


@test
def a_program_that_executes_another_is_that_one(heap):
    run(heap, 'sh', '-c', f'sleep 0.5; exec "{heap.program("heap_leave")}" exit', every='10ms',
        status=3)
    ends, _ = events(heap)
    programs = {os.path.basename(arguments(end)['program']): arguments(end)['running']
                for end in ends if end['process'] == ends[0]['process']}
    assert list(programs) == [os.path.basename(os.path.realpath('/bin/sh')), 'heap_leave']
    assert list(programs.values()) == [True, False]
    last = {stack: n for stack, n in heap.folded('series.fxt').items() if is_of_program(stack)}
    assert sorted(last.values()) == [3000, 70000], last
    assert all(stack[0].startswith('heap_leave[') for stack in last), last
    before = max(arguments(end)['point'] for end in ends if arguments(end)['running'] and
                 not arguments(end)['program'].endswith('heap_leave'))
    first = heap.folded('series.fxt', '--point', str(before))
    assert sum(first.values()) > 0 and not any(is_of_program(stack) for stack in first), first


@test
def timelines_have_counters(heap):
    grow(heap, 8, 40)
    found = points(heap)
    output = heap.path('firefox.json.gz')
    tool(heap, 'fxt2firefox', '-q', '-o', output, heap.path('series.fxt'))
    with gzip.open(output) as file:
        profile = json.load(file)
    counters = {counter['name']: counter for counter in profile['counters']}
    for name, values in (('heap:live bytes', [point.live_bytes for point in found]),
                         ('heap:live blocks', [point.live_blocks for point in found]),
                         ('heap:allocated bytes', [point.allocated_bytes for point in found])):
        samples = counters[name]['samples']
        sums = [sum(samples['count'][:i + 1]) for i in range(samples['length'])]
        assert sums == values, (name, sums, values)
        times = [time * 1e6 - (point.time_ns - found[0].time_ns)
                 for time, point in zip(samples['time'], found)]
        assert all(abs(time) < 2 for time in times), times
    assert counters['heap:live bytes']['category'] == 'Memory'
    assert counters['heap:live bytes']['display']['unit'] == 'bytes'
    assert counters['heap:live blocks']['category'] == 'FXT'
    for name, suffix in (('fxt2perfetto', 'pftrace'), ('fxt2chrome', 'json')):
        tool(heap, name, '-q', '-o', heap.path('out.' + suffix), heap.path('series.fxt'))


@test
def pages_have_the_points(heap):
    grow_until(3, heap, 8, 40)
    found = points(heap)
    tool(heap, 'fxtreport', '-q', '--point', '3', '-o', heap.path('page.html'),
         heap.path('series.fxt'))
    page = html_read.Page(heap.path('page.html'))
    assert list(zip(*(page.columns[name] for name in html_read.POINTS))) == [
        (point.number, point.time_ns, point.live_bytes, point.live_blocks,
         point.allocated_bytes, point.number == 3) for point in found]
    assert sum(page.columns['sample.value']) == found[2].live_bytes


@test
def samples_are_estimates(heap):
    log, _ = grow(heap, 100, 1, every='20ms', options=('--sample', '4096'))
    last = points(heap)[-1]
    for found, true in ((last.live_bytes, log[-1].bytes), (last.live_blocks, log[-1].blocks),
                        (last.allocated_bytes, log[-1].alloc_bytes)):
        assert abs(found - true) < true / 4, (last, log[-1])
    assert sum(folded(heap).values()) == last.live_bytes
    assert all(arguments(end)['sample_bytes'] == 4096 for end in events(heap)[0])


@test
def an_archive_that_ends_anywhere_ends_with_its_last_whole_point(heap):
    grow(heap, 6, 40)
    found = points(heap)
    with open(heap.path('series.fxt'), 'rb') as file:
        data = file.read()
    ends = [record['offset'] + record['size'] for record in records(heap)
            if record.get('name') == 'point']
    starts = [record['offset'] for record in records(heap)]
    for cut in random.sample(starts, min(len(starts), 25)) + ends:
        with open(heap.path('cut.fxt'), 'wb') as file:
            file.write(data[:cut])
        whole = sum(end <= cut for end in ends)
        done = subprocess.run([heap.tool('fxtreport'), '-q', '--json', heap.path('cut.fxt')],
                              stdout=subprocess.PIPE, text=True)
        if whole == 0:
            # The counters, which come before their point, may be there already.
            shown = json.loads(done.stdout) if done.returncode == 0 else {'counters': []}
            assert done.returncode == (0 if shown['counters'] else 1), done
            assert shown.get('total', 0) == 0 and not shown.get('points'), shown
            continue
        shown = json.loads(done.stdout)
        assert len(shown['points']) == whole
        assert shown['total'] == found[whole - 1].live_bytes, (cut, whole)


@test
def a_killed_fxtheap_leaves_the_command_alone_and_what_was_written(heap):
    path = heap.path('series.fxt')
    n_found = []
    for i in range(60 if patience.IS_LONG else 8):
        for name in 'series.fxt', 'log':
            if os.path.exists(heap.path(name)):
                os.unlink(heap.path(name))
        command = heap.command(heap.program('heap_grow'), '25', '20', heap.path('log'),
                               options=('--at-exit', path,
                                        '--every', ('2ms', '3K')[i % 2]))
        with subprocess.Popen(command, start_new_session=True) as program:
            wait_for(lambda: os.path.exists(heap.path('log')), 'the command')
            time.sleep(random.random() * 0.5)
            program.kill()
            program.wait()
        wait_for(lambda: len(states(heap)) == 25, 'the end of the command')
        log = states(heap)
        assert log[-1].blocks > 0
        if not os.path.exists(path):
            n_found.append(0)
            continue
        done = subprocess.run([heap.tool('fxtreport'), '-q', '--json', path],
                              stdout=subprocess.PIPE, text=True)
        found = points_of(json.loads(done.stdout))
        n_found.append(len(found))
        for point in found:
            assert is_between(log, point), (point, log)
    wait_for(lambda: swept(heap), 'the tables')
    assert max(n_found) > 5, n_found


def is_between(log, point):
    """What is live may have been read some steps before what was allocated."""
    steps = [NOTHING, *log]
    last = next(i for i, state in enumerate(log) if point.allocated_bytes <= state.alloc_bytes)
    return is_one_of(amounts(point), [NOTHING[2:]] + [
        moment for i in range(max(0, last - 10), min(last + 2, len(log)))
        for moment in moments(i + 1, steps[i])])


def swept(heap):
    heap.call('list', '--clean')
    return heap.left() == []


@test
def a_full_disk_ends_the_series_and_not_the_command(heap):
    done = subprocess.run(heap.command(heap.program('heap_grow'), '5', '20', heap.path('log'),
                                       options=('--at-exit', '/dev/full', '--every', '5ms')),
                          stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and '/dev/full: No space left' in done.stderr, done
    assert len(states(heap)) == 5 and heap.left() == []


@test
def a_command_that_leaves_no_table_has_no_archive(heap):
    done = run(heap, '/nonexistent', status=127)
    assert 'No such file' in done.stderr, done
    assert not os.path.exists(heap.path('series.fxt'))
    env = {**os.environ, 'FXTHEAP_DIRECTORY': '/nonexistent'}
    done = subprocess.run(heap.command('/usr/bin/env', '-u', 'LD_PRELOAD', 'sleep', '0.1',
                                       options=('--at-exit', '/nonexistent/x.fxt', '--every',
                                                '10ms')), stderr=subprocess.PIPE, env=env)
    assert done.returncode == 1
    assert heap.left() == []


if __name__ == '__main__':
    main()
