#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A machine whose time is not steady while something is recorded: all is stopped for a
while, as in a suspend, and clocks step, or are others. See recorder.py."""

import os
import signal
import subprocess
import time

import patience
from live import check_order, children_of, start
from recorder import build_c, cpu_time_of, main, recording_of, samples_of, wait_for


def test_stopped(r, directory):
    """The recorder is stopped for a second, and then the command with it: the time of the
    first is recorded or counted as lost, and that of the second has no samples."""
    archive = os.path.join(directory, 'stopped.fxt')
    recorder = start(r, '-o', archive, r.workload, '-j', '2', '-s', '100')
    wait_for(lambda: os.path.exists(archive) and os.path.getsize(archive) > 3000, 'samples')
    command = children_of(recorder)[0]
    os.kill(recorder.pid, signal.SIGSTOP)
    time.sleep(0.7)
    os.kill(command, signal.SIGSTOP)
    time.sleep(0.05)
    begun = time.monotonic_ns()
    time.sleep(0.5)
    ended = time.monotonic_ns()
    used = cpu_time_of(command)
    os.kill(recorder.pid, signal.SIGCONT)
    os.kill(command, signal.SIGCONT)
    wait_for(lambda: cpu_time_of(command) > used + 10**8, 'CPU time')
    used = cpu_time_of(command)
    os.kill(command, signal.SIGKILL)
    said = recorder.communicate(timeout=patience.SECONDS)[1]
    assert recorder.returncode == 128 + signal.SIGKILL, said
    records = r.dump(archive)
    n = check_order(records)
    assert recording_of(records)['samples'] == n
    assert not [x for x in samples_of(records) if begun < x['time_ns'] < ended]
    lost = sum(a['value'] for x in records if x.get('name') == 'drop_stats'
               for a in x['args'] if a['name'] == 'num_records')
    worth = (n + lost) * recording_of(records)['asked_period_ns']
    print(f'# {n} samples, {lost} lost: {worth / used:.1%} of the CPU time')
    # One that is late, on a busy machine or a busy host, stands for more.
    assert worth > 0.5 * used, (n, lost, used)


def test_time_namespace(r, directory):
    """In a namespace where the clock is another one, all times are by that."""
    archive = os.path.join(directory, 'namespace.fxt')
    for seconds in -1000, 100000:
        inside = ['unshare', '-T', '-f', '--monotonic', str(seconds)]
        if subprocess.run([*inside, 'true'], stderr=subprocess.DEVNULL, check=False).returncode:
            print('skipped: time namespaces are needed')
            return
        begun = time.monotonic_ns() + seconds * 10**9
        done = subprocess.run([*inside, *r.command('-o', archive, r.workload, '-n', '100')],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              check=True)
        ended = time.monotonic_ns() + seconds * 10**9
        assert ' 0 dropped, 0 lost' in done.stderr, done.stderr
        records = r.dump(archive)
        assert check_order(records) > 20, done.stderr
        times = [x['time_ns'] for x in records if x.get('time_ns')]
        assert begun <= min(times) and max(times) <= ended, (seconds, begun, min(times),
                                                             max(times), ended)


# The wall clock steps by a day at every call, back and forth.
STEPS = '''
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long step(void)
{
    static unsigned n;

    return __atomic_add_fetch(&n, 1, __ATOMIC_RELAXED) % 2 ? 86400 : -86400;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    long result = syscall(SYS_clock_gettime, (long)clock, time);

    if (clock == CLOCK_REALTIME)
        time->tv_sec += step();
    return (int)result;
}

time_t time(time_t *to)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    if (to != NULL)
        *to = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *to, void *unused)
{
    struct timespec now;

    (void)unused;
    clock_gettime(CLOCK_REALTIME, &now);
    *to = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return 0;
}
'''


def test_clock_steps(r, directory):
    """The wall clock says only when the recording began: its steps change nothing else, and
    files that are rotated have numbers."""
    shim = build_c(directory, 'steps.so', STEPS, '-shared', '-fPIC')
    if shim is None or r.sanitizers != 'none':
        print('skipped: a compiler, and programs without sanitizers, are needed')
        return
    archive = os.path.join(directory, 'steps.fxt')
    begun = time.monotonic_ns()
    r.record('-q', '-F', '2000', '--rotate', '64K', '-o', archive, r.workload, '-n', '300',
             env={**os.environ, 'LD_PRELOAD': shim})
    ended = time.monotonic_ns()
    files = sorted(x for x in os.listdir(directory) if x.startswith('steps.0'))
    assert len(files) > 1, files
    n = 0
    for i, name in enumerate(files):
        assert name == f'steps.{i + 1:04}.fxt', files
        records = r.dump(os.path.join(directory, name))
        n += check_order(records)
        assert abs(recording_of(records)['start_unix_ns'] - time.time_ns()) < 2 * 86400e9
        times = [x['time_ns'] for x in samples_of(records)]
        # The last one may have none.
        assert times or name == files[-1], name
        assert all(begun < x < ended for x in times), (name, min(times), max(times))
        os.unlink(os.path.join(directory, name))
    assert n > 20, n


if __name__ == '__main__':
    main(both=(test_stopped, test_time_namespace, test_clock_steps))
