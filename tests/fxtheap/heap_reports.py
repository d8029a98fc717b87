# SPDX-License-Identifier: BSD-2-Clause
"""fxtheap report, and archives by hand for it, for test_heap_report.py and
test_heap_temporary.py."""

import subprocess

import fxtwrite


def report(heap, *arguments, status):
    done = subprocess.run([heap.fxtheap, 'report', *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    assert done.returncode == status, (arguments, done)
    return done


def stacks(text):
    """The first line and the functions of each stack."""
    found = []
    for part in text.split('\n\n')[2:]:
        first, *frames = part.splitlines() or ['']
        if frames:
            found.append((first, [frame.split('  ')[2] for frame in frames]))
    return found


def write(heap, *records, name='hand.fxt', until=None):
    path = heap.path(name)
    data = b''.join(fxtwrite.to_bytes(record) for record in [fxtwrite.magic(), *records])
    with open(path, 'wb') as file:
        file.write(data[:until])
    return path


def snapshot(process=7, program=b'/bin/server', running=False, lost=0):
    args = [fxtwrite.arg(2, b'version', 1), fxtwrite.arg(6, b'program', program),
            fxtwrite.arg(9, b'running', running), fxtwrite.arg(4, b'lost_blocks', lost)]
    return fxtwrite.event(0, 5_000_000_000, (process, process), b'heap', b'snapshot', args)


def blob(name, words, entry_words, process=7):
    payload = b''.join(word.to_bytes(8, 'little') for word in words)
    args = [fxtwrite.arg(2, b'version', 1), fxtwrite.arg(2, b'entry_words', entry_words)]
    return fxtwrite.large_blob(5, (process, 0), b'heap', name.encode(), payload, args)
