/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spans: duration events of any trace, as stacks of their names with the time spent in
 * each.
 *
 * A span is a complete event, or a begin event and the end event that matches it on the
 * same thread, innermost first. The stack of a thread at any time is all of its open
 * spans, in the order in which they began; of those that began at the same time the
 * longest is the outermost, and of equal ones the first in the input. Spans need not be
 * properly nested: no time of any is lost.
 *
 * Events are not sorted in an input, and the span that encloses another one may be
 * written after it. So all events are kept to the end, at 32 bytes each, which is at most
 * twice their size in the input.
 */
#ifndef FXTPROFILE_IMPORT_SPANS_H
#define FXTPROFILE_IMPORT_SPANS_H

#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "common/base/string_table.h"
#include "common/base/text.h"
#include "common/spans/span_keys.h"
#include "spans_nest.h"

/* All zero is an empty one. */
struct spans {
    struct span_tally tally;
    uint32_t stream;

    struct span_event *events;
    size_t n_events;
    size_t event_capacity;

    struct span_thread_set threads;
    struct string_table names;
    struct text name;
};

/* Another stream begins: its threads are others, whatever their numbers. */
void spans_start_stream(struct spans *spans);

/* Takes an event, if it is one that this is about. */
void spans_take(struct spans *spans, const struct fxt_record *record);

/* After the last event. Emits the time of all spans, and forgets them but for the names
 * and the tally. `n_frames` is asked how many frames are kept of what was emitted. */
void spans_finish(struct spans *spans, spans_emit_fn *emit, void *context,
                  const size_t *n_frames);

void spans_free(struct spans *spans);

#endif
