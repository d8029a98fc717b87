#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Several events in one recording: each has the total that getrusage has and, if perf is
here, the one that perf stat has, and the shares of perf record. See recorder.py."""

import os
import re
import shutil
import subprocess

from recorder import are_cpus_allowed, build_c, main, run

# Writes to N new pages in one function, and uses the CPU for N milliseconds in another; its
# threads, if there are any, do both, and live for less than a period.
PROGRAM = '''
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

enum { PAGE = 4096, BLOCK = 256 };

static uint64_t cpu_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

__attribute__((noinline)) void fault_pages(long n)
{
    for (long done = 0; done < n; done += BLOCK) {
        volatile char *block = mmap(NULL, BLOCK * PAGE, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        madvise((void *)block, BLOCK * PAGE, MADV_NOHUGEPAGE);
        for (long i = 0; i < BLOCK; i++)
            block[i * PAGE] = 1;
        munmap((void *)block, BLOCK * PAGE);
    }
}

__attribute__((noinline)) void spin(uint64_t us)
{
    uint64_t end = cpu_ns() + us * 1000;

    while (cpu_ns() < end)
        for (volatile unsigned i = 0; i < 1000; i++)
            continue;
}

static void *work_a_little(void *unused)
{
    fault_pages(BLOCK);
    spin(200);
    return unused;
}

int main(int argc, char **argv)
{
    struct rusage before;
    struct rusage usage;

    getrusage(RUSAGE_SELF, &before);
    fault_pages(atol(argv[1]));
    spin(strtoull(argv[2], NULL, 10) * 1000);
    for (int i = 0; argc > 3 && i < atoi(argv[3]); i++) {
        pthread_t thread;

        pthread_create(&thread, NULL, work_a_little, NULL);
        pthread_join(thread, NULL);
    }
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld\\n", usage.ru_minflt + usage.ru_majflt - before.ru_minflt - before.ru_majflt);
    return 0;
}
'''

# A page fault takes up to 15 us where a hypervisor has a part in it.
N_FAULTS, SPIN_MS = 16384, 450


def build(directory):
    path = os.path.join(directory, 'faulter')
    if not os.path.exists(path):
        path = build_c(directory, 'faulter', PROGRAM, '-O1', '-fno-omit-frame-pointer')
    if path is None:
        print('skipped: a compiler is needed')
    return path


def values_of(r, archive, event):
    """How much of an event is in which function, and in all."""
    found = {'fault_pages': 0, 'spin': 0, '': 0}
    for stack, n in r.folded('--value', event, archive):
        for name in ('fault_pages', 'spin'):
            found[name] += n if name in stack else 0
        found[''] += n
    return found


def check_faults(faults):
    """Pages are touched in one function."""
    assert faults['fault_pages'] > 0.95 * faults[''], faults
    assert faults['spin'] < 0.02 * faults[''], faults


def check_apart(faults, clock):
    """And time passes in the other."""
    check_faults(faults)
    assert clock['spin'] > 0.5 * clock[''] and clock['fault_pages'] > 0, clock


def perf_shares(directory, program):
    """perf record's shares of task-clock by function; None without perf."""
    perf, data = shutil.which('perf'), os.path.join(directory, 'perf.data')
    if perf is None:
        return None
    done = subprocess.run([perf, 'record', '-q', '-e', 'page-faults,task-clock', '-o', data,
                           program, str(N_FAULTS), str(SPIN_MS)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        return None
    output = run(perf, 'script', '-i', data, '-F', 'event,period,sym,ip').stdout
    found = {}
    for period, event, function in re.findall(
            r'^\s*(\d+)\s+([\w-]+):\S*\s+[0-9a-f]+ (\S+)', output, re.M):
        of_event = found.setdefault(event, {})
        of_event[function] = of_event.get(function, 0) + int(period)
    return found


def perf_total(program):
    done = run(shutil.which('perf'), 'stat', '-x', ',', '-e', 'page-faults', program,
               str(N_FAULTS), str(SPIN_MS))
    return int(re.search(r'^(\d+),.*page-faults', done.stderr, re.M).group(1))


def test_shares_and_totals(r, directory):
    program, archive = build(directory), os.path.join(directory, 'events.fxt')
    if program is None:
        return
    for each, options in (0, ()), (20, ('-c', '20', '--stack-size', '4096')):
        done = r.record('-e', 'page-faults,task-clock', '-o', archive, *options, program,
                        str(N_FAULTS), str(SPIN_MS))
        faults = values_of(r, archive, 'page-faults')
        clock = values_of(r, archive, 'task-clock')
        n_lost = int(re.search(r'(\d+) lost', done.stderr).group(1))
        print(options, faults, clock, n_lost, 'lost')
        check_apart(faults, clock)
        if n_lost == 0:
            # The program counts those of its main: there are a few before, and the many of
            # a recorder with sanitizers that is to become the program.
            assert abs(faults[''] - int(done.stdout)) <= 0.05 * int(done.stdout), done.stdout
    of_perf = perf_shares(directory, program)
    if of_perf is None:
        print('skipped, a comparison: there is no perf')
        return
    total = {event: sum(counts.values()) for event, counts in of_perf.items()}
    print('perf:', {e: max(c.items(), key=lambda item: item[1]) for e, c in of_perf.items()})
    assert abs(of_perf['page-faults'].get('fault_pages', 0) / total['page-faults'] -
               faults['fault_pages'] / faults['']) <= 0.05
    counted = perf_total(program)
    print('perf stat:', counted)
    # What was lost may have been samples of this event, or of the other one.
    assert counted * 0.95 - each * n_lost <= faults[''] <= counted * 1.05


def test_lost_samples_are_not_given_away(r, directory):
    """Each page fault makes a sample with 64 KB of stack, for which the ring has no room."""
    program, archive = build(directory), os.path.join(directory, 'lost.fxt')
    if program is None:
        return
    done = r.record('-e', 'page-faults,task-clock', '-c', '1', '-o', archive, program,
                    str(N_FAULTS), '1')
    n = int(done.stdout)
    faults = values_of(r, archive, 'page-faults')['']
    ends = {}
    for x in r.dump(archive):
        if x.get('name') == 'sampled_event_end':
            said = {a['name']: a['value'] for a in x['args']}
            ends[said['number']] = said
    lost = ends[0].get('lost', 0)
    reported = int(re.search(r'(\d+) lost', done.stderr).group(1))
    print(f'{faults} of {n}, {lost} lost, {reported} reported')
    # Including those after which no record had room to report them.
    assert reported >= lost, (reported, lost)
    assert abs(faults + lost - n) <= 0.05 * n, (faults, lost, n)
    assert abs(ends[0]['counted'] - n) <= 0.05 * n


def test_losses_up_to_the_end_are_counted(r, directory):
    """The process goes on when the recording ends: no record of it reports the last ones."""
    program, archive = build(directory), os.path.join(directory, 'unreported.fxt')
    if program is None:
        return
    with subprocess.Popen([program, '100000000', '0']) as process:
        try:
            done = r.record('-e', 'page-faults', '-c', '1', '-d', '0.1', '-o', archive, '-p',
                            str(process.pid))
        finally:
            process.kill()
    reported = int(re.search(r'(\d+) lost', done.stderr).group(1))
    lost = sum(a['value'] for x in r.dump(archive) if x.get('name') == 'sampled_event_end'
               for a in x['args'] if a['name'] == 'lost')
    print(f'{lost} lost, {reported} reported')
    assert reported >= lost, (reported, lost)
    if lost > 0:
        assert 'a larger -c or a smaller --stack-size' in done.stderr, done.stderr


def test_only_the_command_is_sampled(r, directory):
    """What fxtrecord does between fork and exec, which is 30 faults more, is not."""
    archive = os.path.join(directory, 'true.fxt')
    counts = []
    for _ in range(6):
        done = r.record('-e', 'page-faults', '-c', '1', '--stack-size', '1024', '-o', archive,
                        'true')
        counts.append(int(re.search(r'(\d+) samples', done.stderr).group(1)))
    assert max(counts) < min(counts) + 15, counts


def test_events_that_did_not_happen(r, directory):
    """That is no reason to suspect the program."""
    program, archive = build(directory), os.path.join(directory, 'none.fxt')
    if program is None:
        return
    done = r.record('-e', 'emulation-faults', '-o', archive, program, '0', '200')
    assert '0 samples' in done.stderr, done.stderr
    assert 'though CPU time passed' not in done.stderr, done.stderr
    assert 'no such event happened' in done.stderr, done.stderr


def test_short_threads(r, directory):
    """They are sampled by the events of CPUs: those of other processes are left out."""
    program, archive = build(directory), os.path.join(directory, 'short.fxt')
    if program is None or not are_cpus_allowed():
        return
    done = r.record('-F', '4001', '-e', 'task-clock,page-faults', '-c', '8', '--stack-size',
                    '4096', '-o', archive, program, '0', '0', '400')
    faults = values_of(r, archive, 'page-faults')
    clock = values_of(r, archive, 'task-clock')
    print(faults, clock, done.stdout)
    assert 'by the events of CPUs' in done.stderr, done.stderr
    check_faults(faults)
    # How long a fault takes depends on the machine, and on what samples of it take.
    assert clock['spin'] > 0 and clock['fault_pages'] > 0, clock
    # What is missing was lost.
    assert 0.5 * int(done.stdout) < faults[''] < 1.05 * int(done.stdout)
    # The weights that the kernel adapts add up to what was counted.
    for events in 'page-faults', 'task-clock,page-faults':
        done = r.record('-e', events, '--stack-size', '4096', '-o', archive, program, '0',
                        '0', '400')
        faults = values_of(r, archive, 'page-faults')['']
        n_lost = int(re.search(r'(\d+) lost', done.stderr).group(1))
        print(events, faults, done.stdout, n_lost, 'lost')
        assert 'by the events of CPUs' in done.stderr, done.stderr
        if n_lost == 0:
            assert abs(faults - int(done.stdout)) <= 0.02 * int(done.stdout), faults


def test_with_scheduling(r, directory):
    """Beside switches and their stacks, and in a recording of the whole system."""
    program, archive = build(directory), os.path.join(directory, 'sched.fxt')
    if program is None or not are_cpus_allowed():
        return
    for options in ('--off-cpu',), ('-a', '--trace', '-c', '64'):
        done = r.record(*options, '-e', 'cpu-clock,page-faults', '-o', archive, program,
                        '8192', '100')
        faults, clock = (values_of(r, archive, e) for e in ('page-faults', 'cpu-clock'))
        n_lost = int(re.search(r'(\d+) lost', done.stderr).group(1))
        print(options, faults, clock, n_lost, 'lost')
        assert 0.85 * 8192 - 64 * n_lost < faults['fault_pages'] < 1.15 * 8192, faults
        assert clock['spin'] > 50 * 10**6, clock
        assert int(re.search(r'(\d+) scheduling record', done.stderr).group(1)) > 0


def test_refusals(r, directory):
    """An event that is not there is refused by name, and so is what cannot be combined."""
    archive = os.path.join(directory, 'refused.fxt')

    def refuses(message, *options):
        done = r.record(*options, '-o', archive, 'true', status=2)
        assert message in done.stderr, done.stderr
        assert not os.path.exists(archive)

    refuses('no-such-event: ', '-e', 'page-faults,no-such-event')
    refuses('page-faults: this event is named twice', '-e', 'page-faults,page-faults')
    refuses('faults: this event is named twice, by different names', '-e',
            'page-faults,faults')
    refuses('names separated by commas', '-e', 'page-faults,')
    refuses('--count is for events other than clocks', '-e', 'task-clock', '-c', '3')
    refuses('-F and --period are for clocks', '-e', 'page-faults', '-c', '3', '-F', '99')
    refuses('context-switches: --off-cpu samples these already', '-e', 'context-switches',
            '--off-cpu')
    refuses('page-faults: --backtraces have no room', '-e', 'page-faults', '--backtraces')
    for event in 'cycles', 'instructions', 'branch-misses':
        done = subprocess.run(r.command('-q', '-e', f'page-faults,{event}', '-o', archive,
                                        'true'), stderr=subprocess.PIPE, text=True,
                              check=False)
        if done.returncode == 0:
            print('skipped: this machine has', event)
            continue
        assert done.returncode == 2, done
        assert f"{event}: this machine" in done.stderr, done.stderr


def test_a_clock_by_signals(r, directory):
    """Which have no other event."""
    archive = os.path.join(directory, 'signals.fxt')
    r.record('-e', 'task-clock', '-o', archive, r.workload, '-s', '0.1')
    assert r.folded(archive)
    done = r.record('-e', 'task-clock,page-faults', '-o', archive, 'true', status=2)
    assert 'page-faults: --method signal' in done.stderr, done.stderr
    done = r.record('-e', 'task-clock,cpu-clock', '-o', archive, 'true', status=2)
    assert 'cpu-clock: --method signal has only one event' in done.stderr, done.stderr


if __name__ == '__main__':
    main(perf=(test_shares_and_totals, test_only_the_command_is_sampled,
               test_lost_samples_are_not_given_away,
               test_losses_up_to_the_end_are_counted, test_events_that_did_not_happen,
               test_short_threads, test_with_scheduling, test_refusals),
         signals=(test_a_clock_by_signals,))
