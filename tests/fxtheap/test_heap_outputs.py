#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Snapshots of heaps as profiles: pprof must see what the archive says, and samples must
be counted for what they stand for.

test_heap_outputs.py BUILD_DIR [TEST...]
"""

import gzip
import json
import math
import os
import re
import shutil
import subprocess
import sys

import fxtwrite
from heaps import Program, main, test

TYPES = ['inuse_objects/count', 'inuse_space/bytes[dflt]', 'alloc_objects/count',
         'alloc_space/bytes', 'temporary_objects/count']


class Profile:
    """What `go tool pprof -raw` says."""

    def __init__(self, heap, *arguments, status=0, source='snap.fxt'):
        path = heap.path('profile.pb.gz')
        done = subprocess.run([heap.tool('fxt2pprof'), '-o', path, *arguments,
                               heap.path(source)], stderr=subprocess.PIPE, text=True)
        assert done.returncode == status, done.stderr
        self.messages = done.stderr
        text = subprocess.run(['go', 'tool', 'pprof', '-raw', path], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=True, text=True).stdout
        self.text = text
        samples = text[text.index('\nSamples:\n') + 10:text.index('\nLocations\n')]
        self.types, *lines = samples.splitlines()
        self.types = self.types.split()
        self.names = {int(m[1]): m[2] for m in re.finditer(
            r'^ +(\d+): 0x[0-9a-f]+ (?:M=\d+ )?(\S+)', text, re.M)}
        self.samples = []
        for line in lines:
            found = re.match(r'^ +((?:-?\d+ +)*-?\d+): ([\d ]+)$', line)
            if found:
                values = [int(value) for value in found[1].split()]
                stack = [self.names.get(int(i)) for i in found[2].split()]
                self.samples.append((values, stack, {}))
            else:
                for key, value in re.findall(r'(\S+):\[([^\]]*\]?)\]', line):
                    self.samples[-1][2][key] = value

    def of(self, function):
        """The sum of the values whose stacks have a function."""
        rows = [values for values, stack, _ in self.samples if function in stack]
        return [sum(column) for column in zip(*rows)] if rows else None


@test
def stacks_have_what_is_in_use_and_what_was_allocated(heap):
    with Program(heap.command(heap.program('heap_steps'), 'stacks')) as program:
        program.wait_until_ready()
        heap.snapshot()
    profile = Profile(heap)
    assert profile.types == TYPES
    assert profile.of('outer_function') == [1, 1000, 2, 3000, 0]
    assert profile.of('other_function') == [1, 500000, 1, 500000, 0]
    assert 'PeriodType: space bytes\nPeriod: 1\n' in profile.text
    assert all(labels == {} for _, _, labels in profile.samples)
    assert re.search(r'^Time: 20', profile.text, re.M)
    mapping = re.search(r'^\d+: 0x\S+ .*heap_steps ([0-9a-f]+) ', profile.text, re.M)
    assert mapping and len(mapping[1]) == 40, 'the program has its build id'


@test
def pprof_knows_the_names_of_the_values(heap):
    with Program(heap.command(heap.program('heap_steps'), 'stacks')) as program:
        program.wait_until_ready()
        heap.snapshot()
    Profile(heap)
    for options, expected in ((['-inuse_space'], 1000), ([], 1000),
                                    (['-inuse_objects'], 1),
                                    (['-alloc_space'], 3000),
                                    (['-alloc_objects'], 2)):
        text = subprocess.run(['go', 'tool', 'pprof', '-top', '-unit=B', '-nodefraction=0',
                               *options, heap.path('profile.pb.gz')], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=True, text=True).stdout
        kind = options[0][1:] if options else 'inuse_space'
        assert f'Type: {kind}\n' in text, text
        row = re.search(r'(\d+)B? +\S+% +outer_function$', text, re.M)
        assert row and int(row[1]) == expected, (options, text)
    for value, expected in (('inuse_space', 1000), ('inuse_objects', 1), ('alloc_space', 3000),
                            ('alloc_objects', 2)):
        assert sum(n for stack, n in heap.folded('snap.fxt', '--value', value).items()
                   if 'outer_function' in stack) == expected, value


@test
def tags_are_labels_of_each_block(heap):
    with Program(heap.command(heap.program('heap_steps'), 'stacks')) as program:
        program.wait_until_ready()
        blocks = heap.snapshot('--with-tags').only()
    plain, tagged = Profile(heap), Profile(heap, '--with-tags')
    for i in range(5):
        assert sum(values[i] for values, _, _ in plain.samples) == \
            sum(values[i] for values, _, _ in tagged.samples)
    rows = {labels['address']: (values, labels) for values, _, labels in tagged.samples if labels}
    assert set(rows) == {f'0x{block.address:x}' for block in blocks}
    for block in blocks:
        values, labels = rows[f'0x{block.address:x}']
        assert values == [1, block.size, 0, 0, 0]
        assert labels['thread'] == f'heap_steps[{program.pid}]'
        assert labels['timestamp'] == f'{block.time} nanoseconds'
        assert labels['bytes'] == f'{block.size} bytes' or block.size == 0
    # Without tags in the snapshot there are none to show.
    with Program(heap.command(heap.program('heap_steps'), 'stacks')) as program:
        program.wait_until_ready()
        heap.snapshot()
    assert all(labels == {} for _, _, labels in Profile(heap, '--with-tags').samples)


@test
def processes_have_labels_where_there_are_several(heap):
    with Program(heap.command(heap.program('heap_steps'), 'stacks')) as one, \
            Program(heap.command(heap.program('heap_steps'), 'deep')) as two:
        one.wait_until_ready()
        two.wait_until_ready()
        heap.snapshot('--multi-process')
    profile = Profile(heap)
    assert {(labels['process_name'], labels['process_koid'])
            for _, _, labels in profile.samples} == {
                ('heap_steps', f'{one.pid} koid'), ('heap_steps', f'{two.pid} koid')}
    only = Profile(heap, '--pid', str(two.pid))
    assert only.of('outer_function') is None and only.of('recurse')[0] == 1


@test
def a_difference_is_what_has_grown(heap):
    with Program(heap.command(heap.program('heap_steps'), 'stacks')) as program:
        program.wait_until_ready()
        heap.snapshot('--with-tags', name='base.fxt')
        program.resume()
        program.wait_until_ready()
        heap.snapshot('--with-tags')
    for options in ((), ('--with-tags',)):
        profile = Profile(heap, '--diff', heap.path('base.fxt'), *options)
        assert profile.of('outer_function') == [1, 1000000, 1, 1000000, 0], profile.samples
        assert profile.of('other_function') == [-1, -500000, 0, 0, 0]
        assert len(profile.samples) <= 3 and profile.of('libc.so.6') is None
    nothing = subprocess.run([heap.tool('fxt2pprof'), '-o', heap.path('none'), '--diff',
                              heap.path('snap.fxt'), heap.path('snap.fxt')],
                             stderr=subprocess.PIPE, text=True)
    assert nothing.returncode == 1 and 'there is no difference' in nothing.stderr
    missing = subprocess.run([heap.tool('fxt2pprof'), '-o', heap.path('none'), '--diff',
                              heap.path('missing.fxt'), heap.path('snap.fxt')],
                             stderr=subprocess.PIPE, text=True)
    assert missing.returncode == 2 and 'missing.fxt' in missing.stderr


def near(value, expected, n_samples):
    """Within eight standard deviations of a sum of so many samples."""
    return abs(value - expected) <= 8 * expected / math.sqrt(n_samples)


@test
def samples_stand_for_what_was_not_sampled(heap):
    mean = 64 << 10
    with Program(heap.command(heap.program('heap_steps'), 'samples',
                              options=('--sample', '64K'))) as program:
        program.wait_until_ready()
        archive = heap.snapshot()
        (row,) = heap.rows()
    assert row[4] == 'sampled'
    small = sum(count for (_, size), count in archive.groups[program.pid].items()
                if size == 1024)
    assert 500 < small < 2000, small
    event = archive.events[program.pid]
    assert event['sample_bytes'] == mean and event['objects'] < 3000
    profile = Profile(heap)
    assert f'Period: {mean}\n' in profile.text
    # Of each, 64 MiB are live; of the small ones twice as much again was freed. Blocks that
    # are larger than the distance are nearly all sampled.
    live = profile.of('allocate_here')
    expected = (1 << 26) // mean
    assert near(live[0], 65536, expected) and near(live[1], 1 << 26, expected), live
    assert near(live[2], 3 * 65536, expected) and near(live[3], 3 << 26, expected), live
    large = [values for values, stack, _ in profile.samples
             if 'samples' in stack and 'allocate_here' not in stack]
    objects, size, _, _ = (sum(column) for column in zip(*large))
    assert objects == 64 and 0 <= size - (64 << 20) < 64, large
    # The same formula by hand, from the archive's numbers alone.
    by_hand = {}
    for (stack, size), count in archive.groups[program.pid].items():
        by_hand[stack] = by_hand.get(stack, 0) + count * size / -math.expm1(-(size + 1) / mean)
    total = sum(values[1] for values, _, _ in profile.samples)
    assert abs(total - sum(by_hand.values())) <= len(by_hand), 'sums are rounded once'
    assert abs(int(row[3]) - total) <= len(by_hand) + 1


@test
def dumps_show_the_records(heap):
    with Program(heap.command(heap.program('heap_steps'), 'stacks')) as program:
        program.wait_until_ready()
        heap.snapshot('--with-tags')
    text = subprocess.run([heap.tool('fxtdump'), heap.path('snap.fxt')], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    for what in ('heap:snapshot', 'heap:stacks', 'heap:blocks', 'kernel_object', 'module',
                 'mapping', 'build id', 'entry_words=5'):
        assert what in text, what


def run(heap, tool, *arguments):
    return subprocess.run([heap.tool(tool), *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)


@test
def values_and_formats_must_fit(heap):
    with Program(heap.command(heap.program('heap_steps'), 'stacks')) as program:
        program.wait_until_ready()
        heap.snapshot()
    snap = heap.path('snap.fxt')
    for arguments in (['--format', 'json'], ['--format', 'markup'],
                      ['--value', 'time', '--period', '1ms']):
        done = run(heap, 'fxt2folded', *arguments, snap)
        assert done.returncode == 2 and done.stdout == '', (arguments, done)
    for arguments in (['--format', 'svg'], ['--format', 'speedscope'], ['--value', 'bytes'],
                      ['--value', 'objects', '--no-merge']):
        done = run(heap, 'fxt2folded', *arguments, snap)
        assert done.returncode == 0 and 'outer_function' in done.stdout, (arguments, done)
    assert '"unit":"bytes"' in run(heap, 'fxt2folded', '--format', 'speedscope', snap).stdout
    region = heap.path('region.bin')
    with open(region, 'wb') as file:
        file.write(fxtwrite.to_bytes(fxtwrite.sample(1, (2, 3), [0x10, 0x20])))
    for tool, argument, what in (('fxt2folded', '--value=bytes', 'for heaps'),
                                 ('fxt2pprof', '--with-tags', 'no meaning with samples')):
        done = run(heap, tool, argument, region)
        assert done.returncode == 2 and what in done.stderr, done
    done = run(heap, 'fxt2pprof', '-o', heap.path('both.pb.gz'), region, snap)
    assert done.returncode == 0 and 'blocks of heaps left out' in done.stderr, done


@test
def a_snapshot_is_an_archive_and_has_the_name_of_one(heap):
    for name, remedy in (('x.svg', "then run 'fxt2folded -o x.svg x.fxt'"),
                         ('x.pb.gz', "then run 'fxt2pprof -o x.pb.gz x.fxt'"),
                         ('x.json', 'fxt2folded'), ('x.html', '-o x.fxt'),
                         ('x.fxt.gz', 'gzip x.fxt')):
        done = run(heap, 'fxtheap', 'snapshot', '--by-pid', '1', '-o', name)
        assert done.returncode == 2 and remedy in done.stderr, (name, done)


# ---- Records by hand -------------------------------------------------------------------

def blob(name, words, entry_words, version=1, sample_bytes=0, process=7):
    payload = b''.join(word.to_bytes(8, 'little') for word in words)
    args = [fxtwrite.arg(2, b'version', version),
            fxtwrite.arg(2, b'entry_words', entry_words),
            fxtwrite.arg(4, b'sample_bytes', sample_bytes)]
    return fxtwrite.large_blob(5, (process, 0), b'heap', name.encode(), payload, args)


def write(heap, *records, big_endian=False):
    with open(heap.path('snap.fxt'), 'wb') as file:
        for record in [fxtwrite.magic(), *records]:
            file.write(fxtwrite.to_bytes(record, big_endian))


STACKS = blob('stacks', [1, 10, 1000, 2, 0x1001, 0x2001, 2, 20, 2000, 1, 0x3001], 4)


def values(profile):
    return sorted(values for values, _, _ in profile.samples)


@test
def records_by_hand_are_counted(heap):
    groups = blob('groups', [1, 50, 3, 1, 7, 1, 2, 100, 2], 3)
    blocks = blob('blocks', [0x10, 5, 2, 9, 77, 0x20, 6, 0, 9, 78], 5)
    for big_endian in (False, True):
        write(heap, STACKS, groups, blocks, big_endian=big_endian)
        assert values(Profile(heap)) == [[1, 6, 0, 0], [3, 205, 20, 2000], [4, 157, 10, 1000]]
    # What later versions add is stepped over.
    write(heap, blob('stacks', [1, 10, 1000, 1, 9, 98, 0x1001], 6),
          blob('groups', [1, 50, 3, 99], 4))
    profile = Profile(heap)
    assert profile.types == TYPES and values(profile) == [[3, 150, 10, 1000, 9]]
    # All PCs are return addresses, the first one, too.
    assert '0x1000 ' in Profile(heap).text
    # Two types where nothing says what was allocated in all.
    write(heap, blob('stacks', [1, 0, 0, 1, 0x1001], 4), blob('groups', [1, 50, 3], 3))
    profile = Profile(heap)
    assert profile.types == TYPES[:2] and values(profile) == [[3, 150]]
    # Times of blocks are the monotonic clock's.
    write(heap, STACKS, blocks)
    assert values(Profile(heap, '--time', '77ns-77ns'))[-1] == [1, 5, 20, 2000]


def report(heap, *arguments, status=0):
    done = subprocess.run([heap.tool('fxtreport'), '-q', *arguments], stdout=subprocess.PIPE)
    assert done.returncode == status, done
    return done.stdout.decode()


@test
def a_report_has_what_the_stacks_have(heap):
    with Program(heap.command(heap.program('heap_steps'), 'stacks')) as program:
        program.wait_until_ready()
        heap.snapshot()
    for value in 'bytes', 'objects':
        stacks = heap.folded('snap.fxt', '--value', value, '--roots', 'none')
        rows = json.loads(report(heap, '--json', '--value', value, heap.path('snap.fxt')))
        found = {row['name']: row['self'] for row in rows['functions'] if row['self'] != 0}
        expected = {}
        for stack, n in stacks.items():
            if n != 0 and not re.search(r'(^|\+)0x', stack[-1]):
                expected[stack[-1]] = expected.get(stack[-1], 0) + n
        assert expected and expected.items() <= found.items(), (expected, found)
        assert rows['total'] == sum(stacks.values())
        assert rows['kind'] == 'heaps'
    text = report(heap, heap.path('snap.fxt'))
    assert re.match(r'[\d,]+ objects, [\d.]+ (B|[KM]iB), 1 process\n\nWhat is missing\n', text), text


@test
def a_difference_is_in_bytes(heap):
    write(heap, STACKS, blob('groups', [1, 3000, 3], 3))
    os.rename(heap.path('snap.fxt'), heap.path('before.fxt'))
    write(heap, STACKS, blob('groups', [1, 9000, 7], 3))
    after = ['--unsymbolized', '--diff', heap.path('before.fxt'), heap.path('snap.fxt')]
    row, = [row for row in json.loads(report(heap, '--json', *after))['differences']
            if row['changed']]
    assert (row['before'], row['after'], row['noise']) == (9000, 63000, 0), row
    assert re.search(r'8\.79 KiB +61\.5 KiB +\+52\.7 KiB +0x1001', report(heap, *after))
    assert re.search(r'^ +3 +7 +\+4 +0x1001', report(heap, '--value', 'objects', *after), re.M)
    assert 'Nothing has changed.' in report(heap, '--diff', heap.path('snap.fxt'),
                                            heap.path('snap.fxt'))


@test
def damaged_records_are_counted(heap):
    largest = (1 << 64) - 1
    for damage, what, expected in (
            (blob('groups', [3, 50, 1], 3), 'entry or block', [1, 50, 0, 0]),
            (blob('groups', [1, 50], 3), 'entry or block', None),
            (blob('groups', [1, 50, 3], 2), 'entry or block', None),
            (blob('groups', [1, 50, 3], largest >> 32), 'entry or block', None),
            (blob('stacks', [3, 1, 1, largest, 0x1001], 4), 'entry or block', None),
            (blob('stacks', [1, 1, 1, 1, 0x1001], 4), 'entry or block', None),
            (blob('stacks', [0, 1, 1, 1, 0x1001], 4), 'entry or block', None),
            (blob('stacks', [3, 1, 1, 0], 4), 'entry or block', None),
            (blob('groups', [1, 50, 3], 3, version=2), 'part', None)):
        write(heap, STACKS, damage)
        profile = Profile(heap)
        assert f'1 {what}' in profile.messages, (damage, profile.messages)
        assert (expected in values(profile)) if expected else len(profile.samples) == 2
    write(heap, STACKS, blob('groups', [1, largest, largest, 1, largest, 1], 3),
          blob('blocks', [largest] * 5, 5))
    assert [(1 << 63) - 1, (1 << 63) - 1, 10, 1000] in values(Profile(heap))


if __name__ == '__main__':
    if shutil.which('go') is None:
        print('skipped: there is no go')
        sys.exit(77)
    main()
