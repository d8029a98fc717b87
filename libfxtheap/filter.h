/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which blocks may be in the table: the counts of those that have a hash, where samples
 * are taken, so that freeing one of the many others needs no lookup in the table. A count
 * of 255 is never changed.
 */
#ifndef LIBFXTHEAP_FILTER_H
#define LIBFXTHEAP_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FILTER_SIZE = 1 << 14, FILTER_FULL = 255 };

/* NULL as long as all blocks must be looked up. */
extern unsigned char *filter_counts __attribute__((visibility("hidden")));

static inline size_t filter_index(const void *block)
{
    return (size_t)(((uintptr_t)block >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 50);
}

/* Whether a block is certainly not in the table. */
static inline bool filter_excludes(const void *block)
{
    const unsigned char *counts = __atomic_load_n(&filter_counts, __ATOMIC_RELAXED);

    return counts != NULL &&
           __atomic_load_n(&counts[filter_index(block)], __ATOMIC_RELAXED) == 0;
}

/* Begins to exclude blocks: no others than those counted are in the table. */
void filter_enable(void);

/* A block that is not the next allocator's is never excluded, even if it is in no table.
 */
void filter_mark_early(const void *block);

/* Adds 1 or -1 to the count of a block's hash. */
void filter_count(const void *block, int change);

#endif
