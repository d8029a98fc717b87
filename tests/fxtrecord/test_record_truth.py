#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What fxtrecord records agrees with what the program measured itself, by its threads' CPU
clocks, and with what another profiler says. See recorder.py.

The program does a fixed amount of work, and shares are of CPU time: however busy the
machine is, there are several thousand samples.
"""

import json
import os
import resource
import shutil
import subprocess

import patience
import shares
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


def check_shares(truth, stacks, what, n, missing):
    """Each phase's share of the samples is its share of the CPU time."""
    got = shares_of(stacks)
    print(f'{what}: {n:.0f} samples, {missing:.1%} of the time without')
    for phase in PHASES:
        expected = truth[phase] / truth['total']
        bound = shares.allowed(expected, n, missing)
        print(f'{what}: {phase:14} {expected:6.1%} of the time, {got[phase]:6.1%} of '
              f'samples, which may be {bound:.1%} off')
        assert abs(got[phase] - expected) <= bound, (what, phase)
    return got


def n_switches():
    """How often a CPU was taken from the programs that have ended."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_nivcsw


def check_samples(truth, r, archive, what, n_late=0):
    """The same of an archive. By signals, a period that ends while a thread has to wait for
    a CPU makes no sample."""
    records = r.dump(archive)
    samples = samples_of(records)
    n = shares.independent(samples)
    period_ns = recording_of(records)['asked_period_ns']
    # A stretched period is as long as a stack has copies.
    n_late *= len(samples) / n if r.method == 'signal' else 0
    missing = shares.missing_part(truth['total'], len(samples), period_ns, n_late)
    return check_shares(truth, r.folded(archive), what, n, missing), n, missing


def work(r):
    return [r.workload, '-j', '4', '-n', ROUNDS[r.method]]


def check_time(r, archive, truth):
    """All samples together stand for the CPU time that passed, whatever the timers did:
    some per cent more than what the program measured, as it began and ended."""
    total = sum(ns for _, ns in r.folded('--value', 'time', archive))
    print(f'{r.method}: samples are worth {total / truth["total"]:.1%} of the time')
    assert 0.98 * truth['total'] < total < 1.15 * truth['total'], (total, truth)


def undisturbed(record):
    """What `record` returns. A host can take time from one phase that the kernel counts as
    the thread's; that does not happen three times in a row."""
    for _ in range(2):
        try:
            return record()
        except AssertionError as error:
            print('recorded again:', error)
    return record()


def test_truth(r, directory):
    archive = os.path.join(directory, 'truth.fxt')

    def record():
        n_late = n_switches()
        done = r.record('-q', '-F', FREQUENCY, '-o', archive, *work(r))
        n_late = n_switches() - n_late
        truth = json.loads(done.stdout)
        return truth, check_samples(truth, r, archive, r.method, n_late)

    truth, ours = undisturbed(record)
    records = r.dump(archive)
    samples, said = samples_of(records), recording_of(records)
    print(f'{r.method}: {len(samples)} samples of {truth["total"] / 1e9:.2f} s')
    assert len(samples) >= 1000, len(samples)
    in_kernel = sum(int(sample['pcs'][0], 16) >= KERNEL for sample in samples)
    assert (in_kernel > 0) == (r.method == 'perf'), in_kernel
    check_time(r, archive, truth)
    assert said['asked_period_ns'] == 10**9 // int(FREQUENCY), said
    assert 'period_cycles' not in said, said
    if r.method == 'perf':
        # The kernel takes what it was asked to take, and nothing is lost on the way.
        assert 0.8 < said['period_ns'] / said['asked_period_ns'] < 1.25, said
        check_perf(r, directory, 'cpu-clock', *ours)


def check_perf(r, directory, event, ours, n, missing):
    """What perf found is true, and does not differ from ours by more than both may."""
    if shutil.which('perf') is None:
        print('skipped: there is no perf')
        return
    data = os.path.join(directory, 'perf.data')
    # The same program, but with the frame pointers that perf needs.
    program = os.path.join(os.path.dirname(r.tools), 'tests', 'workload_frames')
    done = run('perf', 'record', '-q', '-e', event, '-F', FREQUENCY, '--call-graph', 'fp',
               '-o', data, program, *work(r)[1:])
    script = run('perf', 'script', '-i', data, '-F', 'ip,sym').stdout
    stacks = []
    for block in script.strip().split('\n\n'):
        lines = [line.split(maxsplit=1) for line in block.splitlines() if line.strip()]
        stacks.append(([line[-1].strip() for line in lines], 1))
    truth = json.loads(done.stdout)
    their_missing = 0 if event == 'cycles' else shares.missing_part(
        truth['total'], len(stacks), 10**9 / int(FREQUENCY))
    theirs = check_shares(truth, stacks, 'perf record', len(stacks), their_missing)
    for phase in PHASES:
        bound = (shares.allowed(theirs[phase], len(stacks), their_missing) +
                 shares.allowed(ours[phase], n, missing))
        assert abs(ours[phase] - theirs[phase]) < bound, (phase, ours, theirs)


