#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What fxtrecord samples: commands with their children and threads, processes that run
already, single threads, the system, CPUs that come. See recorder.py."""

import collections
import os
import shutil
import signal
import subprocess
import time

import patience
from recorder import (await_cpu_time, await_events, await_recording, build_c, check_mapped,
                      events_of, has_events, interrupt, main, processes_of, run, samples_of,
                      start_workload, threads_of)


def test_children(r, directory):
    """Children, and theirs, are followed, and are known though they ended long before."""
    archive = os.path.join(directory, 'children.fxt')
    r.record('-q', '-o', archive, 'sh', '-c',
             f'{r.workload} -n 400 -j 1; ({r.workload} -n 200 -j 2 & wait); exec sleep 0.1')
    records = r.dump(archive)
    sampled = collections.Counter(x['process'] for x in samples_of(records))
    names = processes_of(records)
    # A sanitizer looks for leaks in a separate process, which is soon over.
    workers = [p for p, n in sampled.items() if names.get(p) == 'workload' and n >= 10]
    assert len(workers) == 2, (sampled, names)
    assert set(sampled) <= set(names), (sampled, names)
    modules = {(x['process'], x['name']) for x in records if x.get('profiler') == 'module'}
    for process in workers:
        assert (process, r.workload) in modules, (process, modules)
    stacks = r.folded(archive)
    assert sum(n for s, n in stacks if 'hash_blocks' in s) > 10, stacks


THREADS = '''
#include <pthread.h>
#include <threads.h>
#include <time.h>

static void spin(void)
{
    struct timespec now;

    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while (now.tv_nsec < 20000000);
}
static void *by_pthread(void *unused) { spin(); return unused; }
static int by_thrd(void *unused) { (void)unused; spin(); return 0; }
int main(void)
{
    for (int i = 0; i < 10; i++) {
        pthread_t first;
        thrd_t second;

        pthread_create(&first, 0, by_pthread, 0);
        thrd_create(&second, by_thrd, 0);
        pthread_join(first, 0);
        thrd_join(second, 0);
    }
}
'''


def test_threads(r, directory):
    """Threads that start and exit while recording, in whatever way they are started."""
    program = build_c(directory, 'threads', THREADS, '-fno-omit-frame-pointer')
    if program is None:
        print('skipped: there is no C compiler')
        return
    archive = os.path.join(directory, 'threads.fxt')
    r.record('-q', '-o', archive, program)
    records = r.dump(archive)
    threads = collections.Counter(x['thread'] for x in samples_of(records))
    named = {x['koid'] for x in records if x.get('object_type') == 'thread'}
    # By signals one that no tick of the kernel's has met is not sampled.
    assert len(threads) >= (18 if r.method == 'perf' else 10), threads
    assert set(threads) <= named, (threads, named)
    stacks = r.folded(archive)
    for function in 'by_pthread', 'by_thrd':
        assert sum(n for s, n in stacks if function in s) >= 10, stacks


def test_running(r, directory):
    """A process that runs already, with its threads; one thread; the whole system."""
    process = start_workload(r)
    tids = [t for t in threads_of(process.pid) if t != process.pid]
    archive = os.path.join(directory, 'running.fxt')

    def record(n_threads, *target):
        """Until each thread has had time for a hundred samples."""
        recorder = subprocess.Popen(r.command('-q', '-o', archive, *target))
        await_events(recorder, events_of(n_threads) if n_threads else os.cpu_count())
        if '-a' in target:
            await_recording(recorder)
        await_cpu_time(process.pid, tids, 10**8)
        interrupt(recorder)
        return r.dump(archive)
    try:
        begun = time.monotonic()
        r.record('-q', '-d', '0.5', '-o', archive, '-p', str(process.pid))
        assert time.monotonic() - begun >= 0.5
        records = record(5, '-p', str(process.pid))
        assert {x['thread'] for x in samples_of(records)} == set(tids), tids
        check_mapped(records)
        samples = samples_of(record(2, '-t', f'{tids[0]},{tids[2]}'))
        assert {x['thread'] for x in samples} == {tids[0], tids[2]}
        records = record(0, '-a')
        assert process.pid in {x['process'] for x in samples_of(records)}
        check_mapped([x for x in records if x.get('process') == process.pid])
    finally:
        process.kill()
        process.wait()


def test_started_while_recording(r, directory):
    """Programs that are started while a recording of the whole system begins are known.
    Each has more work to do than the recorder before it samples: however busy the machine
    is, some are not done by then."""
    archive = os.path.join(directory, 'started.fxt')
    recorder = subprocess.Popen(r.command('-q', '-a', '-o', archive))
    programs = []
    try:
        for _ in range(20):
            programs.append(subprocess.Popen([r.workload, '-n', '400', '-j', '1'],
                                             stdout=subprocess.DEVNULL))
            time.sleep(0.004)
    finally:
        for program in programs:
            program.wait()
        interrupt(recorder)
    records = r.dump(archive)
    sampled = {x['process'] for x in samples_of(records)} & {p.pid for p in programs}
    known = {x['process'] for x in records
             if x.get('profiler') == 'module' and x['name'] == r.workload}
    names = processes_of(records)
    assert sampled and sampled <= known, (sampled, known)
    assert {names[x] for x in sampled} == {'workload'}, names


def test_ended_early(r, directory):
    """A process that ends while the recorder reads /proc, and has not come to it, is known
    if it was sampled. A recorder that is stopped there is a slow one."""
    archive = os.path.join(directory, 'early.fxt')
    for _ in range(3):
        program = start_workload(r)
        recorder = subprocess.Popen(r.command('-q', '-a', '-o', archive))
        while not has_events(recorder, os.cpu_count()):
            continue
        recorder.send_signal(signal.SIGSTOP)
        await_cpu_time(program.pid, threads_of(program.pid)[1:], 10**8)
        program.kill()
        program.wait()
        recorder.send_signal(signal.SIGCONT)
        await_recording(recorder)
        interrupt(recorder)
        records = r.dump(archive)
        known = {x['process'] for x in records
                 if x.get('profiler') == 'module' and x['name'] == r.workload}
        n = sum(x['process'] == program.pid for x in samples_of(records))
        assert n == 0 or program.pid in known, (n, known)


def test_beside_perf(r, directory):
    """While the system is recorded, perf can record, too: the kernel would mark its mappings
    as ours are, and there are perfs that die of that."""
    if shutil.which('perf') is None:
        print('skipped: there is no perf')
        return
    archive, data = os.path.join(directory, 'all.fxt'), os.path.join(directory, 'perf.data')
    recorder = subprocess.Popen(r.command('-q', '-a', '-o', archive))
    try:
        await_recording(recorder)
        run('perf', 'record', '-q', '-e', 'cpu-clock', '-o', data, r.workload, '-n', '100')
    finally:
        interrupt(recorder)
    mapped = [x['name'] for x in r.dump(archive) if x.get('profiler') == 'module']
    assert r.workload in mapped, mapped


def test_after_perf(r, directory):
    """The same of a process that perf records already."""
    if shutil.which('perf') is None:
        print('skipped: there is no perf')
        return
    archive, data = os.path.join(directory, 'both.fxt'), os.path.join(directory, 'perf.data')
    process = subprocess.Popen(['sh', '-c', 'read line; "$0" -n 100; true', r.workload],
                               stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    target = '-p', str(process.pid)
    perf = subprocess.Popen(['perf', 'record', '-q', '-e', 'cpu-clock', '-o', data, *target])
    await_events(perf, os.cpu_count())
    recorder = subprocess.Popen(r.command('-q', '-o', archive, *target))
    await_events(recorder, events_of(1))
    time.sleep(1)
    process.communicate(b'\n')
    assert perf.wait(timeout=patience.SECONDS) == 0
    assert recorder.wait(timeout=patience.SECONDS) == 0
    mapped = {x['name']: x['build_id'] for x in r.dump(archive)
              if x.get('profiler') == 'module'}
    assert mapped.get(r.workload), mapped


def test_gone(r, directory):
    """A process ends while it is recorded, with all that it had mapped."""
    process = start_workload(r)
    archive = os.path.join(directory, 'gone.fxt')
    recorder = subprocess.Popen(r.command('-q', '-o', archive, '-p', str(process.pid)))
    await_events(recorder, events_of(5))
    await_cpu_time(process.pid, threads_of(process.pid)[1:], 10**8)
    process.kill()
    process.wait()
    assert recorder.wait(timeout=patience.SECONDS) == 0
    check_mapped(r.dump(archive))


def test_zombie(r, directory):
    """A process that that has exited counts as ended even before it is reaped."""
    archive = os.path.join(directory, 'zombie.fxt')
    for option in '-p', '-t':
        process = start_workload(r)
        recorder = subprocess.Popen(r.command('-q', '-o', archive, option, str(process.pid)))
        await_events(recorder, events_of(5 if option == '-p' else 1))
        # It is waited for only when the recorder has ended.
        process.kill()
        assert recorder.wait(timeout=patience.SECONDS) == 0
        process.wait()


ONLINE = '/sys/devices/system/cpu/online'


def test_cpus(r, directory):
    """A CPU that is hot-added is sampled from then on, one that is removed is not the end,
    and both are reported."""
    online, archive = os.path.join(directory, 'online'), os.path.join(directory, 'cpus.fxt')
    inside = ['unshare', '-m', 'sh', '-c', f'mount --bind {online} {ONLINE} && exec "$@"', 'sh']

    def set_online(cpus):
        with open(online, 'w') as file:
            file.write(cpus + '\n')
    set_online('0')
    if os.cpu_count() < 2 or subprocess.run([*inside, 'true'], check=False,
                                            stderr=subprocess.DEVNULL).returncode:
        print('skipped: two CPUs and a mount namespace are needed')
        return
    workload = start_workload(r)
    recorder = subprocess.Popen([*inside, *r.command('-o', archive, '-a')],
                                stderr=subprocess.PIPE, text=True)
    await_events(recorder, 2)
    await_recording(recorder)
    time.sleep(0.6)
    set_online('0-1')
    await_events(recorder, 4)
    await_cpu_time(workload.pid, threads_of(workload.pid)[1:], 3 * 10**8)
    set_online('0')
    # It looks twice a second.
    time.sleep(3)
    recorder.send_signal(signal.SIGINT)
    said = recorder.communicate()[1]
    workload.kill()
    workload.wait()
    assert recorder.returncode == 0 and 'hot-added while recording: 1, hot-removed: 1' in said, said
    first, cpu = {}, None
    for record in r.dump(archive):
        if record.get('metadata') == 'provider_info':
            cpu = record['name']
        elif 'pcs' in record:
            first.setdefault(cpu, record['time_ns'])
    assert set(first) == {'cpu0', 'cpu1'}, first
    assert first['cpu1'] - first['cpu0'] > 0.5e9, first


if __name__ == '__main__':
    main(both=(test_children, test_threads),
         perf=(test_running, test_started_while_recording, test_ended_early, test_beside_perf,
               test_after_perf, test_gone, test_zombie, test_cpus))
