/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Spans: duration events of any trace, as stacks of their names with the time that was
 * spent in each.
 *
 * A span is a complete event, or a begin and the end that follows it on the same thread,
 * innermost first. The stack of a thread at any time is all of its spans that are open
 * then, in the order in which they began; of those that began together the longest is the
 * outermost, and of those that ended together, too, the first in the input. Spans need
 * not be properly nested: no time of any is lost.
 *
 * Events are not sorted in an input, and what encloses a span may be written behind it.
 * So all are kept to the end, at 32 bytes each, which is no more than twice what they
 * take in the input.
 */
#ifndef FXTPROFILE_IMPORT_SPANS_H
#define FXTPROFILE_IMPORT_SPANS_H

#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "libfxtprofile/profile/profile.h"
#include "base/table.h"

/* The most names that a stack has; deeper spans' time is that of what they are in. A
 * profile holds each stack by itself, so where all of them together have grown beyond a
 * limit, no more than the second number is kept of the rest. */
enum { SPANS_DEPTH_MAX = 1024, SPANS_DEPTH_MAX_IN_NEED = 16 };
#define SPANS_FRAMES_MAX ((size_t)1 << 25)

/* What became of the events. */
struct span_tally {
    /* Ends without a begin, which are ignored; begins without an end, which last to the
     * last event of their thread; spans that end before they begin, which are ignored. */
    uint64_t n_unopened;
    uint64_t n_unclosed;
    uint64_t n_backwards;
    /* Spans that are too deep. */
    uint64_t n_too_deep;
    /* Events that connect threads, and say nothing about what one does. */
    uint64_t n_async;
    uint64_t n_flow;
};

struct span_event;

/* What has its spans by itself: a thread of one stream. */
struct span_thread {
    uint32_t stream;
    /* An index that was never registered; 0 for threads that are known. */
    uint32_t unknown_ref;
    uint64_t process;
    uint64_t thread;
};

/* All zero is an empty one. */
struct spans {
    struct span_tally tally;
    uint32_t stream;

    struct span_event *events;
    size_t n_events;
    size_t event_capacity;

    struct span_thread *threads;
    size_t n_threads;
    size_t thread_capacity;
    struct table thread_table;
    uint32_t last_thread;

    struct string_table names;
    struct text name;
};

/* Another stream begins: its threads are others, whatever their numbers. */
void spans_start_stream(struct spans *spans);

/* Takes an event, if it is one that this is about. */
void spans_take(struct spans *spans, const struct fxt_record *record);

/* A stretch of time in which a thread had one stack, leaf first; the stack's names are
 * numbers in spans->names, in the order of their bytes. `n_begun` is 1 if the innermost
 * span began with it, and else 0. */
typedef void spans_emit_fn(void *context, const struct span_thread *thread,
                           const uint64_t *stack, size_t n, uint64_t from_ns,
                           uint64_t to_ns, uint64_t n_begun);

/* After the last event. Emits the time of all spans, and forgets them but for the names
 * and the tally. `n_frames` is asked how many frames are kept of what was emitted. */
void spans_finish(struct spans *spans, spans_emit_fn *emit, void *context,
                  const size_t *n_frames);

void spans_free(struct spans *spans);

#endif
