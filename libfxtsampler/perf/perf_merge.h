/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records of all rings in the order of time: a thread may be started on one CPU, map
 * code on another, and be sampled on a third.
 */
#ifndef LIBFXTSAMPLER_PERF_MERGE_H
#define LIBFXTSAMPLER_PERF_MERGE_H

#include "perf_ring.h"

enum perf_taken {
    /* The record is to be dropped. */
    PERF_TAKEN,
    /* It was dropped, and there may have been changes to other rings. */
    PERF_TAKEN_OUT,
    /* There is no room: it is left in its ring, and nothing more is to be taken. */
    PERF_LEFT
};

/* Called with the next record of a CPU's ring. */
typedef enum perf_taken perf_merge_fn(void *context, uint32_t cpu,
                                      const struct perf_event_header *record);

/* Calls `take` with each record made before a time, and drops it. `next` has room for a
 * time for each of the `n` rings. */
void perf_merge(struct perf_ring *rings, uint64_t *next, uint32_t n, uint64_t before,
                perf_merge_fn *take, void *context);

#endif
