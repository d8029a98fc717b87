/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers for tests and benchmarks to make things of, the same ones in every run. */
#ifndef TESTS_SUPPORT_PICK_H
#define TESTS_SUPPORT_PICK_H

#include <stdint.h>

/* Marsaglia's xorshift: a number below `below`. */
static inline uint64_t pick(uint64_t below)
{
    static uint64_t state = 88172645463325252;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

#endif