def is_refused(r, directory):
    """Without counters of cycles nothing is recorded, and the reason is reported."""
    archive, ran = (os.path.join(directory, name) for name in ('refused.fxt', 'ran'))
    done = subprocess.run(r.command('--event', 'cycles', '-o', archive, 'touch', ran),
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode == 0:
        return False
    print('cycles are refused:', done.stderr.strip())
    assert done.returncode == 2 and done.stderr.count('\n') == 1, done
    assert 'counter of CPU cycles' in done.stderr, done.stderr
    assert not os.path.exists(archive) and not os.path.exists(ran)
    # What an earlier recording left stays.
    regions = os.path.join(directory, 'regions')
    r.record('-q', '--regions', regions, 'true')
    left = run('ls', '-ls', '--full-time', regions).stdout
    r.record('-q', '--event', 'cycles', '--regions', regions, 'true', status=2)
    assert run('ls', '-ls', '--full-time', regions).stdout == left
    return True


def test_cycles(r, directory):
    """The truth by counters of cycles; where there are none, a clock stands in for them."""
    archive = os.path.join(directory, 'cycles.fxt')
    environment = dict(os.environ)
    refused = is_refused(r, directory)
    if refused and r.sanitizers != 'none':
        print('skipped: sanitizers want to be loaded before a stand-in for counters')
        return
    if refused:
        environment['LD_PRELOAD'] = os.path.join(
            os.path.dirname(r.tools), 'tests', 'libcycles_stand_in.so')

    def record():
        done = r.record('-q', '--event', 'cycles', '-F', FREQUENCY, '-o', archive, *work(r),
                        env=environment)
        truth = json.loads(done.stdout)
        n = len(samples_of(r.dump(archive)))
        # As many cycles as there are: no time is known to be missing.
        return truth, (check_shares(truth, r.folded(archive), 'cycles', n, 0), n, 0)

    truth, ours = undisturbed(record)
    said = recording_of(r.dump(archive))
    check_time(r, archive, truth)
    # What CPUs do after the number of cycles was measured is theirs.
    assert 1/3 < said['period_ns'] / said['asked_period_ns'] < 3, said
    if refused:
        # A cycle of the stand-in is a nanosecond.
        assert 0.9 < said['period_cycles'] / said['asked_period_ns'] < 1.1, said
    else:
        assert said['period_cycles'] > 0, said
        check_perf(r, directory, 'cycles', *ours)


def test_ticks(r, directory):
    """Without a frequency signals come by CPU time, and each stands for some ticks."""
    archive = os.path.join(directory, 'ticks.fxt')
    done = r.record('-q', '-o', archive, r.workload, '-j', '2', '-n', '500')
    check_time(r, archive, json.loads(done.stdout))


def test_threads_that_wait(r, directory):
    """Threads that share a CPU lose it mostly where the kernel looks whether their turn is
    over, as when they ask for their CPU time. They are not found there more often than they
    are there."""
    archive = os.path.join(directory, 'wait.fxt')
    cpus = os.sched_getaffinity(0)

    def record():
        os.sched_setaffinity(0, [min(cpus)])
        try:
            r.record('-q', '--period', '2ms', '-o', archive, r.workload, '-j', '2', '-n', '500')
        finally:
            os.sched_setaffinity(0, cpus)
        stacks = r.folded(archive)
        total = sum(n for _, n in stacks)
        between = sum(n for stack, n in stacks if not any(phase in stack for phase in PHASES))
        print(f'{between} of {total} samples are of no phase')
        assert total > 50 and between / total < 0.15, (between, total)

    undisturbed(record)


def test_short_periods(r, directory):
    """Periods that signals alone would fill are stretched: the program continues, its samples
    stand for its time, and it is reported. Those that cannot be are refused."""
    program = [r.workload, '-j', '2', '-n', '200']
    archive = os.path.join(directory, 'short.fxt')
    alone = json.loads(run(*program).stdout)['total']
    for period in '10us', '20us':
        n_late = n_switches()
        done = subprocess.run(r.command('--period', period, '-o', archive, *program),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False, timeout=patience.SECONDS)
        print(f'{period}:', done.stderr.strip())
        if done.returncode != 0:
            assert done.returncode == 1 and 'too short for signals' in done.stderr, done
            continue
        n_late = n_switches() - n_late
        truth, said = json.loads(done.stdout), recording_of(r.dump(archive))
        # A third more, if the CPU is always as fast; without an end, if it is not stretched.
        alone = max(alone, json.loads(run(*program).stdout)['total'])
        print(f'{period}: {truth["total"] / alone:.2f} times the time')
        assert truth['total'] < 8 * alone, (truth, alone)
        assert ('sampling was throttled' in done.stderr) == ('throttled' in said), said
        check_samples(truth, r, archive, period, n_late)
        check_time(r, archive, truth)


def test_short_threads(r, directory):
    """Threads that are over before a period is are sampled, too, and about as often as the
    time that they take: ticks that a busy machine leaves out are made up for later by
    threads that continue, and not by those."""
    program = build_c(directory, 'short', SHORT_THREADS, '-O1', '-fno-omit-frame-pointer')
    if program is None:
        print('skipped: there is no compiler')
        return
    archive = os.path.join(directory, 'short.fxt')
    for options in [], ['-F', '100']:
        r.record('-q', *options, '-o', archive, program)
        short, on = (sum(n for stack, n in r.folded(archive) if function in stack)
                     for function in ('work_shortly', 'work_on'))
        print(f'{short} samples of short threads, {on} of the one that continues')
        assert short + on >= 50 and 0.25 < short / (short + on) < 0.75, (short, on)


if __name__ == '__main__':
    main(both=(test_truth,), perf=(test_cycles,),
         signals=(test_ticks, test_threads_that_wait, test_short_periods, test_short_threads))
