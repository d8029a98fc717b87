/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a profile has beside its samples of the events of a trace: how often each name of
 * a span, an asynchronous operation or a flow was there and how long it took each time,
 * the values of counters, and the time that threads ran. See fxt/profile_summary.h.
 */
#ifndef FXTPROFILE_PROFILE_VALUES_EVENT_SUMMARY_H
#define FXTPROFILE_PROFILE_VALUES_EVENT_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/string_table.h"

/* All events of one kind, name and category. */
struct summary_row {
    /* Numbers in the summary's strings. */
    uint32_t name;
    uint32_t category;
    /* How many began, and how many of them have no end. */
    uint64_t count;
    uint64_t n_unfinished;
    /* Sums, which saturate. */
    uint64_t total_ns;
    uint64_t self_ns;
    /* How long each took, in ascending order; and of flows the times from each event to
     * the next. */
    uint64_t *times;
    size_t n_times;
    uint64_t *steps;
    size_t n_steps;
};

struct summary_rows {
    struct summary_row *rows;
    size_t n;
    /* Those of all rows. */
    uint64_t *times;
    uint64_t *steps;
};

/* As struct fxt_profile_counter_value is. */
struct summary_value {
    uint64_t time_ns;
    double value;
};

/* The values that a counter had, in the order of time. */
struct summary_counter {
    uint64_t process;
    uint64_t id;
    uint32_t name;
    uint32_t category;
    /* The argument's name. */
    uint32_t series;
    /* Numbers in the summary's values: from the first on, so many. */
    size_t first;
    size_t n;
};

/* What a thread did, from scheduling records. */
struct summary_thread {
    uint64_t process;
    uint64_t thread;
    uint64_t run_ns;
    uint64_t wait_ns;
    uint64_t blocked_ns;
    uint64_t unknown_ns;
    uint64_t n_switches;
    uint64_t n_migrations;
};

enum summary_kind {
    SUMMARY_SPANS,
    SUMMARY_ASYNC,
    SUMMARY_FLOWS,
    SUMMARY_INSTANTS,
    SUMMARY_KINDS
};

/* All zero has nothing. */
struct event_summary {
    struct string_table strings;
    struct summary_rows kinds[SUMMARY_KINDS];
    struct summary_counter *counters;
    size_t n_counters;
    struct summary_value *values;
    /* Those that ran longest first. */
    struct summary_thread *threads;
    size_t n_threads;
    /* The times of all of it, if there is anything. */
    bool has_times;
    uint64_t first_ns;
    uint64_t last_ns;
};

#endif
