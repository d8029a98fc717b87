/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many stacks begin alike, so that it takes many numbers to tell one from another, and
 * yet there are few different beginnings. Where that is so, a block of the next numbers
 * of each row is found among the different blocks that there are, and only these are
 * sorted.
 */
#ifndef TOOLS_NUMBER_BLOCKS_H
#define TOOLS_NUMBER_BLOCKS_H

#include <stdbool.h>

#include "number_sort.h"

/* How many numbers a block has. */
enum { NUMBER_BLOCK = 8 };

/* Whether there are many rows, and of some of them, from all over, several have a block
 * in common that begins at number `at`. */
bool number_blocks_are_few(const struct number_ranks *ranks,
                           const struct number_row *rows, size_t n, uint32_t at);

/* Where the rows of each place end. */
struct number_places {
    size_t *ends;
    uint32_t n;
};

/* Sorts rows by their keys and the ranks of a block from `at` on; those of the same stay
 * in order, and have one place. `spare` is room for as many rows. The keys are used up.
 * The caller frees the ends. */
struct number_places number_blocks_sort(const struct number_ranks *ranks,
                                        struct number_row *rows, struct number_row *spare,
                                        size_t n, uint32_t at);

#endif
