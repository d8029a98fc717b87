/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long each thread ran, waited for a CPU and was blocked, how long it took from each
 * wakeup until it ran, and how busy the CPUs were. Memory does not grow with the number
 * of records.
 *
 * Regions are parts of one trace; each archive is a separate trace, whose times are
 * added to those of the others.
 */
#ifndef SCHEDULING_SCHED_TIMES_H
#define SCHEDULING_SCHED_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "latencies.h"
#include "sched_log.h"
#include "sched_states.h"

/* How many threads are counted separately. */
enum { SCHED_TIMES_THREADS_MAX = 32768 };

struct sched_thread_times {
    uint64_t run_ns;
    /* From a wakeup, or from when it was preempted, until it ran. */
    uint64_t wait_ns;
    /* From when it was switched out blocked or suspended until it was woken, or ran if no
     * wakeup was recorded. */
    uint64_t blocked_ns;
    uint64_t unknown_ns;
    /* From a wakeup until it ran. */
    struct latencies latencies;
};

struct sched_cpu_times {
    uint64_t busy_ns;
    uint64_t idle_ns;
    uint64_t unknown_ns;
};

/* All zero is an empty one. */
struct sched_times {
    /* Only these times count, both ends included. */
    bool has_window;
    uint64_t first_ns;
    uint64_t last_ns;

    struct sched_log log;
    struct sched_states states;
    /* By the numbers in `states`; and by CPU. */
    struct sched_thread_times *threads;
    size_t n_threads;
    size_t thread_capacity;
    struct sched_cpu_times *cpus;
    size_t n_cpus;
    size_t cpu_capacity;
    /* Of threads for which there is no room. */
    uint64_t other_run_ns;

    /* Scheduling records, and those of them that could not be used; and reports of
     * dropped records. */
    uint64_t n_records;
    uint64_t n_unusable;
    uint64_t n_drops;
    /* A buffer was full in the current trace. */
    bool is_cut;
};

/* Takes a record, if it matters here. */
void sched_times_take(struct sched_times *times, const struct fxt_record *record);

/* After the last record: makes the times. */
void sched_times_finish(struct sched_times *times);

/* After sched_times_finish: stores the numbers of the threads of which something is
 * known, those that ran longest first, and returns how many there are. There is room for
 * n_threads. */
size_t sched_times_sort(const struct sched_times *times, uint32_t *numbers);

void sched_times_free(struct sched_times *times);

#endif
