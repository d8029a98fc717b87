#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A program that writes spans, and is recorded: a report of both files has, for each of the
slowest spans, for how long its thread ran and waited in it and which functions were sampled
there. See recorder.py."""

import json
import os

from recorder import build_c, main, run

N_REQUESTS = 8
PERIOD_NS = 10**6

# Each request is 20 ms of work, by the thread's own clock, and 20 ms of rest.
PROGRAM = r'''
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static FILE *file;

static uint64_t now(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static void put(uint64_t word)
{
    fwrite(&word, sizeof(word), 1, file);
}

static void put_name(uint64_t index, const char name[8])
{
    put(2 | 2 << 4 | index << 16 | (uint64_t)strlen(name) << 32);
    fwrite(name, 8, 1, file);
}

/* A magic number, 10^9 ticks a second, this thread, and the names of spans. */
static void start(const char *path)
{
    file = fopen(path, "wb");
    put(0x0016547846040010);
    put(1 | 2 << 4);
    put(1000000000);
    put(3 | 3 << 4 | 1 << 16);
    put(getpid());
    put(syscall(SYS_gettid));
    put_name(1, "request");
    put_name(2, "work\0\0\0");
    put_name(3, "rest\0\0\0");
}

static void span(uint64_t name, uint64_t begin)
{
    put(4 | 4 << 4 | 4 << 16 | 1 << 24 | 1ull << 32 | name << 48);
    put(begin);
    put(now(CLOCK_MONOTONIC));
    put(0);
}

__attribute__((noinline)) void compute(void)
{
    uint64_t end = now(CLOCK_THREAD_CPUTIME_ID) + 20000000;

    while (now(CLOCK_THREAD_CPUTIME_ID) < end) {
        for (volatile int i = 0; i < 100000; i++)
            continue;
    }
}

int main(int argc, char **argv)
{
    start(argv[1]);
    for (int i = 0; i < 8; i++) {
        uint64_t request = now(CLOCK_MONOTONIC), begin = request;

        compute();
        span(2, begin);
        begin = now(CLOCK_MONOTONIC);
        usleep(20000);
        span(3, begin);
        span(1, request);
    }
    return fclose(file) != 0 || argc != 2;
}
'''


def slowest(r, name, *files):
    tool = os.path.join(r.tools, 'fxtreport', 'fxtreport')
    found = json.loads(run(tool, '-q', '--json', '--span', name, *files).stdout)['span']
    assert found['count'] == N_REQUESTS == len(found['slowest']), found
    for span in found['slowest']:
        times = [span[key] for key in ('run_ns', 'wait_ns', 'blocked_ns', 'unknown_ns')]
        assert sum(times) == span['duration_ns'], span
    # Before the first switch it is not known what the thread did.
    for span in sorted(found['slowest'], key=lambda span: span['time_ns'])[1:]:
        assert span['unknown_ns'] <= 10**6, span
    return found['slowest']


def n_samples(spans, function=None):
    return sum(row['samples'] for span in spans for row in span.get('functions', ())
               if function is None or row['name'] == function)


def check_spans(r, directory):
    program = build_c(directory, 'program', PROGRAM, '-O1', '-g')
    if program is None:
        return
    recording, trace = (os.path.join(directory, name) for name in ('rec.fxt', 'spans.fxt'))
    r.record('--off-cpu', '--period', '1ms', '-o', recording, program, trace)
    requests, works, rests = (slowest(r, name, recording, trace)
                              for name in ('request', 'work', 'rest'))
    for span in rests:
        assert span['blocked_ns'] >= 19 * 10**6 and span['run_ns'] < 5 * 10**6, span
    for span in works:
        assert span['run_ns'] + span['unknown_ns'] >= 19 * 10**6, span
    # A sample is what the program ran for a period; most were in the loop.
    ran = sum(span['run_ns'] + span['unknown_ns'] for span in works)
    assert 0.7 * ran <= n_samples(works) * PERIOD_NS <= 1.1 * ran + PERIOD_NS, (ran, works)
    assert n_samples(works, 'compute') >= 0.7 * n_samples(works), works
    assert n_samples(rests, 'compute') == 0, rests
    assert n_samples(requests, 'compute') == n_samples(works, 'compute'), requests
    for span in requests:
        assert {row['name']: row['count'] for row in span['children']} == {'work': 1, 'rest': 1}


if __name__ == '__main__':
    main(perf=(check_spans,))
