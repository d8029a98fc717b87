/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spans, operations and flows that never end or have not begun, and events of flows that
 * are in no span. Begins and ends are matched by their times, as everywhere here, within
 * a window of the file; those that have matched are dropped from it.
 */
#ifndef FXTLINT_CHECK_SPANS_H
#define FXTLINT_CHECK_SPANS_H

#include <fxt/record.h>

#include "common/spans/span_keys.h"
#include "findings.h"
#include "name_cache.h"

struct flow_event {
    uint64_t time_ns;
    uint64_t offset;
    uint32_t thread;
};

/* Begins less ends, in the order of the file, which need not be that of time. */
struct async_count {
    int64_t n_open;
    uint64_t n_steps;
    uint64_t first_begin;
    uint64_t first_other;
    bool has_begun;
};

struct check_spans {
    struct findings *findings;
    struct span_thread_set threads;
    struct name_cache names;
    struct text room;
    struct span_event *events;
    /* As many, while they are put in the order of their threads. */
    struct span_event *sorted;
    size_t n_events;
    size_t event_capacity;
    /* How many of them were matched with none, and may be yet. */
    size_t n_kept;
    bool has_complete;
    struct flow_event *flows;
    size_t n_flows;
    size_t flow_capacity;
    /* Of operations; and of flows. */
    struct async_groups groups[2];
    struct async_count *counts[2];
    size_t count_capacity[2];
    /* Events of operations; and how many there have to be before ended ones are dropped
     * again. */
    uint64_t n_operations;
    uint64_t next_drop;
    bool is_full;
};

void check_spans(struct check_spans *check, const struct fxt_record *record);
/* At the end of the stream. */
void check_spans_end(struct check_spans *check);
void check_spans_free(struct check_spans *check);

#endif
