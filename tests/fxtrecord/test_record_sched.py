#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the scheduler does, as fxtrecord records it, agrees with what the kernel accounts to
each thread (schedstat: how long it ran, how long it waited for a CPU, and how often it was
run), and with what programs know of their own waits. See recorder.py.

The bounds are of times that the kernel or the program measured in the same run, so that
they hold however busy the machine is.
"""

import json
import os
import subprocess
import tempfile

from recorder import await_recording, build_c, interrupt, main, processes_of, run

COMMON = '''
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))
/* Not the last call of its function, so that this stays on the stack. */
#define STAY __asm__ volatile("")

static long long now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static long long times[16];

/* How long the first thread of this process ran and waited, and how often it was run: it
 * does something before this program begins, or it is recorded. To a file: what reads a pipe
 * would be woken, and run, before this program has ended. */
static void print_account(const char *name)
{
    static char before[128];
    char now[128] = "";
    int to = open(getenv("ACCOUNTS"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    FILE *file = fopen("/proc/self/schedstat", "r");

    if (to < 0 || file == NULL || fgets(now, sizeof(now), file) == NULL)
        exit(1);
    fclose(file);
    now[strcspn(now, "\\n")] = '\\0';
    if (name == NULL)
        memcpy(before, now, sizeof(before));
    else
        dprintf(to, "%s %d %s %s\\n", name, getpid(), now, before);
    close(to);
}
'''

PAIR = COMMON + '''
APART static void send(int pipe)
{
    if (write(pipe, "x", 1) != 1)
        exit(1);
    STAY;
}

APART static int receive(int pipe)
{
    char c;
    int n = (int)read(pipe, &c, 1);

    STAY;
    return n;
}

int main(void)
{
    int there[2];
    int back[2];

    if (pipe(there) != 0 || pipe(back) != 0)
        return 1;
    print_account(NULL);
    if (fork() == 0) {
        print_account(NULL);
        close(there[1]);
        while (receive(there[0]) == 1)
            send(back[1]);
        print_account("child");
        _exit(0);
    }
    for (int i = 0; i < 3000; i++) {
        send(there[1]);
        receive(back[0]);
    }
    close(there[1]);
    wait(NULL);
    print_account("parent");
    return 0;
}
'''

SLEEPER = COMMON + '''
APART static void rest(void)
{
    long long begin = now();

    usleep(20000);
    times[0] += now() - begin;
}

APART static void work(void)
{
    for (volatile int i = 0; i < 3000000; i++)
        continue;
}

int main(void)
{
    print_account(NULL);
    times[1] = now();
    for (int i = 0; i < 30; i++) {
        rest();
        work();
    }
    printf("rest %lld\\nall %lld\\n", times[0], now() - times[1]);
    fflush(stdout);
    print_account("sleeper");
    return 0;
}
'''

CONVOY = COMMON + '''
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

APART static void take(int i)
{
    long long begin = now();

    pthread_mutex_lock(&lock);
    times[i] += now() - begin;
}

APART static void hold(int i)
{
    long long begin = now();

    usleep(5000);
    times[8 + i] += now() - begin;
}

APART static void *walk(void *number)
{
    int i = (int)(long)number;

    for (int n = 0; n < 20; n++) {
        take(i);
        hold(i);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[4];
    long long taken = 0;
    long long held = 0;

    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, walk, (void *)i);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        taken += times[i];
        held += times[8 + i];
    }
    printf("take %lld\\nhold %lld\\n", taken, held);
    return 0;
}
'''


def run_with_accounts(directory, run_it):
    """Returns what that returns, and the words of each line that programs have printed."""
    accounts = os.environ['ACCOUNTS'] = os.path.join(directory, 'accounts')
    with open(accounts, 'w', encoding='ascii'):
        done = run_it()
    with open(accounts, encoding='ascii') as file:
        return done, [line.split() for line in [*done.stdout.splitlines(), *file]]


def record(r, directory, source, *options):
    """Records a program. Returns what it printed, word by word, and the archive."""
    program = build_c(directory, 'program', source, '-O1', '-g')
    archive = os.path.join(directory, 'sched.fxt')
    done, printed = run_with_accounts(
        directory, lambda: r.record(*options, '-o', archive, program))
    assert '0 dropped, 0 lost' in done.stderr, done.stderr
    return printed, archive


def stats_of(r, archive):
    """What fxtdump says of threads, by their ids; and of all."""
    tool = os.path.join(r.tools, 'fxtdump', 'fxtdump')
    found = json.loads(run(tool, '--stats', '--json', archive).stdout)['scheduling']
    return {row['thread']: row for row in found['threads']}, found


def off_cpu(r, archive, function, *options):
    """How long threads did not run in a function, in nanoseconds."""
    return sum(n for stack, n in r.folded('--sched=off-cpu', *options, archive)
               if function in stack)


def check_close(what, found, truth, share, ns):
    print(f'{what}: {found / 1e6:.3f} ms, and in truth {truth / 1e6:.3f} ms')
    assert abs(found - truth) <= share * truth + ns, (what, found, truth)


def check_accounts(printed, threads):
    """The kernel counts from where it enqueues a thread to where it dequeues it, and this
    from the wakeup to the switch, which is some microseconds each time; and the kernel's
    account is without what the machine's host took. A program prints its account before it
    ends."""
    for name, thread, *numbers in (line for line in printed if len(line) == 8):
        ran, waited, n, ran_before, waited_before, n_before = map(int, numbers)
        row = threads[int(thread)]
        check_close(f'{name} ran', row['run_ns'], ran, 0.05, ran_before + 30e6)
        check_close(f'{name} waited', row['wait_ns'], waited, 0.05,
                    waited_before + 30e6 + 10e3 * n)
        print(f'{name} was run {row["switches"]} times, and in truth {n}')
        assert abs(row['switches'] - n) <= 0.02 * n + n_before + 20, (name, row, n)


def has_wakeups(found):
    """Where tracefs cannot be read, there are none."""
    return any(row['wakeups'] > 0 for row in found['threads'])


def check_pair(r, directory):
    printed, archive = record(r, directory, PAIR, '--trace')
    threads, found = stats_of(r, archive)
    assert len(threads) == 2, threads
    if has_wakeups(found):
        check_accounts(printed, threads)
        # One wakes the other, whenever that waits.
        wakers = r.folded('--sched=wakeup', archive)
        assert sum(n for _, n in wakers) > 0, wakers
    for row in threads.values():
        assert row['unknown_ns'] == 0, row


def check_sleeper(r, directory):
    printed, archive = record(r, directory, SLEEPER, '--off-cpu')
    truth = dict((line[0], line[1:]) for line in printed)
    threads, found = stats_of(r, archive)
    rested = int(truth['rest'][0])
    check_close('rest', off_cpu(r, archive, 'rest'), rested, 0.02, 5e6)
    # No rest is as short as this.
    check_close('long rest', off_cpu(r, archive, 'rest', '--min-wait', '19ms'), rested,
                0.02, 5e6)
    # The same as one stack, whole.
    stacks = [stack for stack, _ in r.folded('--sched=off-cpu', archive) if 'rest' in stack]
    assert all('main' in stack for stack in stacks), stacks
    # With what it computes, all the time from the first rest to the end of the last work.
    wall = {name: sum(n for stack, n in r.folded('--sched=wall', archive) if name in stack)
            for name in ('main', 'rest', 'work')}
    print('wall-clock time:', wall, truth['all'])
    check_close('wall-clock time', wall['rest'] + wall['work'], int(truth['all'][0]), 0.05,
                20e6)
    assert wall['work'] > 0 and wall['rest'] >= 0.98 * rested
    if has_wakeups(found):
        check_accounts(printed, threads)


LARGE = COMMON + '''
int main(void)
{
    volatile char large[40000];

    for (int i = 0; i < 20; i++) {
        large[i] = 1;
        usleep(2000);
    }
    return large[0] - 1;
}
'''


def check_large(r, directory):
    """A larger copy of each sample's stack is no remedy for those of waits."""
    _, archive = record(r, directory, LARGE, '--off-cpu')
    tool = os.path.join(r.tools, 'fxt2folded', 'fxt2folded')
    said = run(tool, '--sched=off-cpu', archive).stderr
    if 'larger than what was copied' in said:
        assert 'at most 16 KiB' in said and '--stack-size' not in said, said
    else:
        print('skipped, what is copied of stacks:', said)


