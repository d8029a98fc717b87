/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys of 64 bits that are in the order of rows, as far as they go.
 *
 * In stacks a number is mostly followed by the same one, its main successor. So a key
 * does not have a rank for each number: it has the number of consecutive main successors,
 * and then the rank of the next number. Where numbers have no main successors, it only
 * takes more keys to distinguish rows.
 */
#ifndef BASE_NUMBER_KEYS_H
#define BASE_NUMBER_KEYS_H

#include <stdbool.h>

#include <fxt/compiler.h>

#include "number_sort.h"

/* Of a number that others follow: its rank, and that of its main successor if that is
 * followed by others, too; 0 if there is none. */
struct number_successor {
    uint32_t rank;
    uint32_t main;
};

struct number_keys {
    const struct number_ranks *ranks;
    /* By number. */
    struct number_successor *successors;
    /* How many bits a rank has. */
    unsigned bits;
    /* Whether rows have had a key: their first number was in it, and keys continue after
     * it. */
    bool has_begun;
};

/* Finds out which successors are the main ones. */
void number_keys_start(struct number_keys *keys, const struct number_ranks *ranks,
                       const struct number_row *rows, size_t n);

/* Returns a key that begins with the last bits of another, all but `n_free` of which are
 * taken, and has as many of a row's numbers as there is room for: all, or those after its
 * first one. The row then begins with the last number that the key covers; its key
 * stays. */
uint64_t number_keys_make(const struct number_keys *keys, struct number_row *row,
                          uint64_t key, unsigned n_free);

/* Says that a row's next key will be made. */
static FXT_ALWAYS_INLINE void number_keys_prefetch(const struct number_keys *keys,
                                                   const struct number_row *row)
{
    enum { LINE = 16 };

    FXT_PREFETCH(row->numbers);
    if (row->n > LINE)
        FXT_PREFETCH(row->numbers + LINE * keys->ranks->step);
}

void number_keys_free(struct number_keys *keys);

#endif
