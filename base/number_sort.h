/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sorting rows that are runs of numbers, such as stacks: by the rank of their first
 * number, then of the second, and so on; a row comes before what it is the start of.
 */
#ifndef BASE_NUMBER_SORT_H
#define BASE_NUMBER_SORT_H

#include <stddef.h>
#include <stdint.h>

/* For comparisons, as qsort wants them. */
static inline int order_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* The rank of each of `n_numbers` numbers, from 1 to `max`: where more numbers follow it
 * in its row, and where it is the last. There are not many more ranks than numbers. */
struct number_ranks {
    const uint32_t *inner;
    const uint32_t *last;
    size_t n_numbers;
    uint32_t max;
    /* How far a row's next number is from one: 1, or -1. */
    int step;
};

struct number_row {
    /* By what rows are sorted before all numbers. */
    uint64_t key;
    /* The first of `n` numbers; sorting uses them up. */
    const uint32_t *numbers;
    uint32_t n;
    /* The caller's. */
    uint32_t item;
};

enum { NUMBER_KEY_BITS = 64 };

/* How many bits a number has. */
static inline unsigned number_bits(uint64_t number)
{
    return number > 0 ? (unsigned)(NUMBER_KEY_BITS - __builtin_clzll(number)) : 1;
}

/* The rank of a row's number; 0 past the last. */
static inline uint64_t number_rank(const struct number_ranks *ranks,
                                   const struct number_row *row, uint32_t i)
{
    uint32_t number;

    if (i >= row->n)
        return 0;
    number = row->numbers[(ptrdiff_t)i * ranks->step];
    return i + 1 < row->n ? ranks->inner[number] : ranks->last[number];
}

/* Where those end that have the same key as the `first` of `n` sorted rows. */
static inline size_t number_same_end(const struct number_row *rows, size_t first,
                                     size_t n)
{
    size_t end = first + 1;

    while (end < n && rows[end].key == rows[first].key)
        end++;
    return end;
}

/* Sorts rows, each with one number at least, by their keys and numbers. It takes little
 * more memory than they do. */
void number_sort(const struct number_ranks *ranks, struct number_row *rows, size_t n);

/* Sorts rows by nothing but their keys; those with the same key stay in the order that
 * they were in. `spare` has room for as many rows, or is NULL. */
void number_sort_keys(struct number_row *rows, struct number_row *spare, size_t n);

#endif
