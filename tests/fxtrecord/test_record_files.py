#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Recordings without an end: archives of a bounded size, one after the other, or of the last
seconds. See recorder.py."""

import fcntl
import glob
import os
import signal
import subprocess
import time

import patience
from live import check_order, children_of, kill_all, start
from recorder import cpu_time_of, main, recording_of, samples_of, wait_for


def test_max_size(r, directory):
    archive = os.path.join(directory, 'small.fxt')
    recorder = subprocess.Popen(
        r.command('-F', '2000', '--max-size', '64K', '-o', archive, r.workload, '-s', '100'),
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = recorder.stderr.readline()
    while 'has the size of --max-size' not in said:
        assert 'by signals' in said or 'sampling this often' in said, said
        said = recorder.stderr.readline()
    kill_all(children_of(recorder))
    recorder.stderr.read()
    recorder.wait()
    assert 40000 < os.path.getsize(archive) <= 65536, os.path.getsize(archive)
    records = r.dump(archive)
    assert recording_of(records)['samples'] == check_order(records) > 0


def test_rotate(r, directory):
    """Each file can be read without the others; the oldest go, and nothing is replaced."""
    name = os.path.join(directory, 'many.fxt')
    files = os.path.join(directory, 'many.*.fxt')
    for first in range(2):
        recorder = start(r, '-F', '8000', '--rotate', '64K', '--keep', '3', '-o', name,
                         r.workload, '-s', '100')
        last = max((int(f[-8:-4]) for f in glob.glob(files)), default=0)
        wait_for(lambda last=last: os.path.exists(name[:-4] + f'.{last + 5:04}.fxt'), 'files')
        recorder.send_signal(signal.SIGTERM)
        kill_all(children_of(recorder))
        said = recorder.communicate(timeout=patience.SECONDS)[1]
        assert not said, said
        found = sorted(int(f[-8:-4]) for f in glob.glob(files))
        assert len(found) == 3 and found[0] > 2 + last and found[2] - found[0] == 2, found
        n = 0
        for path in sorted(glob.glob(files)):
            records = r.dump(path)
            n += check_order(records)
            assert recording_of(records)['samples'] == len(samples_of(records)), path
        stacks = r.folded(*sorted(glob.glob(files)))
        assert sum(count for _, count in stacks) == n > 0
        assert any('hash_blocks' in stack for stack, _ in stacks)
        # They are of one recording, whose samples all stand for the same time.
        times = r.folded('--value', 'time', *sorted(glob.glob(files)))
        assert sum(ns for _, ns in times) > 10**5 * n, (times[:3], n)
        assert not os.path.exists(name)


def test_notes_of_what_keep_removes(r, directory):
    """But one that fxtship sends stays as long."""
    name = os.path.join(directory, 'noted.fxt')
    before = [os.path.join(directory, f'noted.000{n}.fxt') for n in (1, 2)]
    for n, path in enumerate(before):
        with open(path, 'wb') as file:
            file.write(bytes(100 + n))
        os.utime(path, ns=(0, 1700000000123456789))
    notes = [f'{path}.{100 + n}.1700000000123456789.dropped' for n, path in enumerate(before)]
    with open(before[0], 'rb') as sent:
        fcntl.flock(sent, fcntl.LOCK_EX)
        recorder = start(r, '-F', '8000', '--rotate', '64K', '--keep', '2', '--note-removed', '-o',
                         name, r.workload, '-s', '100')
        wait_for(lambda: glob.glob(os.path.join(directory, 'noted.0004.*.dropped')), 'notes')
        assert os.path.exists(before[0]) and not os.path.exists(before[1])
    wait_for(lambda: not os.path.exists(before[0]), 'the first archive to go')
    recorder.send_signal(signal.SIGTERM)
    kill_all(children_of(recorder))
    said = recorder.communicate(timeout=patience.SECONDS)[1]
    assert not said, said
    archives = sorted(glob.glob(os.path.join(directory, 'noted.*.fxt')))
    left = sorted(glob.glob(os.path.join(directory, 'noted.*.dropped')))
    assert len(archives) == 2 and left[:2] == notes, (archives, left)
    assert len(left) == int(archives[0][-8:-4]) - 1, (archives, left)
    assert not any(os.path.getsize(path) for path in left), left


def window_of(records):
    times = [x['time_ns'] for x in samples_of(records)]
    return min(times), max(times)


def await_running(process):
    """Until it has just had time for some samples: a busy machine gives it none for longer
    than what --last keeps."""
    def has_run():
        before = cpu_time_of(process)
        time.sleep(0.2)
        return cpu_time_of(process) - before >= 5 * 10**7

    wait_for(has_run, 'CPU time')


def test_last(r, directory):
    """The last half second, when it is asked for and at the end."""
    name = os.path.join(directory, 'last.fxt')
    first = os.path.join(directory, 'last.0001.fxt')
    recorder = start(r, '--last', '0.5', '-o', name, r.workload, '-s', '100')
    wait_for(lambda: children_of(recorder), 'the command')
    time.sleep(1.3)
    await_running(children_of(recorder)[0])
    assert not glob.glob(os.path.join(directory, 'last*')), os.listdir(directory)
    recorder.send_signal(signal.SIGUSR2)
    wait_for(lambda: os.path.exists(first), 'the samples asked for')
    asked = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    time.sleep(0.8)
    await_running(children_of(recorder)[0])
    # The program goes on: on a busy machine, the recorder would see its end too late.
    recorder.send_signal(signal.SIGTERM)
    wait_for(lambda: os.path.exists(name), 'the last samples')
    kill_all(children_of(recorder))
    recorder.communicate(timeout=patience.SECONDS)
    for path in first, name:
        records = r.dump(path)
        assert recording_of(records)['samples'] == check_order(records) > 0, path
        begin, end = window_of(records)
        # What was taken together is kept together, and a busy machine takes it late.
        assert end - begin < 1.4e9, (path, end - begin)
        assert (end < asked) == (path == first), (path, end, asked)


if __name__ == '__main__':
    main(both=(test_max_size, test_rotate), perf=(test_last, test_notes_of_what_keep_removes))
