/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two processes on one CPU that wake each other, for bench/scheduling.py:
 *
 *     switch_load N    each of them N times: computes for some microseconds, writes to
 *                      the other's pipe, and reads from its own
 *
 * Prints the CPU seconds and the context switches of both, as JSON.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"

static void compute(void)
{
    for (volatile unsigned i = 0; i < 10000; i++)
        continue;
}

static void bounce(int from, int to, long n)
{
    char byte = 0;

    for (long i = 0; i < n; i++) {
        compute();
        if (write(to, &byte, 1) != 1 || read(from, &byte, 1) != 1)
            exit(1);
    }
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 10000;
    struct rusage own;
    struct rusage other;
    cpu_set_t first;
    int there[2];
    int back[2];
    pid_t child;

    CPU_ZERO(&first);
    CPU_SET(0, &first);
    sched_setaffinity(0, sizeof(first), &first);
    if (pipe(there) != 0 || pipe(back) != 0)
        return 1;
    child = fork();
    if (child == 0) {
        bounce(there[0], back[1], n);
        _exit(0);
    }
    bounce(back[0], there[1], n);
    waitpid(child, NULL, 0);
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &other);
    printf("{\"seconds\": %.6f, \"switches\": %ld}\n",
           (double)(usage_ns(&own) + usage_ns(&other)) * 1e-9,
           own.ru_nvcsw + own.ru_nivcsw + other.ru_nvcsw + other.ru_nivcsw);
    return 0;
}
