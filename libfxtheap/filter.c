/* SPDX-License-Identifier: BSD-2-Clause */
/* See filter.h. */
#include "filter.h"

static unsigned char all_counts[FILTER_SIZE];
unsigned char *filter_counts;

void filter_enable(void)
{
    __atomic_store_n(&filter_counts, all_counts, __ATOMIC_RELAXED);
}

void filter_mark_early(const void *block)
{
    all_counts[filter_index(block)] = FILTER_FULL;
}

void filter_count(const void *block, int change)
{
    unsigned char *counts = __atomic_load_n(&filter_counts, __ATOMIC_RELAXED);
    unsigned char *at;
    unsigned char count;

    if (counts == NULL)
        return;
    at = &counts[filter_index(block)];
    count = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (count != FILTER_FULL &&
           !__atomic_compare_exchange_n(at, &count, (unsigned char)(count + change),
                                        false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}
