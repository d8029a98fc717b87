/* SPDX-License-Identifier: BSD-2-Clause */
/* See clock.h. */
#include "clock.h"

#define NS_PER_SECOND ((uint64_t)1000000000)

/* So that differences of two of them are numbers of 64 bits. 146 years. */
#define ZERO_MAX ((uint64_t)1 << 62)

bool clock_zero(const struct fxt_provider *provider, int64_t *zero_ns)
{
    uint64_t base_ns;

    if (!provider->has_base || provider->base_wall_ns >= ZERO_MAX ||
        !fxt_ticks_to_ns(provider->base_ticks, provider->ticks_per_second, &base_ns) ||
        base_ns >= ZERO_MAX)
        return false;
    *zero_ns = (int64_t)provider->base_wall_ns - (int64_t)base_ns;
    return true;
}

bool clock_ticks(int64_t ns, uint64_t ticks_per_second, int64_t *ticks)
{
    uint64_t distance = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    uint64_t seconds = distance / NS_PER_SECOND;
    uint64_t part = distance % NS_PER_SECOND;
    uint64_t whole;

    /* Beyond 17 GHz, which no clock has, the product would not fit. */
    if (ticks_per_second > UINT64_MAX / NS_PER_SECOND ||
        seconds + 1 > (uint64_t)INT64_MAX / ticks_per_second)
        return false;
    whole = seconds * ticks_per_second +
            (part * ticks_per_second + NS_PER_SECOND / 2) / NS_PER_SECOND;
    *ticks = ns < 0 ? -(int64_t)whole : (int64_t)whole;
    return true;
}

uint64_t clock_add(uint64_t time, int64_t distance, bool *cut)
{
    uint64_t size = distance < 0 ? -(uint64_t)distance : (uint64_t)distance;

    if (distance < 0 ? size > time : size > UINT64_MAX - time) {
        *cut = true;
        return distance < 0 ? 0 : UINT64_MAX;
    }
    return distance < 0 ? time - size : time + size;
}
