#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What fxtrecord records agrees with what the program measured itself, by its threads' CPU
clocks, and with what another profiler says. See recorder.py.

The program does a fixed amount of work, and shares are of CPU time: however busy the
machine is, there are several thousand samples.
"""

import json
import os
import shutil

from recorder import KERNEL, build_c, main, recording_of, run, samples_of

PHASES = ('hash_blocks', 'solve_queens', 'sort_numbers', 'read_zeros')
# By signals fewer samples come than by perf events.
ROUNDS = {'perf': '700', 'signal': '1000'}
# It does not fall in step with the program's rounds.
FREQUENCY = '3001'

# Half of its time in one thread, and half in threads that live for less than a tick.
SHORT_THREADS = '''
#include <pthread.h>

static __attribute__((noinline)) void work(void)
{
    for (volatile unsigned i = 0; i < 4000000; i++)
        continue;
}

static __attribute__((noinline)) void *work_shortly(void *unused)
{
    work();
    return unused;
}

static __attribute__((noinline)) void work_on(void)
{
    work();
    __asm__ volatile("");
}

int main(void)
{
    for (int i = 0; i < 800; i++) {
        pthread_t thread;

        if (pthread_create(&thread, NULL, work_shortly, NULL) != 0)
            return 1;
        pthread_join(thread, NULL);
        work_on();
    }
    return 0;
}
'''


def shares_of(stacks):
    total = sum(count for _, count in stacks)
    return {phase: sum(count for stack, count in stacks if phase in stack) / total
            for phase in PHASES}


def check_shares(truth, stacks, what):
    """Each phase's share of the samples is its share of the CPU time within five points.
    Of three thousand samples, chance makes one point."""
    shares = shares_of(stacks)
    for phase in PHASES:
        expected = truth[phase] / truth['total']
        print(f'{what}: {phase:14} {expected:6.1%} of the time, {shares[phase]:6.1%} of samples')
        assert abs(shares[phase] - expected) <= 0.05, (what, phase)
    return shares


def work(r):
    return [r.workload, '-j', '4', '-n', ROUNDS[r.method]]


def check_time(r, archive, truth):
    """All samples together stand for the CPU time that passed, whatever the timers did:
    some per cent more than what the program measured, as it began and ended."""
    total = sum(ns for _, ns in r.folded('--value', 'time', archive))
    print(f'{r.method}: samples are worth {total / truth["total"]:.1%} of the time')
    assert 0.98 * truth['total'] < total < 1.15 * truth['total'], (total, truth)


def test_truth(r, directory):
    archive = os.path.join(directory, 'truth.fxt')
    done = r.record('-q', '-F', FREQUENCY, '-o', archive, *work(r))
    truth, records = json.loads(done.stdout), r.dump(archive)
    samples, said = samples_of(records), recording_of(records)
    print(f'{r.method}: {len(samples)} samples of {truth["total"] / 1e9:.2f} s')
    assert len(samples) >= 1000, len(samples)
    shares = check_shares(truth, r.folded(archive), r.method)
    in_kernel = sum(int(sample['pcs'][0], 16) >= KERNEL for sample in samples)
    assert (in_kernel > 0) == (r.method == 'perf'), in_kernel
    check_time(r, archive, truth)
    assert said['asked_period_ns'] == 10**9 // int(FREQUENCY), said
    if r.method == 'perf':
        # The kernel takes what it was asked to take, and nothing is lost on the way.
        assert 0.8 < said['period_ns'] / said['asked_period_ns'] < 1.25, said
        check_perf(r, directory, shares)


def check_perf(r, directory, ours):
    if shutil.which('perf') is None:
        print('skipped: there is no perf')
        return
    data = os.path.join(directory, 'perf.data')
    done = run('perf', 'record', '-q', '-e', 'cpu-clock', '-F', FREQUENCY, '--call-graph', 'fp',
               '-o', data, *work(r))
    script = run('perf', 'script', '-i', data, '-F', 'ip,sym').stdout
    stacks = []
    for block in script.strip().split('\n\n'):
        lines = [line.split(maxsplit=1) for line in block.splitlines() if line.strip()]
        stacks.append(([line[-1].strip() for line in lines], 1))
    theirs = check_shares(json.loads(done.stdout), stacks, 'perf record')
    for phase in PHASES:
        assert abs(ours[phase] - theirs[phase]) < 0.05, (phase, ours, theirs)


def test_ticks(r, directory):
    """Without a frequency signals come by CPU time, and each stands for some ticks."""
    archive = os.path.join(directory, 'ticks.fxt')
    done = r.record('-q', '-o', archive, r.workload, '-j', '2', '-n', '500')
    check_time(r, archive, json.loads(done.stdout))


def test_short_threads(r, directory):
    """Threads that are over before a period is are sampled, too, and about as often as the
    time that they take: ticks that a busy machine leaves out are made up for later by
    threads that go on, and not by those."""
    program = build_c(directory, 'short', SHORT_THREADS, '-O1', '-fno-omit-frame-pointer')
    if program is None:
        print('skipped: there is no compiler')
        return
    archive = os.path.join(directory, 'short.fxt')
    for options in [], ['-F', '100']:
        r.record('-q', *options, '-o', archive, program)
        short, on = (sum(n for stack, n in r.folded(archive) if function in stack)
                     for function in ('work_shortly', 'work_on'))
        print(f'{short} samples of short threads, {on} of the one that goes on')
        assert short + on >= 50 and 0.25 < short / (short + on) < 0.75, (short, on)


if __name__ == '__main__':
    main(both=(test_truth,), signal=(test_ticks, test_short_threads))