def check_convoy(r, directory):
    printed, archive = record(r, directory, CONVOY, '--off-cpu')
    truth = {line[0]: int(line[1]) for line in printed}
    for function in truth:
        check_close(function, off_cpu(r, archive, function), truth[function], 0.05, 20e6)


def check_system(r, directory):
    """All threads of all CPUs: each CPU is known from the beginning to the end."""
    archive = os.path.join(directory, 'system.fxt')
    program = build_c(directory, 'program', SLEEPER, '-O1', '-g')
    with subprocess.Popen(r.command('-a', '--trace', '-o', archive), text=True,
                          stderr=subprocess.PIPE) as recorder:
        await_recording(recorder)
        _, printed = run_with_accounts(directory, lambda: run(program))
        interrupt(recorder)
        report = recorder.stderr.read()
    print(report)
    threads, found = stats_of(r, archive)
    if has_wakeups(found) and '0 dropped, 0 lost' in report:
        check_accounts(printed, threads)
    names = processes_of(r.dump(archive))
    assert 'program' in names.values(), names


def check_attached(r, directory):
    """A process that runs already, and goes on: it neither begins nor ends."""
    archive = os.path.join(directory, 'attached.fxt')
    busy = build_c(directory, 'busy', 'int main(void) { for (;;) continue; }')
    with subprocess.Popen([busy]) as process:
        r.record('-p', str(process.pid), '-d', '1', '--trace', '-o', archive)
        process.kill()
    threads, found = stats_of(r, archive)
    row = threads[process.pid]
    whole = found['cpus'] and max(cpu['busy_ns'] + cpu['idle_ns'] for cpu in found['cpus'])
    print(row, whole)
    assert row['blocked_ns'] == 0 and row['unknown_ns'] == 0, row
    assert row['run_ns'] + row['wait_ns'] >= 0.8 * whole, (row, whole)


