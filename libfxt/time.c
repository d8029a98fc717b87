/* SPDX-License-Identifier: BSD-2-Clause */
/* Ticks to nanoseconds, exact and without any number wider than 64 bits. */
#include <fxt/record.h>

#define NS_PER_SECOND ((uint64_t)1000000000)

/* floor(part * 10^9 / whole) for part < whole, by long division in binary: the bits of
 * 10^9 from the top, each step doubling the quotient and the remainder. */
static uint64_t divide_long(uint64_t part, uint64_t whole)
{
    uint64_t quotient = 0;
    uint64_t rest = 0;

    for (int bit = 29; bit >= 0; bit--) {
        quotient *= 2;
        /* rest = rest * 2 mod whole, where the doubling may pass 2^64. */
        if (rest >= whole - rest) {
            rest -= whole - rest;
            quotient++;
        } else {
            rest += rest;
        }
        if (!(NS_PER_SECOND >> bit & 1))
            continue;
        if (rest >= whole - part) {
            rest -= whole - part;
            quotient++;
        } else {
            rest += part;
        }
    }
    return quotient;
}

bool fxt_ticks_to_ns(uint64_t ticks, uint64_t ticks_per_second, uint64_t *ns)
{
    uint64_t seconds;
    uint64_t part;

    *ns = ticks;
    if (ticks_per_second == NS_PER_SECOND)
        return true;
    *ns = UINT64_MAX;
    if (ticks_per_second == 0)
        return false;
    seconds = ticks / ticks_per_second;
    part = ticks % ticks_per_second;
    if (ticks_per_second <= UINT64_MAX / NS_PER_SECOND)
        part = part * NS_PER_SECOND / ticks_per_second;
    else
        part = divide_long(part, ticks_per_second);
    if (seconds > (UINT64_MAX - part) / NS_PER_SECOND)
        return false;
    *ns = seconds * NS_PER_SECOND + part;
    return true;
}
