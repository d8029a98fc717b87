/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The begins, ends and complete spans of one thread in the order of the input, in a few
 * bytes each: differences of times, as numbers of seven bits a byte.
 */
#ifndef FXTPROFILE_IMPORT_SUMMARY_SPAN_LOG_H
#define FXTPROFILE_IMPORT_SUMMARY_SPAN_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/spans/span.h"

struct span_block;

/* All zero is an empty one. */
struct span_log {
    struct span_block *first;
    struct span_block *last;
    /* The time of the last entry, and of the last begin or end; and whether there is a
     * begin or an end that is earlier than one before. */
    uint64_t last_ns;
    uint64_t last_edge_ns;
    bool is_unsorted;
    uint64_t n;
};

/* Adds an event, of which the order is not used. */
void span_log_add(struct span_log *log, const struct span_event *event);

/* From the first to the last entry. */
struct span_log_reader {
    const struct span_block *block;
    size_t at;
    uint64_t last_ns;
    uint64_t n;
};

struct span_log_reader span_log_read(const struct span_log *log);

/* Stores the next entry, with its number among all as its order; false at the end. */
bool span_log_next(struct span_log_reader *reader, struct span_event *event);

void span_log_free(struct span_log *log);

#endif
