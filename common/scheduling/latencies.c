/* SPDX-License-Identifier: BSD-2-Clause */
/* See latencies.h. */
#include "latencies.h"

#include "common/base/memory.h"
#include "common/base/sort.h"

enum { RANGES_PER_POWER = 16 };

static unsigned range_of(uint64_t ns)
{
    unsigned power = count_bits(ns) - 1;

    if (power < LATENCIES_FIRST_POWER)
        return (unsigned)(ns * RANGES_PER_POWER >> LATENCIES_FIRST_POWER);
    if (power > LATENCIES_LAST_POWER)
        return LATENCIES_RANGES - 1;
    return (power - LATENCIES_FIRST_POWER + 1) * RANGES_PER_POWER +
           (unsigned)(ns >> (power - 4) & (RANGES_PER_POWER - 1));
}

/* The time in the middle of a range. */
static uint64_t middle_of(unsigned range)
{
    unsigned power = range / RANGES_PER_POWER + LATENCIES_FIRST_POWER - 1;
    uint64_t width;

    if (range < RANGES_PER_POWER) {
        width = (1 << LATENCIES_FIRST_POWER) / RANGES_PER_POWER;
        return range * width + width / 2;
    }
    width = (uint64_t)1 << (power - 4);
    return ((uint64_t)1 << power) + range % RANGES_PER_POWER * width + width / 2;
}

void latencies_add(struct latencies *l, uint64_t ns)
{
    uint32_t *count;

    if (l->ranges == NULL)
        l->ranges = memory_allocate(LATENCIES_RANGES * sizeof(*l->ranges));
    if (l->n == 0 || ns < l->min_ns)
        l->min_ns = ns;
    if (ns > l->max_ns)
        l->max_ns = ns;
    l->n++;
    count = &l->ranges[range_of(ns)];
    *count += *count < UINT32_MAX;
}

uint64_t latencies_percentile(const struct latencies *l, unsigned percent)
{
    uint64_t rank = l->n / 100 * percent + (l->n % 100 * percent + 99) / 100;
    uint64_t n = 0;
    uint64_t ns = l->max_ns;

    for (unsigned i = 0; i + 1 < LATENCIES_RANGES; i++) {
        n += l->ranges[i];
        if (n >= rank) {
            ns = middle_of(i);
            break;
        }
    }
    if (ns < l->min_ns)
        return l->min_ns;
    return ns < l->max_ns ? ns : l->max_ns;
}

void latencies_free(struct latencies *l)
{
    memory_release(l->ranges);
    *l = (struct latencies){.n = 0};
}
