#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""fxtrecord writes its archive while it records: what is left when it is killed, or when
its target is. See recorder.py."""

import glob
import json
import os
import random
import signal
import subprocess
import time

import patience
from live import check_order, children_of, kill_all, start
from recorder import main, recording_of, samples_of, wait_for


def read_cut(r, archive):
    """The records of an archive, of which the last may be cut; and whether it is."""
    tool = os.path.join(r.tools, 'fxtdump', 'fxtdump')
    done = subprocess.run([tool, '--json', '--strict', archive], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        assert 'the input ends inside a record' in done.stderr, done.stderr
        assert 'errors: 1;' in done.stderr, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()], done.returncode != 0


def test_killed(r, directory):
    """Killed at any moment, it leaves an archive that can be read, with all names."""
    archive = os.path.join(directory, 'killed.fxt')
    n, n_cut, n_samples, n_without = 0, 0, 0, 0
    while n < (100 if patience.IS_LONG else 10):
        recorder = start(r, '-F', '2000', '-o', archive, r.workload, '-j', '2', '-s', '100')
        if n % 5 != 0:
            wait_for(lambda: os.path.exists(archive), 'the archive')
        time.sleep(random.uniform(0, 0.5))
        left = children_of(recorder)
        recorder.kill()
        kill_all(left)
        recorder.communicate()
        n += 1
        if not os.path.exists(archive):
            n_without += 1
            continue
        records, is_cut = read_cut(r, archive)
        n_cut += is_cut
        assert records[0].get('magic') == '0x16547846', records[0]
        said = recording_of(records)
        assert said['method'] == r.method and 'period_ns' not in said, said
        n_samples += check_order(records)
        os.unlink(archive)
    assert n_samples > 0, n
    print(f'# {n} times, {n_cut} archives with a last record that is cut, {n_without} times '
          f'before there was any; {n_samples} samples')


def test_directory_of_the_killed(r, directory):
    """By signals, the files that programs leave samples in are removed by the next recorder;
    those of one that lives are not, nor what only has such a name."""
    parent = os.path.join(directory, 'parent')
    own = os.path.join(parent, 'fxtrecord-AbCdEf')
    os.makedirs(own)
    with open(os.path.join(own, 'mine'), 'w', encoding='ascii') as file:
        file.write('mine')
    environment = {**os.environ, 'TMPDIR': parent}
    work = r.workload, '-j', '1', '-s', '100'

    def left():
        return set(os.listdir(parent)) - {'fxtrecord-AbCdEf'}

    def begin(name):
        before = left()
        recorder = start(r, '-o', os.path.join(directory, name), *work, env=environment)
        wait_for(lambda: any(glob.glob(os.path.join(parent, new, '*', 'cpu*.bin'))
                             for new in left() - before), 'a region')
        return recorder, left() - before
    killed, of_killed = begin('killed.fxt')
    lives, of_living = begin('lives.fxt')
    commands = children_of(killed) + children_of(lives)
    try:
        killed.kill()
        killed.wait()
        assert left() == of_killed | of_living and len(left()) == 2, left()
        r.record('-q', '-o', os.path.join(directory, 'next.fxt'), 'true', env=environment)
        assert left() == of_living, (left(), of_living)
    finally:
        # They have the recorders' pipes.
        kill_all(commands)
    killed.communicate()
    lives.communicate(timeout=patience.SECONDS)
    assert not left() and os.listdir(own) == ['mine'], left()
    r.dump(os.path.join(directory, 'lives.fxt'))


def test_times_of_the_killed(r, directory):
    """Where it was killed, samples stand for the period that was asked for."""
    archive = os.path.join(directory, 'short.fxt')
    recorder = start(r, '--period', '10ms', '-o', archive, r.workload, '-s', '100')
    wait_for(lambda: os.path.exists(archive) and os.path.getsize(archive) > 8000, 'samples')
    left = children_of(recorder)
    recorder.kill()
    kill_all(left)
    recorder.communicate()
    stacks, times = r.folded(archive), r.folded('--value', 'time', archive)
    assert sum(ns for _, ns in times) == sum(n for _, n in stacks) * 10**7 > 0
    assert any('hash_blocks' in stack for stack, _ in stacks)


def test_regions_of_the_killed(r, directory):
    """Regions that were left by one that was killed have names."""
    regions = os.path.join(directory, 'left')
    names = os.path.join(regions, 'names.fxt')
    recorder = start(r, '--buffer-size', '1M', '--regions', regions, r.workload, '-s', '100')
    wait_for(lambda: os.path.exists(names) and os.path.getsize(names) > 1500, 'names')
    time.sleep(0.5)
    left = children_of(recorder)
    recorder.kill()
    kill_all(left)
    recorder.communicate()
    files = glob.glob(os.path.join(regions, 'cpu*.bin'))
    assert any('hash_blocks' in stack for stack, _ in r.folded(names, *files))


def test_target_killed(r, directory):
    """What is recorded of a target that is killed is whole."""
    archive = os.path.join(directory, 'target.fxt')
    recorder = start(r, '-F', '1000', '-o', archive, r.workload, '-s', '100')
    wait_for(lambda: os.path.exists(archive) and os.path.getsize(archive) > 8000, 'samples')
    kill_all(children_of(recorder))
    recorder.communicate(timeout=patience.SECONDS)
    assert recorder.returncode == 128 + signal.SIGKILL, recorder.returncode
    records = r.dump(archive)
    assert recording_of(records)['samples'] == len(samples_of(records)) > 0
    check_order(records)


def test_followed(r, directory):
    """A reader at the same time sees whole records, as they are written, and the end."""
    archive = os.path.join(directory, 'followed.fxt')
    tool = os.path.join(r.tools, 'fxtdump', 'fxtdump')
    recorder = start(r, '-o', archive, r.workload, '-s', '100')
    wait_for(lambda: os.path.exists(archive), 'the archive')
    reader = subprocess.Popen([tool, '--json', '--strict', '--follow', archive],
                              stdout=subprocess.PIPE, text=True)
    lines = []
    while sum('"pcs"' in line for line in lines) < 5:
        lines.append(reader.stdout.readline())
    assert recorder.poll() is None and reader.poll() is None
    kill_all(children_of(recorder))
    recorder.communicate(timeout=patience.SECONDS)
    lines += reader.stdout.readlines()
    assert reader.wait(timeout=patience.SECONDS) == 0
    assert [json.loads(line) for line in lines] == r.dump(archive)


if __name__ == '__main__':
    main(both=(test_killed, test_followed, test_times_of_the_killed, test_target_killed),
         perf=(test_regions_of_the_killed,), signals=(test_directory_of_the_killed,))
