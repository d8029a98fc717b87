/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of counters, by series: an argument of a counter of a process. */
#ifndef FXTPROFILE_IMPORT_SUMMARY_COUNTERS_H
#define FXTPROFILE_IMPORT_SUMMARY_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/table.h"
#include "libfxtprofile/profile/values/event_summary.h"

struct counter_series {
    uint64_t stream;
    struct summary_counter counter;
};

/* A value, the number of its series and of its thread. */
struct counter_value {
    struct summary_value value;
    uint32_t series;
    uint32_t thread;
};

/* All zero is empty. */
struct counters {
    struct counter_series *series;
    size_t n_series;
    size_t series_capacity;
    struct table table;
    struct counter_value *values;
    size_t n;
    size_t capacity;
};

/* Adds a value of the series with these names, id and process. */
void counters_add(struct counters *counters, const struct counter_series *series,
                  const struct summary_value *value, uint32_t thread);

/* Moves the series that have values to the summary, in the order of their names, by the
 * numbers that strings get, and their values in the order of time. */
void counters_finish(struct counters *counters, const uint32_t *numbers,
                     struct event_summary *summary);

#endif
