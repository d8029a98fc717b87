/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The spans of threads, matched and nested as spans.h has it, added up by their names.
 *
 * Most writers store begins and ends in the order of time, and complete spans when they
 * end. Then each span is known once the last of its events is there, and what it encloses
 * came before it, so that a thread is added up in one pass without an array of its spans.
 * Of a thread in another order, or with spans that end inside of others that began later,
 * the spans are sorted.
 */
#ifndef FXTPROFILE_IMPORT_SUMMARY_SPAN_SUMS_H
#define FXTPROFILE_IMPORT_SUMMARY_SPAN_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "labels.h"
#include "libfxtprofile/profile/filter.h"
#include "span_log.h"

/* A span that has no end yet. */
struct open_begin {
    uint64_t time_ns;
    uint64_t order;
    uint32_t label;
};

/* A span that is in no other one so far. */
struct span_root {
    uint64_t from_ns;
    uint64_t to_ns;
};

/* The last of these. */
struct last_span {
    uint64_t order;
    /* None outside of the window. */
    uint64_t self_ns;
    uint32_t name;
};

/* The time for which spans of a label were the innermost. */
struct span_self {
    uint64_t ns;
    bool is_touched;
};

/* All zero but for the first members is empty. */
struct span_sums {
    struct labels *labels;
    /* NULL for all times. */
    const struct time_window *window;
    struct span_tally tally;
    uint64_t n_other_time;
    /* The times of all spans. */
    bool has_times;
    uint64_t first_ns;
    uint64_t last_ns;

    /* Of the current thread. */
    struct open_begin *open;
    size_t n_open;
    size_t open_capacity;
    struct span_root *roots;
    size_t n_roots;
    size_t root_capacity;
    struct last_span last;
    bool is_nested;
    struct span_self *self;
    size_t n_self;
    uint32_t *touched;
    size_t n_touched;
    size_t touched_capacity;
};

/* Adds the spans of a thread. */
void span_sums_add(struct span_sums *sums, const struct span_log *log);

void span_sums_free(struct span_sums *sums);

#endif
