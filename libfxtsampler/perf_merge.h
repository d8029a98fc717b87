/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The records of all rings in the order of time: a thread may be started on one CPU, map
 * code on another, and be sampled on a third.
 */
#ifndef LIBFXTSAMPLER_PERF_MERGE_H
#define LIBFXTSAMPLER_PERF_MERGE_H

#include "perf_ring.h"

/* Called with the next record of a CPU's ring. It may call perf_ring_drop for the record,
 * and must then return true. */
typedef bool perf_merge_fn(void *context, uint32_t cpu,
                           const struct perf_event_header *record);

/* Calls `take` with each record made before a time, and drops it. `next` has room for a
 * time for each of the `n` rings. */
void perf_merge(struct perf_ring *rings, uint64_t *next, uint32_t n, uint64_t before,
                perf_merge_fn *take, void *context);

#endif
