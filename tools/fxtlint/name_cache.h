/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A set of strings, with a cache of recent ones by their addresses: names repeat at the
 * same address, and comparing is faster than hashing.
 */
#ifndef FXTLINT_NAME_CACHE_H
#define FXTLINT_NAME_CACHE_H

#include <stdbool.h>

#include "common/base/string_table.h"

enum { NAME_CACHE_BITS = 10 };

/* All zero is an empty one. */
struct name_cache {
    struct string_table strings;
    /* By where the bytes were: the number of what was found, and one. */
    uint32_t slots[1 << NAME_CACHE_BITS];
};

/* The number of a string, which is added if it is new. */
static inline uint32_t name_cache_add(struct name_cache *cache, const char *data,
                                      size_t size)
{
    uint64_t hash = ((uint64_t)(uintptr_t)data >> 3) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t *slot = &cache->slots[hash >> (64 - NAME_CACHE_BITS)];

    if (*slot > 0) {
        struct string known = string_table_get(&cache->strings, *slot - 1);

        if (known.size == size && memcmp(known.data, data, size) == 0)
            return *slot - 1;
    }
    *slot = string_table_add(&cache->strings, data, size) + 1;
    return *slot - 1;
}

#endif
