/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How durations are distributed: how many there are in each range, the ranges with round
 * ends (1, 2 or 5 of a power of ten), each from one end up to, but not including, the
 * next one.
 */
#ifndef FXTREPORT_SPANS_HISTOGRAM_H
#define FXTREPORT_SPANS_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "span_set.h"

enum { HISTOGRAM_MAX = 40 };

struct histogram_row {
    uint64_t from_ns;
    /* UINT64_MAX of the last one that could have no end. */
    uint64_t to_ns;
    uint64_t count;
};

struct histogram {
    bool is_logarithmic;
    struct histogram_row rows[HISTOGRAM_MAX];
    size_t n;
    uint64_t most;
};

/* Of spans in the order of their durations. The scale is logarithmic if the longest is 20
 * times as long as the shortest, or more; what lasted no time at all does not count in
 * this. */
void histogram_make(struct histogram *histogram, const struct span_instance *spans,
                    size_t n);

#endif
