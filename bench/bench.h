/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timing for benchmarks. What counts is CPU time of this process and of those it started
 * and waited for, since wall time on a shared machine says little; and ratios within one
 * run, since machines differ. The candidates take turns, so that a slow moment hits all
 * of them.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

enum { BENCH_ROUNDS = 11, BENCH_CANDIDATES_MAX = 8 };

struct bench_candidate {
    const char *name;
    /* Does the work once and returns something that depends on all of it. */
    uint64_t (*run)(void *context);
    /* Filled in: seconds of CPU time. */
    double seconds[BENCH_ROUNDS];
    double minimum;
    double median;
    uint64_t result;
};

/* The CPU time so far. */
double bench_cpu_seconds(void);

/* Runs the candidates in turn, each twice in a row, of which the second time counts. The
 * first time, prints the kind of processor, since a ratio may differ between kinds. */
void bench_run(struct bench_candidate *candidates, int n, void *context);

/* Prints a line for each candidate: nanoseconds an item and, against the first candidate,
 * the ratio, each as minimum and median. */
void bench_print(const struct bench_candidate *candidates, int n, double n_items,
                 const char *item);

/* Prints "ratio NAME/BASE: R (limit L): ok" by the medians; returns 0, or 1 if it is over
 * the limit. */
int bench_ratio(const struct bench_candidate *candidate,
                const struct bench_candidate *base, double limit);

/* Runs a command, with its output to an open file unless that is -1, and returns what it
 * took; and writes all of some bytes. Both end the program if that is impossible. */
struct rusage bench_command(const char *const *arguments, int output);
void bench_write(int fd, const void *bytes, size_t size);

#endif
