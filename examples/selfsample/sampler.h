/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sampler: a timer for each thread that asks for it, and a signal handler that walks
 * the thread's stack and writes a sample to the region of the CPU that it runs on.
 *
 * The timers run on the monotonic clock, since those of CPU time tick only as often as
 * the kernel's own timer does. What falls due while a thread waits for a CPU comes as one
 * signal when it has got one, in the place where it lost the last one. Threads lose their
 * CPUs in some places more than in others, at the end of a system call for one, so that
 * is no sample of where time goes, and it is skipped: what is left is a sample for each
 * period that a thread has run.
 */
#ifndef SELFSAMPLE_SAMPLER_H
#define SELFSAMPLE_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "regions.h"

struct sampler {
    struct regions *regions;
    pid_t process;
    uint64_t period_ns;
};

/* Counts of the signals: all but the last are parts of the first. */
struct sample_counts {
    uint64_t signals;
    uint64_t written;
    /* The thread had waited for a CPU. */
    uint64_t skipped_late;
    /* The CPU's region is full; another thread was writing to it; the CPU has none. */
    uint64_t dropped_full;
    uint64_t dropped_busy;
    uint64_t dropped_no_region;
    /* Signals that the kernel merged into those that were late. */
    uint64_t merged;
};

/* A sampled thread. The handler writes the counts, so read them when the thread has
 * stopped sampling. */
struct sampled_thread {
    const struct sampler *sampler;
    pid_t id;
    uintptr_t stack_high;
    timer_t timer;
    struct sample_counts counts;
};

/* Puts the signal handler in place. The regions must stay as long as anything is sampled.
 * Returns false, with errno set, on failure; so do all functions here. */
bool sampler_init(struct sampler *sampler, struct regions *regions, uint64_t period_ns);

/* Starts and stops sampling the thread that calls. The object must stay in place until
 * the thread has ended: a last signal may be under way. */
bool sampler_start_thread(const struct sampler *sampler, struct sampled_thread *thread);
void sampler_stop_thread(struct sampled_thread *thread);

#endif
