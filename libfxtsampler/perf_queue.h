/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's events of processes, in the order in which they happened: each CPU has its
 * own ring, and a thread may be started on one CPU and named on another.
 */
#ifndef LIBFXTSAMPLER_PERF_QUEUE_H
#define LIBFXTSAMPLER_PERF_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf_ring.h"

struct queued {
    uint64_t time;
    /* Its sequence number, which orders records of the same time. */
    uint64_t sequence;
    struct perf_event_header *record;
};

/* All zero is an empty one. */
struct perf_queue {
    struct queued *all;
    size_t n;
    size_t capacity;
    uint64_t sequence;
};

/* Keeps a copy of a record other than a sample. Returns false if there is no memory. */
bool perf_queue_add(struct perf_queue *queue, const struct perf_event_header *record);

/* Reports the events before a time, and removes them. `attr` is the attribute with which
 * the records were requested. */
void perf_queue_hand_out(struct perf_queue *queue, const struct perf_event_attr *attr,
                         uint64_t before, fxt_sampler_event_fn *on_event, void *context);

void perf_queue_free(struct perf_queue *queue);

#endif
