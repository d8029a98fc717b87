#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtheap report: what it prints of archives whose contents are known, and its exit status.

test_heap_report.py BUILD_DIR [TEST...]
"""

import os
import re
import subprocess

from heap_reports import blob, report, snapshot, stacks, write
from heaps import main, test


def leave(heap, *arguments, options=()):
    """The archive of what a program leaves."""
    path = heap.path('left.fxt')
    subprocess.run(heap.command(heap.program('heap_leave'), *arguments,
                                options=('-q', '--at-exit', path, *options)),
                   stdout=subprocess.PIPE, check=False)
    return path


@test
def stacks_are_in_order_of_what_they_left(heap):
    path = leave(heap, 'exit')
    text = report(heap, '--limit', '0', path, status=3).stdout
    assert re.match(r'heap_leave\[\d+\] when it had ended\n\n\d+ bytes in ', text), text
    found = stacks(text)
    assert [(first, frames[:2]) for first, frames in found if 'main' in frames] == [
        ('70000 bytes in 1 block', ['leave_large', 'main']),
        ('3000 bytes in 3 blocks', ['leave_small', 'main'])], found


def write_patterns(heap, *lines):
    path = heap.path('patterns')
    with open(path, 'w') as file:
        file.write('\n'.join(lines))
    return path


@test
def stacks_of_several_processes_are_one(heap):
    """The same program is at another address in each process."""
    text = report(heap, '--limit', '0', leave(heap, 'children', '10', '10'), status=3).stdout
    found = {tuple(frames[:2]): first for first, frames in stacks(text)}
    assert found['leave_large', 'main'] == '210000 bytes in 3 blocks', found
    assert found['leave_small', 'main'] == '9000 bytes in 9 blocks', found
    assert 'and 1 more processes' in text


@test
def some_bytes_may_be_allowed(heap):
    path = leave(heap, 'exit')
    total = int(re.search(r'^(\d+) bytes in \d+ blocks left', report(heap, path, status=3).stdout,
                          re.M)[1])
    assert total >= 73000
    assert 'more than' not in report(heap, '--allow', str(total), path, status=0).stdout
    text = report(heap, '--allow', str(total - 1), path, status=3).stdout
    assert f': more than the {total - 1} bytes allowed' in text, text
    report(heap, '--allow', '1G', path, status=0)


@test
def functions_can_be_suppressed(heap):
    path = leave(heap, 'exit')
    for line, expected in (('leave_large', ['leave_small']), ('leave_*', []), ('main', []),
                           ('leak:_sma', ['leave_large']), ('# main', ['leave_large', 'leave_small']),
                           ('  leave_l?rge \r', ['leave_small']),
                           ('leave', ['leave_large', 'leave_small'])):
        patterns = write_patterns(heap, '# known', '', line, '')
        done = subprocess.run([heap.fxtheap, 'report', '--limit', '0', '--suppressions',
                               patterns, path], stdout=subprocess.PIPE, text=True)
        found = [frames[0] for _, frames in stacks(done.stdout) if 'main' in frames]
        assert found == expected, (line, found)
        assert ('Suppressed: ' in done.stdout) == (len(expected) < 2), done.stdout


@test
def ages_are_known_with_tags(heap):
    assert ' old' not in report(heap, leave(heap, 'exit'), status=3).stdout
    text = report(heap, leave(heap, 'exit', options=('--with-tags',)), status=3).stdout
    first, _ = stacks(text)[0]
    found = re.fullmatch(r'70000 bytes in 1 block, (\S+) s to (\S+) s old', first)
    assert found and found[1] == found[2] and float(found[1]) < 600, first
    path = write(heap, snapshot(), blob('stacks', [1, 5, 900, 1, 0x1001], 4),
                 blob('blocks', [0x10, 100, 1, 9, 1_500_000_000, 0x80, 50, 1, 9, 4_000_000_000],
                      5))
    assert '\n150 bytes in 2 blocks of 5 allocated, 1.000 s to 3.500 s old\n    0x1001\n' in \
        report(heap, path, status=3).stdout


@test
def blocks_are_counted_by_size_and_age(heap):
    second = 1_000_000_000
    blocks = [(0, 1, 5 * second), (1, 1, 5 * second - 999_999), (15, 1, 5 * second - 1_000_000),
              (16, 1, 4 * second), (31, 1, 4 * second + 1), (31, 1, 1), (4096, 2, 1)]
    path = write(heap, snapshot(), blob('stacks', [1, 9, 900, 1, 0x1001, 2, 1, 1, 1, 0x2001], 4),
                 blob('blocks', [word for i, (size, stack, time) in enumerate(blocks)
                                 for word in (0x10000 * (i + 1), size, stack, 9, time)], 5))
    plain = report(heap, path, status=3).stdout
    text = report(heap, '--histograms', path, status=3).stdout
    start, end = text.index('By size:'), text.index('\n\n', text.index('By age:')) + 2
    assert text[:start] + text[end:] == plain
    lines = text[start:end].splitlines()
    assert lines[:9] == [
        'By size:', '    0 to 0 bytes: 0 bytes in 1 block', '    1 to 1 bytes: 1 byte in 1 block',
        '    2 to 3 bytes: 0 bytes in 0 blocks', '    4 to 7 bytes: 0 bytes in 0 blocks',
        '    8 to 15 bytes: 15 bytes in 1 block', '    16 to 31 bytes: 78 bytes in 3 blocks',
        '    32 to 63 bytes: 0 bytes in 0 blocks', '    64 to 127 bytes: 0 bytes in 0 blocks'], lines
    assert lines[-8:] == [
        '', 'By age:', '    below 1 ms: 1 byte in 2 blocks', '    1 ms to 10 ms: 15 bytes in 1 block',
        '    10 ms to 100 ms: 0 bytes in 0 blocks', '    100 ms to 1 s: 31 bytes in 1 block',
        '    1 s to 10 s: 4143 bytes in 3 blocks', ''], lines
    assert lines[-9] == '    4096 to 8191 bytes: 4096 bytes in 1 block'
    text = report(heap, '--histograms', '--suppressions', write_patterns(heap, '*2001'), path,
                  status=3).stdout
    assert ' 16 to 31 bytes: 78 ' in text and '4096 to' not in text and '47 bytes in 2' in text
    text = report(heap, '--histograms', leave(heap, 'exit'), status=3).stdout
    assert 'single blocks are not in the archive' in text and 'By size' not in text, text


@test
def few_stacks_are_printed_and_the_rest_is_counted(heap):
    words = [word for i in range(1, 31) for word in (i, 0, 0, 1, 0x1000 * i + 1)]
    groups = [word for i in range(1, 31) for word in (i, i, 2)]
    path = write(heap, snapshot(), blob('stacks', words, 4), blob('groups', groups, 3))
    text = report(heap, path, status=3).stdout
    assert '930 bytes in 60 blocks left, from 30 stacks' in text
    assert len(stacks(text)) == 10 and stacks(text)[0] == ('60 bytes in 2 blocks', ['0x1e001'])
    assert '420 bytes in 40 blocks from 20 more stacks (--limit 0 shows all)' in text, text
    assert len(stacks(report(heap, '--limit', '0', path, status=3).stdout)) == 30


@test
def nothing_left_is_good(heap):
    path = write(heap, snapshot(), blob('stacks', [1, 5, 900, 1, 0x1001], 4))
    assert report(heap, path, status=0).stdout == (
        'server[7] when it had ended\n\n0 bytes in 0 blocks left, from 0 stacks\n'
        '900 bytes in 5 blocks allocated\n\n')
    report(heap, write(heap, snapshot()), status=0)
    text = report(heap, write(heap, snapshot(running=True, lost=4)), status=0).stdout
    assert 'server[7] while it ran\n' in text and 'Missing: ' in text, text


@test
def archives_may_be_anything(heap):
    text = report(heap, write(heap, snapshot(program=b'/x/\x1b[31m\nname')), status=0).stdout
    assert '\x1b' not in text and 'name[7]' in text.splitlines()[0], text
    largest = (1 << 64) - 1
    path = write(heap, snapshot(), blob('stacks', [1, 0, 0, 1, 1, 2, 0, 0, 1, 0x2001], 4),
                 blob('groups', [1, largest, largest, 2, largest, largest], 3))
    report(heap, path, status=3)
    text = report(heap, write(heap, snapshot(), blob('stacks', [1], 4)), status=0).stdout
    assert 'Missing: ' in text, text
    for path, status, why in (
            (heap.path('missing'), 2, 'No such file'),
            (write_patterns(heap, 'text'), 2, 'it has no snapshot'),
            (write(heap, name='none.fxt'), 2, 'it has no snapshot'),
            (write(heap, snapshot(), blob('stacks', [1, 1, 1, 1, 1], 4), until=-8), 1,
             'ends inside a record')):
        done = report(heap, path, status=status)
        assert why in done.stderr, done
    path = write(heap, snapshot())
    for patterns, why in ((heap.path('missing'), 'No such file'), (path, 'not a text file')):
        assert why in report(heap, '--suppressions', patterns, path, status=2).stderr
    for arguments, why in (((), 'needs an archive'), ((path, path), 'takes one archive'),
                           (('--allow', '-1', path), '--allow takes'),
                           (('--limit', 'x', path), '--limit takes')):
        assert why in report(heap, *arguments, status=2).stderr


if __name__ == '__main__':
    main()
