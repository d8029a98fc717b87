/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The spans of one thread, from events in any order to stacks one after the other.
 */
#ifndef FXTPROFILE_IMPORT_SPANS_NEST_H
#define FXTPROFILE_IMPORT_SPANS_NEST_H

#include <stddef.h>
#include <stdint.h>

#include "spans.h"

enum span_kind { SPAN_BEGIN, SPAN_END, SPAN_COMPLETE };

struct span_event {
    uint64_t time_ns;
    /* Complete events; begins once their end is found. */
    uint64_t end_ns;
    /* Its place in the input, times four, and enum span_kind. */
    uint64_t order;
    uint32_t thread;
    uint32_t name;
};

/* Emits the time of the spans of `n` events of one thread, which it puts into another
 * order, and counts those that are no spans. */
void spans_nest(struct span_tally *tally, const struct span_thread *thread,
                struct span_event *events, size_t n, spans_emit_fn *emit, void *context,
                const size_t *n_frames);

#endif