WAITERS = COMMON + '''
static int pipes[2];

APART static void *rest(void *unused)
{
    long long begin = now();
    char c;

    times[0] = read(pipes[0], &c, 1) == 1 ? now() - begin : 0;
    times[1] = gettid();
    times[3] = begin;
    return unused;
}

int main(void)
{
    pthread_t thread;

    if (pipe(pipes) != 0 || pthread_create(&thread, NULL, rest, NULL) != 0)
        return 1;
    for (int i = 0; i < 6000; i++)
        usleep(200);
    times[2] = now();
    if (write(pipes[1], "x", 1) != 1)
        return 1;
    pthread_join(thread, NULL);
    printf("%lld %lld %lld\\n", times[0], times[2] - times[3], times[1]);
    return 0;
}
'''


def check_rotated(r, directory, *options, what='--off-cpu'):
    """A thread that waits all the time waits in each of the archives, with its stack, and
    the archives together have what one would have. A thread that was woken waits for a CPU,
    which on a busy machine takes longer than the last archives."""
    program = build_c(directory, 'waiters', WAITERS, '-O1', '-g')
    directory = tempfile.mkdtemp(dir=directory)
    base = os.path.join(directory, 'waits.fxt')
    done = r.record(what, '--rotate', '64K', *options, '-o', base, program)
    until_read, until_woken, thread = map(int, done.stdout.split())
    files = sorted(os.path.join(directory, name) for name in os.listdir(directory))
    # What is written last may fill a file, so that nothing is left for another one.
    tool = os.path.join(r.tools, 'fxtdump', 'fxtdump')
    if 'scheduling' not in json.loads(run(tool, '--stats', '--json', files[-1]).stdout):
        del files[-1]
    assert len(files) >= 4, files
    if '-a' in options and '0 dropped, 0 lost' not in done.stderr:
        print('skipped, what others do is too much:', done.stderr)
        return
    assert '0 dropped, 0 lost' in done.stderr, done.stderr
    blocked = 0
    rested = 0
    n_whole = 0
    is_woken = False
    for archive in files:
        threads, found = stats_of(r, archive)
        whole = max(cpu['busy_ns'] + cpu['idle_ns'] for cpu in found['cpus'])
        row = threads.get(thread, {'blocked_ns': 0, 'run_ns': 0, 'wait_ns': 0})
        blocked += row['blocked_ns']
        rested += off_cpu(r, archive, 'rest')
        assert all(row['unknown_ns'] == 0 for row in threads.values()
                   if row['name'] == 'waiters'), archive
        if archive in (files[0], files[-1], files[-2]):
            continue
        is_woken = is_woken or row['run_ns'] > 0 or row['wait_ns'] > 0
        if not is_woken:
            check_close(archive, row['blocked_ns'], whole, 0.01, 1e6)
            n_whole += 1
    assert n_whole > 0, files
    found = json.loads(run(tool, '--stats', '--json', *files).stdout)['scheduling']
    truth = until_woken if has_wakeups(found) else until_read
    check_close('blocked in all', blocked, truth, 0.01, 5e6)
    if what == '--off-cpu':
        check_close('with its stack', rested, truth, 0.01, 5e6)
    (row,) = (row for row in found['threads'] if row['thread'] == thread)
    assert row['blocked_ns'] == blocked, (row, blocked)


def check_rotated_system(r, directory):
    check_rotated(r, directory, '-a', what='--trace')


if __name__ == '__main__':
    main(perf=(check_pair, check_sleeper, check_large, check_convoy, check_system,
               check_attached, check_rotated, check_rotated_system))
