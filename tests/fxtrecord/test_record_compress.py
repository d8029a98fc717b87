#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Archives that fxtrecord compresses by zstd while it records. See recorder.py."""

import json
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import time

import patience
from live import check_order, children_of, kill_all, start
from recorder import main, recording_of, run, samples_of, wait_for
from test_record_full import check_full, record_much

HAS_ZSTD = shutil.which('zstd') is not None


def check_whole(r, archive):
    """zstd agrees, as far as it is there; returns the records."""
    records = r.dump(archive)
    n = check_order(records)
    assert recording_of(records).get('samples', n) == n > 0
    if HAS_ZSTD:
        plain = archive + '.plain'
        run('zstd', '-qdf', archive, '-o', plain)
        assert r.dump(plain) == records
        assert os.path.getsize(plain) > 3 * os.path.getsize(archive)
        os.unlink(plain)
    return records


def test_whole(r, directory):
    """A name that ends so is enough; without a name the option has one."""
    by_name = os.path.join(directory, 'x.fxt.zst')
    r.record('-q', '-F', '2000', '-o', by_name, r.workload, '-n', '200')
    check_whole(r, by_name)
    r.record('-q', '--compress', '-F', '2000', r.workload, '-n', '200', cwd=directory)
    check_whole(r, os.path.join(directory, 'trace.fxt.zst'))
    assert not os.path.exists(os.path.join(directory, 'trace.fxt'))
    stacks = r.folded(by_name)
    assert any('hash_blocks' in stack for stack, _ in stacks), stacks


def test_pipe(r, directory):
    archive = os.path.join(directory, 'piped')
    with open(archive, 'wb') as file:
        subprocess.run(r.command('-q', '--compress', '-F', '2000', '-o', '-', r.workload, '-n',
                                 '200'), stdout=file, stderr=subprocess.DEVNULL, check=True)
    check_whole(r, archive)


def test_frames_to_skip(r, directory):
    """pzstd writes one before each frame."""
    archive = os.path.join(directory, 'x.fxt.zst')
    r.record('-q', '-F', '2000', '-o', archive, r.workload, '-n', '50')
    with open(archive, 'rb') as file:
        frame = file.read()
    split = os.path.join(directory, 'split.fxt.zst')
    with open(split, 'wb') as file:
        file.write((struct.pack('<III', 0x184d2a50, 4, len(frame)) + frame) * 2)
    assert len(samples_of(r.dump(split))) == 2 * len(samples_of(r.dump(archive))) > 0


def test_names(r, directory):
    for name, remedy in (('x.fxt', 'use -o x.fxt.zst'), ('x.fxt.gz', "then run 'gzip x.fxt'"),
                         ('x.svg.zst', 'writes FXT archives')):
        done = run(r.fxtrecord, '--compress', '-o', name, 'sh', '-c', 'echo started', status=2,
                   cwd=directory)
        assert remedy in done.stderr and not done.stdout, (name, done)
    for others in ('--regions', 'x'), ('--gdb', 'x', '--with-gdb'):
        done = run(r.fxtrecord, '--compress', *others, *['true'][len(others) - 2:], status=2,
                   cwd=directory)
        assert '--compress is for archives' in done.stderr, done.stderr


def test_killed(r, directory):
    """Killed at any moment, it leaves all that was written: whole records with their names."""
    archive = os.path.join(directory, 'killed.fxt.zst')
    tool = os.path.join(r.tools, 'fxtdump', 'fxtdump')
    n_samples = 0
    for n in range(100 if patience.IS_LONG else 4):
        recorder = start(r, '-F', '2000', '-o', archive, r.workload, '-j', '2', '-s', '100')
        wait_for(lambda: os.path.exists(archive), 'the archive')
        # In one round there are samples, however slow the machine.
        if n == 3:
            wait_for(lambda: os.path.getsize(archive) > 8000, 'samples')
        time.sleep(random.uniform(0, 0.5))
        left = children_of(recorder)
        recorder.kill()
        kill_all(left)
        recorder.communicate()
        size = os.path.getsize(archive)
        done = subprocess.run([tool, '--json', '--strict', archive], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 1, done
        assert f'the zstd data ends early at byte {size} of the file' in done.stderr, done.stderr
        records = [json.loads(line) for line in done.stdout.splitlines()]
        assert [x for x in records if x.get('type') == 'error'] == records[-1:], records[-2:]
        said = recording_of(records)
        assert said['method'] == r.method and 'period_ns' not in said, said
        n_samples += check_order(records)
        os.unlink(archive)
    assert n_samples > 0


def test_file_too_large(r, directory):
    """At whatever size the file may not grow, what was written stays, and is a whole file of
    zstd's. By signals, the command could not write its samples, either."""
    archive = os.path.join(directory, 'large.fxt.zst')
    for size in random.choice((0, 500, 10000)), 65536 + random.randrange(4096):
        def limit(size=size):
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        if os.path.exists(archive):
            os.unlink(archive)
        done = record_much(r, archive, preexec_fn=limit)
        if os.path.exists(archive) and os.path.getsize(archive) > size - 3:
            # There was no room for the end of the compressed data.
            continue
        n = check_full(r, archive, done, size)
        assert n > 0 or size < 65536, size
        if n > 0:
            check_whole(r, archive)


def test_rotate(r, directory):
    """Sizes are those of the files."""
    name = os.path.join(directory, r.method + '.fxt.zst')
    first, second = (f'{name[:-8]}.{n:04}.fxt.zst' for n in (1, 2))
    recorder = start(r, '-F', '8000', '--rotate', '64K', '-o', name, r.workload, '-s', '100')
    wait_for(lambda: os.path.exists(second), 'files')
    recorder.send_signal(signal.SIGTERM)
    kill_all(children_of(recorder))
    said = recorder.communicate(timeout=patience.SECONDS)[1]
    assert not said and not os.path.exists(name), said
    assert os.path.getsize(first) >= 65536, os.path.getsize(first)
    n = sum(len(samples_of(r.dump(path))) for path in (first, second))
    assert sum(count for _, count in r.folded(first, second)) == n
    check_whole(r, first)


def test_max_size(r, directory):
    small = os.path.join(directory, 'small.fxt.zst')
    recorder = start(r, '-F', '8000', '--max-size', '64K', '-o', small, r.workload, '-s', '100')
    wait_for(lambda: os.path.exists(small) and os.path.getsize(small) > 50000, 'samples')
    time.sleep(0.2)
    kill_all(children_of(recorder))
    recorder.communicate()
    assert os.path.getsize(small) <= 65536
    check_whole(r, small)


def test_embedded(r, directory):
    """What is added at the end is compressed, too."""
    archive = os.path.join(directory, 'embedded.fxt.zst')
    r.record('-q', '--embed-symbols', '-F', '2000', '-o', archive, r.workload, '-n', '200')
    assert any(x.get('category') == 'symbols' for x in check_whole(r, archive))


if __name__ == '__main__':
    main(both=(test_whole, test_killed),
         perf=(test_names, test_pipe, test_frames_to_skip, test_file_too_large, test_rotate,
               test_max_size, test_embedded))
