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

/* Makes the keys of rows from their keys and the ranks of a block from `at` on: the place
 * that these have among all, and behind it, in the last bits of the key, the next ranks,
 * as many as there is room for. Returns how many ranks the keys now stand for. */
uint32_t number_blocks_make_keys(const struct number_ranks *ranks,
                                 struct number_row *rows, size_t n, uint32_t at);

#endif
