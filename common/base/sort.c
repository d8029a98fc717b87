/* SPDX-License-Identifier: BSD-2-Clause */
/* See sort.h: all but rows. */
#include "sort.h"

#include <stdlib.h>

void sort_array(void *items, size_t n, size_t size,
                int (*order)(const void *left, const void *right))
{
    if (n > 0)
        qsort(items, n, size, order);
}

static int compare_numbers(const void *left, const void *right)
{
    return order_numbers(*(const uint64_t *)left, *(const uint64_t *)right);
}

void sort_numbers(uint64_t *numbers, size_t n)
{
    SORT(numbers, n, compare_numbers);
}

size_t sort_unique(uint64_t *numbers, size_t n)
{
    size_t kept = 0;

    sort_numbers(numbers, n);
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || numbers[kept - 1] != numbers[i])
            numbers[kept++] = numbers[i];
    }
    return kept;
}
