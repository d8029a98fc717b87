/* SPDX-License-Identifier: BSD-2-Clause */
/* The one rule by which begins and ends are matched, whatever shows them. */
#ifndef SPANS_SPAN_MATCH_H
#define SPANS_SPAN_MATCH_H

#include <stddef.h>

#include "span.h"

static inline enum span_kind span_kind_of(const struct span_event *event)
{
    return (enum span_kind)(event->order & 3);
}

/* For qsort: by their times and, where these are equal, in the order of the input. */
int span_order_times(const void *left, const void *right);

/* Sorts events by their threads, and those of a thread by their times. In each thread an
 * end ends the innermost begin that is open: begins get the times of their ends, and the
 * other way round. A begin without an end lasts until the last of its thread's events. */
void spans_match(struct span_tally *tally, struct span_event *events, size_t n);

#endif
