/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each thread did during a span, for critical_path.h, which goes through it from the
 * end to the begin.
 */
#ifndef FXTREPORT_SPANS_PATH_INDEX_H
#define FXTREPORT_SPANS_PATH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "span_threads.h"

/* The time for which a span was the innermost of its thread. */
struct path_part {
    uint64_t from_ns;
    uint64_t to_ns;
    uint32_t thread;
    uint32_t event;
};

/* The time for which a thread was off CPU. */
struct path_wait {
    uint64_t from_ns;
    uint64_t to_ns;
    uint32_t thread;
    /* The thread that ended it by a wakeup, or, of one that could run, from which on it
     * could. FXT_PROFILE_NONE if it is not known, or the same. */
    uint32_t waker;
    bool is_blocked;
    bool is_used;
    /* When the last one up to here ended for which the thread was blocked; 0 for none. */
    uint64_t blocked_to_ns;
};

/* What came to a thread from another one: a flow that began, or went on, there; or the
 * end of an operation that the thread had begun. */
struct path_arrival {
    uint64_t to_ns;
    /* When the flow was there, or when the operation began. */
    uint64_t from_ns;
    uint32_t thread;
    uint32_t source;
    uint32_t event;
    bool is_async;
};

/* A thread: where its parts, waits and arrivals end that have not been passed, and where
 * they begin. */
struct path_thread {
    size_t first_part;
    size_t n_parts;
    size_t first_wait;
    size_t n_waits;
    size_t first_arrival;
    size_t n_arrivals;
    /* From when to when scheduling records say what it did. */
    uint64_t known_from_ns;
    uint64_t known_to_ns;
};

struct path_index {
    const struct span_threads *threads;
    uint64_t from_ns;
    uint64_t to_ns;
    /* By the numbers of span_threads. */
    struct path_thread *all;
    /* By their threads, in the order of time. */
    struct path_part *parts;
    size_t n_parts;
    size_t part_capacity;
    struct path_wait *waits;
    size_t n_waits;
    size_t wait_capacity;
    struct path_arrival *arrivals;
    size_t n_arrivals;
    size_t arrival_capacity;
};

/* Of all between two times. */
void path_index_make(struct path_index *index, const struct span_threads *threads,
                     uint64_t from_ns, uint64_t to_ns);

#endif
