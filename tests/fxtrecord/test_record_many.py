#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Two thousand threads. See recorder.py."""

import json
import os
import resource
import subprocess
import time

import patience
import shares
from live import check_order
from recorder import build_c, main, recording_of

N_THREADS = 2000

# All exist when the first begins to work, and half of them do twice as much as the others.
# With a third argument they begin when a line comes.
MANY = '''
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_barrier_t all;
static uint64_t taken[2];
static uint64_t unit_ns;

static uint64_t cpu_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static __attribute__((noinline)) void work(uint64_t ns, uint64_t *total)
{
    uint64_t begun = cpu_ns();

    while (cpu_ns() < begun + ns)
        for (volatile int i = 0; i < 1000; i++)
            continue;
    __atomic_fetch_add(total, cpu_ns() - begun, __ATOMIC_SEQ_CST);
}

static __attribute__((noinline)) void *work_once(void *unused)
{
    pthread_barrier_wait(&all);
    work(unit_ns, &taken[0]);
    pthread_barrier_wait(&all);
    return unused;
}

static __attribute__((noinline)) void *work_twice(void *unused)
{
    pthread_barrier_wait(&all);
    work(2 * unit_ns, &taken[1]);
    pthread_barrier_wait(&all);
    return unused;
}

int main(int argc, char **argv)
{
    unsigned n = (unsigned)atoi(argv[1]);
    pthread_t *threads = malloc(n * sizeof(*threads));
    pthread_attr_t attributes;

    unit_ns = (uint64_t)atoi(argv[2]) * 1000;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 16);
    pthread_barrier_init(&all, NULL, n + 1);
    for (unsigned i = 0; i < n; i++) {
        if (pthread_create(&threads[i], &attributes, i % 2 ? work_twice : work_once, NULL) != 0)
            return 77;
    }
    if (argc > 3) {
        puts("ready");
        fflush(stdout);
        getchar();
    }
    pthread_barrier_wait(&all);
    pthread_barrier_wait(&all);
    for (unsigned i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    printf("{\\"work_once\\": %llu, \\"work_twice\\": %llu}\\n", (unsigned long long)taken[0],
           (unsigned long long)taken[1]);
    return 0;
}
'''


def build(directory):
    path = os.path.join(directory, 'many')
    if os.path.exists(path):
        return path
    path = build_c(directory, 'many', MANY, '-O1', '-fno-omit-frame-pointer')
    if path is None:
        print('skipped: there is no compiler')
    return path


def check(r, archive, truth):
    """Each half has its share, and all of the CPU time is in samples, or is counted."""
    records = r.dump(archive)
    n = check_order(records)
    said = recording_of(records)
    assert said['samples'] == n, (said, n)
    stacks = r.folded(archive)
    counts = {name: sum(k for stack, k in stacks if name in stack) for name in truth}
    total, total_ns = sum(counts.values()), sum(truth.values())
    worth = total * said['period_ns'] / total_ns
    print(f'# {counts} of {truth}: {worth:.1%} of the time')
    # What is lost may be all of one half: the halves need not run at the same time.
    lost = max(0, 1 - worth)
    for name, ns in truth.items():
        allowed = shares.allowed(ns / total_ns, total) + lost / 2
        assert abs(counts[name] / total - ns / total_ns) <= allowed, (name, counts, truth)
    return worth


def check_worth(worth, said):
    """On a machine that has other work, too, some samples may be lost, and are reported."""
    assert ' 0 dropped' in said and worth < 1.1, (worth, said)
    assert worth > 0.8 or ' 0 lost' not in said, (worth, said)


def test_command(r, directory):
    """A command with so many threads at the same time, which leave the recorder little of a
    CPU: what is lost is counted, and it does not take much memory."""
    program, archive = build(directory), os.path.join(directory, 'many.fxt')
    if program is None:
        return
    # By signals the kernel sees CPU time at its ticks, and a thread should have some.
    unit_us = 300 if r.method == 'perf' else 800
    recorder = subprocess.Popen(r.command('-o', archive, program, str(N_THREADS), str(unit_us)),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    printed, said = recorder.stdout.read(), recorder.stderr.read()
    _, status, usage = os.wait4(recorder.pid, 0)
    recorder.returncode = os.waitstatus_to_exitcode(status)
    if recorder.returncode == 77:
        print('skipped: so many threads are not allowed')
        return
    assert recorder.returncode == 0, said
    worth = check(r, archive, json.loads(printed))
    check_worth(worth, said)
    # A sanitizer keeps what is freed.
    assert r.sanitizers != 'none' or usage.ru_maxrss < 400 * 1024, usage.ru_maxrss


def start_waiting(program):
    process = subprocess.Popen([program, str(N_THREADS), '600', 'wait'], text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    return process, process.stdout.readline() == 'ready\n'


def await_attached(recorder):
    """Until it has a file, at least, for each thread, and opens no more."""
    last, n = -1, 0
    while n <= N_THREADS or n != last:
        time.sleep(0.3)
        assert recorder.poll() is None, recorder.communicate()
        last, n = n, len(os.listdir(f'/proc/{recorder.pid}/fd'))


def test_process(r, directory):
    """A process that has them already. Where files are too few for all of them, the message
    names the limit."""
    program, archive = build(directory), os.path.join(directory, 'running.fxt')
    if program is None:
        return
    process, is_ready = start_waiting(program)
    try:
        if not is_ready:
            print('skipped: so many threads are not allowed')
            return

        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
        done = subprocess.run(r.command('-o', archive, '-p', str(process.pid)), check=False,
                              preexec_fn=limit, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1 and '(ulimit -n) is 1024' in done.stderr, done
        assert not os.path.exists(archive)
        if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < (os.cpu_count() + 2) * N_THREADS:
            print('skipped: so many files are not allowed')
            return
        recorder = subprocess.Popen(r.command('-o', archive, '-p', str(process.pid)), text=True,
                                    stderr=subprocess.PIPE)
        await_attached(recorder)
        printed = process.communicate('\n')[0]
        said = recorder.communicate(timeout=patience.SECONDS)[1]
        assert recorder.returncode == 0, said
        check_worth(check(r, archive, json.loads(printed)), said)
    finally:
        process.kill()
        process.wait()


if __name__ == '__main__':
    main(both=(test_command,), perf=(test_process,))
