/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of a trace added up: spans, asynchronous operations and flows by their
 * names, counters, instants, and what threads did by scheduling records. Spans are
 * matched and nested as everywhere: see spans.h.
 *
 * Unlike the events of a timeline, which are kept one by one, a span takes some ten bytes
 * while the input is read, and eight afterwards.
 */
#ifndef FXTPROFILE_IMPORT_SUMMARY_SUMMARY_H
#define FXTPROFILE_IMPORT_SUMMARY_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "common/base/text.h"
#include "common/scheduling/sched_times.h"
#include "counters.h"
#include "labels.h"
#include "common/spans/span_keys.h"
#include "libfxtprofile/profile/filter.h"
#include "operations.h"
#include "span_log.h"

/* The label that a span with these references to strings of its provider had last. It is
 * that of the next one, too, if no string was registered in between; else, and if strings
 * are inline (0), their bytes are compared, which is less than hashing them. */
struct summary_recent {
    uint64_t refs;
    uint64_t n_registered;
    uint32_t label;
    bool is_set;
};

enum { SUMMARY_RECENT = 512 };

/* All zero is an empty one. */
struct summary {
    struct string_table strings;
    struct text room;
    struct span_thread_set threads;
    /* By their numbers. */
    struct span_log *logs;
    size_t n_logs;
    size_t log_capacity;
    uint32_t n_streams;

    struct labels spans;
    struct operations async;
    struct operations flows;
    struct counters counters;
    /* Instants have no label by themselves: it is what is counted, by thread. */
    struct operations instants;
    struct sched_times scheduling;
    struct summary_recent recent[SUMMARY_RECENT];
    /* How many streams began, and strings were registered. */
    uint64_t n_registered;
    struct span_tally tally;
    uint64_t n_unopened_async;
    uint64_t n_unopened_flows;
};

/* Another stream begins; returns its number. */
uint32_t summary_start_stream(struct summary *summary);

/* Takes a record of a stream, if it is of an event or about scheduling. */
void summary_take(struct summary *summary, uint32_t stream,
                  const struct fxt_record *record);

/* After the last record: moves all that is asked for to `to`, and counts how many events
 * are not. */
struct summary_wishes {
    const struct filter *filter;
    /* NULL for all times. */
    const struct time_window *window;
    const struct koid_names *names;
};

uint64_t summary_finish(struct summary *summary, const struct summary_wishes *wishes,
                        struct event_summary *to);

void summary_free(struct summary *summary);

#endif
