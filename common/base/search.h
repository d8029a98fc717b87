/* SPDX-License-Identifier: BSD-2-Clause */
/* Binary search in arrays that ascend by a member of 64 bits. */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* How many of the `n` elements of an array, `size` bytes each with their key at `offset`,
 * have one below `key`: the index of the first that has not. */
static inline size_t search_below(const void *array, size_t n, size_t size, size_t offset,
                                  uint64_t key)
{
    const unsigned char *keys = (const unsigned char *)array;
    size_t low = 0;
    size_t high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint64_t found;

        memcpy(&found, keys + middle * size + offset, sizeof(found));
        if (found < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many have one that is not above it: the index of the first that is. */
static inline size_t search_up_to(const void *array, size_t n, size_t size, size_t offset,
                                  uint64_t key)
{
    return key == UINT64_MAX ? n : search_below(array, n, size, offset, key + 1);
}

#endif
