/* SPDX-License-Identifier: BSD-2-Clause */
/* How many allocations a sampled one represents. */
#ifndef BASE_SAMPLE_WEIGHT_H
#define BASE_SAMPLE_WEIGHT_H

#include <math.h>
#include <stdint.h>

/* The number of allocations of `size` bytes that one sampled allocation represents, where
 * on average one byte in `sample_bytes` is sampled (0: every allocation is recorded): the
 * inverse of the probability that an allocation of that size is sampled. */
static inline double heap_weight(double size, uint64_t sample_bytes)
{
    return sample_bytes > 0 ? -1 / expm1(-(size + 1) / (double)sample_bytes) : 1;
}

#endif
