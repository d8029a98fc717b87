/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting numbers, and rows by as many 64-bit keys as each of them has, such as stacks by
 * frames. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For comparisons, as qsort wants them. */
static inline int order_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* The same of the second numbers where the first ones are equal. */
static inline int order_pairs(uint64_t a, uint64_t b, uint64_t next_a, uint64_t next_b)
{
    return a != b ? order_numbers(a, b) : order_numbers(next_a, next_b);
}

/* Defines a comparison for qsort: of structs `a` and `b`, by the first that differs of
 * some members.
 *
 *     SORT_ORDER(order_rows, struct row,
 *                BY(cpu) || BY_DESCENDING(size) || BY_ORDER(strcmp(a->name, b->name)));
 */
#define SORT_ORDER(function, type, keys)                                                 \
    static int function(const void *left, const void *right)                             \
    {                                                                                    \
        const type *a = (const type *)left;                                              \
        const type *b = (const type *)right;                                             \
        int order = 0;                                                                   \
                                                                                         \
        (void)(keys);                                                                    \
        return order;                                                                    \
    }                                                                                    \
    struct sort_order

#define BY(member) BY_ORDER((a->member > b->member) - (a->member < b->member))
#define BY_DESCENDING(member) BY_ORDER((a->member < b->member) - (a->member > b->member))
#define BY_ORDER(comparison) ((order = (comparison)) != 0)

/* Sorts an array by such a comparison. It may be NULL if there are no items. */
#define SORT(items, n, order) sort_array((items), (n), sizeof(*(items)), (order))

void sort_array(void *items, size_t n, size_t size,
                int (*order)(const void *left, const void *right));

/* Sorts numbers in ascending order. */
void sort_numbers(uint64_t *numbers, size_t n);

/* The same, without those that are there twice. Returns how many are left. */
size_t sort_unique(uint64_t *numbers, size_t n);

/* How many bits a number has. */
static inline unsigned count_bits(uint64_t number)
{
    return number > 0 ? 64 - (unsigned)__builtin_clzll(number) : 1;
}

struct sort_row {
    uint64_t key;
    /* What the following keys are made of, if that is not the item. */
    uint32_t source;
    uint32_t item;
};

/* Gives rows their next keys, before which they were given `n`: 0 where there is none.
 * Returns false if none of the rows has one. */
typedef bool sort_next_fn(const void *context, struct sort_row *rows, size_t n_rows,
                          uint64_t n);

/* Sorts rows by their keys, then by the keys that `next` makes, which may be NULL, and
 * rows with equal keys by `item`. The keys are overwritten. Up to so many threads call
 * `next` at the same time; the order does not depend on them. */
void sort_rows(size_t n_threads, struct sort_row *rows, size_t n, sort_next_fn *next,
               const void *context);

#endif
