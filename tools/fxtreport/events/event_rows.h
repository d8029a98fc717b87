/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The spans, asynchronous operations, flows or instants of a recording by name, sorted by
 * a column.
 */
#ifndef FXTREPORT_EVENTS_EVENT_ROWS_H
#define FXTREPORT_EVENTS_EVENT_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/profile.h>

#include "common/base/text.h"

/* What rows are sorted by: numbers the largest first, names in the order of bytes. */
enum event_column {
    EVENT_TOTAL,
    EVENT_SELF,
    EVENT_COUNT,
    EVENT_MIN,
    EVENT_P50,
    EVENT_P90,
    EVENT_P99,
    EVENT_MAX,
    EVENT_NAME,
    EVENT_CATEGORY
};

/* The column of a word; false if there is none. */
bool event_column_find(const char *word, enum event_column *column);

struct event_row {
    struct fxt_profile_summary all;
    /* Of the durations, by nearest rank; 0 if there are none. */
    uint64_t min_ns;
    uint64_t p50_ns;
    uint64_t p90_ns;
    uint64_t p99_ns;
    uint64_t max_ns;
    /* There are others of that name, in other categories. */
    bool is_repeated;
};

struct event_rows {
    struct event_row *rows;
    size_t n;
    /* All rows together. */
    uint64_t count;
    uint64_t n_unfinished;
    uint64_t total_ns;
    uint64_t self_ns;
    /* The shortest and the longest of all durations. */
    uint64_t min_ns;
    uint64_t max_ns;
};

void event_rows_make(struct event_rows *rows, const struct fxt_profile *profile,
                     enum fxt_profile_summary_kind kind);
void event_rows_sort(struct event_rows *rows, enum event_column column);

/* Of times in ascending order, the one that `percent` of all do not exceed; 0 if there
 * are none. */
uint64_t event_percentile(const uint64_t *times, size_t n, unsigned percent);

/* What a row is sorted by; 0 for names. */
uint64_t event_row_number(const struct event_row *row, enum event_column column);

/* Adds the name of a row, and its category where the name is not enough. */
void event_row_name(const struct event_row *row, struct text *text);

struct counter_numbers {
    double min;
    double mean;
    double max;
    double last;
};

/* Of a counter's values. Each lasts until the next one of its series, and the mean is
 * over that time; of values at one time only it is that of the values. */
struct counter_numbers counter_numbers_of(const struct fxt_profile_counter *counter);

#endif
