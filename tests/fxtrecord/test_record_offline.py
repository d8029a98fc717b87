#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""CPUs that go offline while something is recorded, and come back. No
other test runs at the same time: some count CPUs. See recorder.py."""

import collections
import os
import signal
import time

import patience
from cpu_offline import Offline, why_not
from live import children_of, kill_all, start
from recorder import (await_cpu_time, await_recording, main, recording_of, samples_of,
                      start_workload, threads_of, wait_for)


def use_both_cpus(process):
    """Until each of the threads that work has had time, half of them on each CPU."""
    threads = [thread for thread in threads_of(process) if thread != process]
    for i, thread in enumerate(threads):
        os.sched_setaffinity(thread, {i % 2})
    await_cpu_time(process, threads, 10**8)


def cpus_of(records):
    """The samples of each CPU."""
    cpu, found = None, collections.defaultdict(list)
    names = {}
    for record in records:
        if record.get('metadata') == 'provider_info':
            cpu = names[record['provider_id']] = record['name']
        elif record.get('metadata') == 'provider_section':
            cpu = names[record['provider_id']]
        elif 'pcs' in record:
            found[cpu].append(record)
    return found


def threads_apart(samples, period):
    """The share of samples that come less than half a period after one of the same thread,
    by a program that always runs: such a one would be sampled twice."""
    last, n_close = {}, 0
    for sample in sorted(samples, key=lambda x: x['time_ns']):
        n_close += sample['time_ns'] - last.get(sample['thread'], 0) < period / 2
        last[sample['thread']] = sample['time_ns']
    return n_close / max(len(samples), 1)


def check_offline(r, directory, seconds, workload, *target):
    """Records while a CPU is offline for a moment."""
    why = why_not()
    if why:
        print('skipped:', why)
        return
    archive = os.path.join(directory, 'offline.fxt')
    recorder = start(r, '-o', archive, *target)
    try:
        if workload:
            await_recording(recorder)
        else:
            wait_for(lambda: children_of(recorder), 'the command')
        time.sleep(0.2)
        with Offline():
            time.sleep(seconds)
        # It looks twice a second.
        time.sleep(1.2)
        process = workload.pid if workload else children_of(recorder)[0]
        back = time.monotonic_ns()
        use_both_cpus(process)
    finally:
        if workload:
            recorder.send_signal(signal.SIGINT)
        else:
            kill_all(children_of(recorder))
        said = recorder.communicate(timeout=patience.SECONDS)[1]
    assert not workload or recorder.returncode == 0, said
    check_back(r, archive, back, process)


def test_offline(r, directory):
    """A CPU that was offline, for less time than between two looks for CPUs, is sampled when
    it is back."""
    workload = start_workload(r)
    try:
        check_offline(r, directory, 0.05, workload, '-a')
    finally:
        workload.kill()
        workload.wait()


def test_offline_command(r, directory):
    """The same of a command, whose threads' events the kernel keeps: they are sampled once,
    when the CPU is back, and not twice."""
    check_offline(r, directory, 0.7, None, r.workload, '-j', '2', '-s', '100')


def check_back(r, archive, back, process):
    records = r.dump(archive)
    said = recording_of(records)
    assert said['samples'] == len(samples_of(records)), said
    for cpu, samples in cpus_of(records).items():
        late = [x for x in samples if x['time_ns'] > back and x['process'] == process]
        share = threads_apart(late, said['asked_period_ns'])
        print(f'# {cpu}: {len(samples)} samples, {len(late)} of them when it is back; '
              f'{share:.1%} of these are too close')
        assert len(late) > 10 and share < 0.2, (cpu, len(samples), len(late), share)


if __name__ == '__main__':
    main(perf=(test_offline, test_offline_command))
