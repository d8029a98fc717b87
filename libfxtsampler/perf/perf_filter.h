/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which of the kernel's records are of what a session samples, and by which events
 * threads and processes are sampled.
 *
 * There are two ways. Events of each thread, which new threads inherit, take samples of
 * nothing else. But a new thread's clock begins with a whole period, so that threads that
 * live for less are never sampled, and all others lose half a period on average. Events
 * of each CPU have no such bias, and forks cost nothing; but they sample other processes,
 * too, with copies of their stacks. So a session begins with the former, and goes over to
 * the latter where so many threads begin that the bias is more than a per cent or two.
 */
#ifndef LIBFXTSAMPLER_PERF_FILTER_H
#define LIBFXTSAMPLER_PERF_FILTER_H

#include <linux/perf_event.h>

#include "perf_events.h"
#include "perf_tree.h"

/* All zero is that of no targets. */
struct perf_filter {
    struct perf_tree tree;
    bool has_system;
    bool has_cgroup;
    /* Threads and processes that have begun among the targets while these were sampled by
     * events of their own, and samples: lately, and of the former since the beginning. */
    uint64_t n_forks;
    uint64_t n_samples;
    uint64_t n_forks_in_all;
    /* The last record was of a process that there is no memory for: it is not sampled,
     * nor are its children. */
    bool has_failed;
};

/* Returns whether a record is wanted; a process that it reports belongs to the targets
 * from then on if its parent does. Each record is to be given once, in the order of time.
 */
bool perf_filter_takes(struct perf_filter *filter, const struct perf_events *events,
                       const struct perf_event_header *record);

/* Whether so many threads have begun that the events of CPUs are better. */
bool perf_filter_has_short_threads(const struct perf_filter *filter);

/* Gives what was counted lately half its weight: to be called every half second or so. */
void perf_filter_age(struct perf_filter *filter);

#endif
