/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The spans of a trace whose names match an expression, as one: their durations, and
 * these by thread or by the value of an argument.
 */
#ifndef FXTREPORT_SPANS_SPAN_SET_H
#define FXTREPORT_SPANS_SPAN_SET_H

#include <regex.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/profile.h>

/* One span, and how long it lasted. */
struct span_instance {
    uint64_t ns;
    /* The index of the event. */
    uint32_t event;
};

/* A name and category that matched, and how many there are. */
struct span_name {
    struct fxt_string name;
    struct fxt_string category;
    uint64_t count;
};

/* Some of the spans. Durations are by nearest rank; the sum is at most 2^64-1. */
struct span_numbers {
    uint64_t count;
    uint64_t total_ns;
    uint64_t min_ns;
    uint64_t p50_ns;
    uint64_t p90_ns;
    uint64_t p99_ns;
    uint64_t max_ns;
};

/* Of spans in the order of their durations. */
void span_numbers_make(struct span_numbers *to, const struct span_instance *spans,
                       size_t n);

/* Of times; it is at most 2^64-1. */
static inline uint64_t span_sum(uint64_t a, uint64_t b)
{
    return a <= UINT64_MAX - b ? a + b : UINT64_MAX;
}

struct span_set {
    const struct fxt_profile *profile;
    /* The most frequent first. */
    struct span_name *names;
    size_t n_names;
    /* The shortest first, and of equal ones the one that began last. */
    struct span_instance *all;
    size_t n;
    struct span_numbers numbers;
    uint64_t self_ns;
    /* How many did not end. */
    uint64_t n_unfinished;
};

void span_set_make(struct span_set *set, const struct fxt_profile *profile,
                   const regex_t *expression);

/* The span that contains a time: of several the one that began last, and of these the
 * longest. FXT_PROFILE_NONE if there is none. */
uint32_t span_set_find(const struct span_set *set, uint64_t time_ns);

/* Spans that have something in common: a thread, or a value. */
struct span_group {
    /* The index of the thread; or of an event and an argument of it that has the value,
     * where FXT_PROFILE_NONE is that there is none. */
    uint32_t index;
    uint32_t arg;
    struct span_numbers numbers;
};

/* The groups with the largest sums first. */
struct span_groups {
    struct span_group *groups;
    size_t n;
};

void span_groups_by_thread(struct span_groups *groups, const struct span_set *set);

/* By the last argument of a span with that name. Numbers of all types of integers are
 * equal if their values are. */
void span_groups_by_arg(struct span_groups *groups, const struct span_set *set,
                        const char *name);

#endif
