#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What fxtrecord leaves when it can write no more: full disks, files that are too large, and
pipes without readers. See recorder.py."""

import os
import re
import resource
import signal
import subprocess
import time

import patience
from live import check_order, children_of, kill_all
from recorder import main, recording_of, run, samples_of


def check_full(r, archive, done, room):
    """What did not fit is reported, and what fits is whole."""
    assert 'No space left' in done.stderr or 'File too large' in done.stderr, done
    assert done.returncode == 1, done
    if not os.path.exists(archive):
        assert room < 8192, (room, done.stderr)
        return 0
    assert os.path.getsize(archive) <= room
    records = r.dump(archive)
    n = len(samples_of(records))
    if n > 0:
        assert re.search(r'\d+ samples? could not be written', done.stderr), done.stderr
        said = recording_of(records)
        assert said.get('samples', n) == n, (said, n)
        assert os.path.getsize(archive) > room - 32768, (os.path.getsize(archive), room)
    check_order(records)
    return n


def record_much(r, archive, **options):
    """Some megabytes, unless the disk is full."""
    command = [r.fxtrecord, '--method', r.method, '-q', '-F', '10000', '-o', archive,
               r.workload, '-j', '2', '-s', '100']
    recorder = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                text=True, **options)
    # The message comes when the recording ends, and the command is waited for.
    said = recorder.stderr.readline()
    if recorder.poll() is None:
        kill_all(children_of(recorder))
    said += recorder.stderr.read()
    recorder.wait()
    status = 1 if recorder.returncode in (1, 128 + signal.SIGKILL) else recorder.returncode
    return subprocess.CompletedProcess(command, status, '', said)


def test_file_too_large(r, directory):
    """At whatever size the file may not grow, what was written stays. Signals are left out:
    the command could not write its samples, either."""
    archive = os.path.join(directory, 'large.fxt')
    sizes = [0, 100, 500, 1000, 3000, 10000, 65536, 300000, 2**20]
    if patience.IS_LONG:
        # Every page, and every word of the first ones.
        sizes = sorted({*sizes, *range(0, 2**20, 4096), *range(0, 8192, 8)})
    end = time.monotonic() + (3600 if patience.IS_LONG else 20)
    n = 0
    while sizes and (n == 0 or time.monotonic() < end):
        size = sizes.pop(0 if n % 2 == 0 else len(sizes) // 2)

        def limit(size=size):
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        if os.path.exists(archive):
            os.unlink(archive)
        n += 1 + check_full(r, archive, record_much(r, archive, preexec_fn=limit), size)
    assert n > 1, n


def test_last_samples_too_large(r, directory):
    """What fits of the last samples stays, and that others do not is reported."""
    archive = os.path.join(directory, 'last.fxt')

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
    done = run(*r.command('-F', '10000', '--last', '60', '-o', archive, r.workload, '-s', '1'),
               status=1, preexec_fn=limit)
    assert 'File too large' in done.stderr, done.stderr
    assert 'not all of the last samples were written' in done.stderr, done.stderr
    records = r.dump(archive)
    n = len(samples_of(records))
    assert n > 0 and recording_of(records).get('samples', n) == n, n
    assert f'{n} samples in {archive}' in done.stderr, (n, done.stderr)
    check_order(records)
    left = [name for name in os.listdir(directory) if 'last' in name]
    assert left == ['last.fxt'], left


def test_disk_full(r, directory):
    """The same for disks of some size, and an old file stays where a new one has no room."""
    disk = os.path.join(directory, 'disk')
    os.makedirs(disk, exist_ok=True)
    done = subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk],
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        print('skipped: no file system can be mounted:', done.stderr.strip())
        return
    try:
        archive = os.path.join(disk, 'full.fxt')
        for size in 65536, 262144:
            run('mount', '-o', f'remount,size={size}', disk)
            assert check_full(r, archive, record_much(r, archive), size) > 0
        assert len(os.listdir(disk)) == 1, os.listdir(disk)
        os.truncate(archive, 100)
        filler = os.open(os.path.join(disk, 'filler'), os.O_WRONLY | os.O_CREAT)
        try:
            while True:
                os.write(filler, bytes(4096))
        except OSError:
            os.close(filler)
        done = run(r.fxtrecord, '--method', r.method, '-q', '-o', archive, r.workload, '-n', '5',
                   status=1)
        assert os.path.getsize(archive) == 100 and len(os.listdir(disk)) == 2, os.listdir(disk)
        if r.method == 'perf':
            regions = os.path.join(disk, 'regions')
            done = r.record('--regions', regions, r.workload, '-n', '5', status=1)
            assert 'the disk is full' in done.stderr, done.stderr
            assert not os.path.exists(regions) or not os.listdir(regions), os.listdir(regions)
    finally:
        run('umount', '-l', disk)


def test_reader_gone(r, _):
    """A pipe that nothing reads from any more ends the recording."""
    recorder = subprocess.Popen(r.command('-q', '-F', '2000', '-o', '-', r.workload, '-s', '100'),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert len(recorder.stdout.read(4096)) == 4096
    recorder.stdout.close()
    said = recorder.stderr.readline()
    assert said == b'fxtrecord: standard output: Broken pipe\n', said
    kill_all(children_of(recorder))
    said = recorder.stderr.read()
    recorder.wait()
    assert b'could not be written' in said, said


if __name__ == '__main__':
    main(both=(test_disk_full, test_reader_gone),
         perf=(test_file_too_large, test_last_samples_too_large))
