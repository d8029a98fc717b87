/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The slowest spans of a set, with what happened in each: the spans in it, what its
 * thread did, who woke the thread, and the functions that were sampled.
 */
#ifndef FXTREPORT_SPANS_SLOWEST_H
#define FXTREPORT_SPANS_SLOWEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/profile.h>

#include "span_set.h"
#include "span_threads.h"

enum { SLOWEST_MAX = 10 };

/* What there was several times in a span: spans of a name, wakeups by a thread, samples
 * of a function. */
struct slow_part {
    /* Of spans and functions. */
    struct fxt_string name;
    /* The number of a thread. */
    uint64_t thread;
    uint64_t count;
    /* Of spans, for how long they were in it; of wakeups, for how long the thread had
     * been blocked. */
    uint64_t ns;
};

struct slow_parts {
    struct slow_part *parts;
    size_t n;
    size_t capacity;
};

struct slow_span {
    uint32_t index;
    struct fxt_profile_event event;
    struct fxt_profile_nesting nesting;
    /* The spans directly in it, those of the longest time first. */
    struct slow_parts children;
    /* What the thread did, where there are scheduling records of it. */
    bool is_scheduled;
    uint64_t run_ns;
    uint64_t wait_ns;
    uint64_t blocked_ns;
    uint64_t unknown_ns;
    /* The longest time first. */
    struct slow_parts wakers;
    /* The samples of the thread, by the innermost function; the most first. */
    uint64_t n_samples;
    struct slow_parts functions;
};

struct slowest {
    struct slow_span spans[SLOWEST_MAX];
    size_t n;
};

void slowest_make(struct slowest *slowest, const struct span_set *set,
                  const struct span_threads *threads);

/* The number of the thread that woke the one of an event, from its arguments; 0 if it is
 * not known. */
uint64_t slowest_waker(const struct fxt_profile *profile, uint32_t event);

#endif
