/* SPDX-License-Identifier: BSD-2-Clause */
/* Begins, ends and complete events of spans, and their threads. */
#ifndef SPANS_SPAN_H
#define SPANS_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/types.h>

/* Counts of events that are not spans of the profile, or not completely. */
struct span_tally {
    /* Ends without a begin, which are ignored; begins without an end, which last until
     * the last begin or end of their thread; spans that end before they begin, which are
     * ignored. */
    uint64_t n_unopened;
    uint64_t n_unclosed;
    uint64_t n_backwards;
    /* Spans nested too deeply. */
    uint64_t n_too_deep;
    /* Asynchronous and flow events, which do not belong to one thread. */
    uint64_t n_async;
    uint64_t n_flow;
    /* Times that are too large for a number of nanoseconds. */
    uint64_t n_late;
};

/* A thread of one stream. Spans nest within a thread. */
struct span_thread {
    uint32_t stream;
    /* A thread index that was never registered; 0 for known threads. */
    uint32_t unknown_ref;
    uint64_t process;
    uint64_t thread;
};

static inline struct span_thread span_thread_of(const struct fxt_thread *thread,
                                                uint32_t stream)
{
    return (struct span_thread){
        .stream = stream,
        .unknown_ref = thread->known ? 0 : thread->ref,
        .process = thread->process,
        .thread = thread->thread,
    };
}

/* In this order, since compilers compare neighbors of four bytes as one number of eight,
 * for which a processor waits when both have just been stored. */
static inline bool span_thread_is(const struct span_thread *a,
                                  const struct span_thread *b)
{
    return a->stream == b->stream && a->thread == b->thread && a->process == b->process &&
           a->unknown_ref == b->unknown_ref;
}

/* A begin whose end was not found is SPAN_UNCLOSED, once ends were looked for. */
enum span_kind { SPAN_BEGIN, SPAN_END, SPAN_COMPLETE, SPAN_UNCLOSED };

#define SPAN_UNMATCHED UINT64_MAX

struct span_event {
    uint64_t time_ns;
    /* Complete events; begins once their end is found; of an end the `order` of its
     * begin, or SPAN_UNMATCHED. */
    uint64_t end_ns;
    /* Its place in the input, times four, and enum span_kind. */
    uint64_t order;
    /* What can match each other has one number: see span_keys.h. */
    uint32_t thread;
    uint32_t name;
};

#endif
