/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sorting rows that are runs of numbers, such as stacks: by the rank of their first
 * number, then of the second, and so on; a row comes before what it is the start of.
 */
#ifndef TOOLS_NUMBER_SORT_H
#define TOOLS_NUMBER_SORT_H

#include <stddef.h>
#include <stdint.h>

/* For comparisons, as qsort wants them. */
static inline int order_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* The numbers, and the rank of each, from 1 on: where more numbers follow it in its row,
 * and where it is the last. */
struct number_ranks {
    const uint32_t *numbers;
    const uint32_t *inner;
    const uint32_t *last;
};

/* numbers[first] to numbers[first + n - 1]. */
struct number_row {
    /* What rows are compared by now: two ranks, or before the sorting whatever comes
     * before the ranks; never 0 then. */
    uint64_t key;
    size_t first;
    uint32_t n;
    /* The caller's. */
    uint32_t item;
};

/* The key for the ranks of the numbers from `at` on, 0 behind the last. */
uint64_t number_key(const struct number_ranks *ranks, const struct number_row *row,
                    uint32_t at);

/* Sorts rows by their keys, and those with the same key by the ranks of their numbers
 * from `at` on. Rows that are the same are in any order. */
void number_sort(const struct number_ranks *ranks, struct number_row *rows, size_t n,
                 uint32_t at);

/* Sorts rows by their keys alone; those with the same key stay in order. */
void number_sort_by_keys(struct number_row *rows, size_t n);

#endif
