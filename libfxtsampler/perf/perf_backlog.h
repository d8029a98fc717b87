/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records that were taken out of the rings while none could be unwound: so that rings do
 * not fill up, and events are reported in time.
 */
#ifndef LIBFXTSAMPLER_PERF_BACKLOG_H
#define LIBFXTSAMPLER_PERF_BACKLOG_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perf_sample.h"

/* All zero is an empty one. */
struct perf_backlog {
    unsigned char *bytes;
    size_t begin;
    size_t end;
    size_t capacity;
    /* How many records there are. */
    size_t n;
};

/* Adds a copy of a record, without the bytes in a gap. Returns false if there is no room,
 * or no memory. */
bool perf_backlog_add(struct perf_backlog *backlog, uint32_t cpu,
                      const struct perf_event_header *record, struct perf_gap gap);

/* Removes the oldest record, and stores it in `to`, which has room for
 * PERF_RECORD_BYTES_MAX. Returns false if there is none. */
bool perf_backlog_take(struct perf_backlog *backlog, uint32_t *cpu, unsigned char *to);

void perf_backlog_free(struct perf_backlog *backlog);

#endif
