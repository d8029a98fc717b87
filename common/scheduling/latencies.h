/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Times of which percentiles are wanted, in constant memory: how many are in each of a
 * number of ranges. A percentile is at most 1/32 of itself, or 32 ns, from the exact one,
 * up to 2^40 ns (18 minutes). The largest time is exact.
 */
#ifndef SCHEDULING_LATENCIES_H
#define SCHEDULING_LATENCIES_H

#include <stdint.h>

enum {
    /* Times below 2^10 are in 16 ranges of 64 ns, and those from 2^n on, below 2^(n+1),
     * in 16 ranges, too. */
    LATENCIES_FIRST_POWER = 10,
    LATENCIES_LAST_POWER = 39,
    LATENCIES_RANGES = 16 * (LATENCIES_LAST_POWER - LATENCIES_FIRST_POWER + 2)
};

/* All zero is an empty one. */
struct latencies {
    uint64_t n;
    uint64_t min_ns;
    uint64_t max_ns;
    /* NULL while there are none. */
    uint32_t *ranges;
};

void latencies_add(struct latencies *latencies, uint64_t ns);

/* The time that `percent` of all times, at least one of which there must be, do not
 * exceed. */
uint64_t latencies_percentile(const struct latencies *latencies, unsigned percent);

void latencies_free(struct latencies *latencies);

#endif
