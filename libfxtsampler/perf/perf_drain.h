/* SPDX-License-Identifier: BSD-2-Clause */
/* Draining: the records of the rings of all CPUs, in the order of their times, to samples
 * and scheduling records in the regions. */
#ifndef LIBFXTSAMPLER_PERF_DRAIN_H
#define LIBFXTSAMPLER_PERF_DRAIN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "perf_backlog.h"
#include "perf_sample.h"
#include "perf_scope.h"
#include "perf_trace.h"
#include "libfxtsampler/perf/unwind/perf_unwind.h"
#include "libfxtsampler/session.h"

/* A session's. */
struct perf {
    /* What the functions of a method and the thread that drains share, all of it. */
    pthread_mutex_t lock;
    struct perf_scope scope;
    struct perf_trace trace;
    bool *came;
    struct perf_unwinder *unwinder;
    /* For perf_merge. */
    uint64_t *next_times;
    /* The records of each CPU that were lost, as far as it was reported. */
    uint64_t *n_lost;
    /* A record while a table is made for it, and those that come in this time. */
    unsigned char *held;
    struct perf_backlog backlog;
    /* The sample that is being processed; apart, as they are large. */
    struct perf_sample sample;
    struct perf_stack stack;
    struct weighed_source taken[FXT_SAMPLER_SOURCES_MAX];
    pthread_t drainer;
    atomic_bool quit;
};

/* Processes all records from before a time, UINT64_MAX for all that there are. May
 * process later ones, too, if an unwind table has to be made. The caller has the lock, or
 * there is no other thread. */
void perf_drain_before(const struct fxt_sampler *sampler, uint64_t before);

/* Records from before this time are in their rings. */
uint64_t perf_settled_time(void);

#endif
