/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts the stacks and blocks of a copy, and finds one by the other. */
#ifndef FXTHEAP_TABLE_SORT_H
#define FXTHEAP_TABLE_SORT_H

#include "table_copy.h"

/* By their numbers; of stacks with the same number one is kept. */
void table_sort_stacks(struct table_copy *copy);

/* By address. */
void table_sort_blocks(struct table_copy *copy);

/* By stack, and then by size. */
void table_sort_groups(struct table_copy *copy);

/* Marks blocks, which are sorted, that overlap others; returns how many. */
size_t table_mark_overlaps(struct table_copy *copy);

/* Of two blocks that overlap the older one has been freed: it is removed. */
void table_remove_older(struct table_copy *copy);

/* Replaces the table's numbers of stacks in blocks by indices of this copy's stacks,
 * which are sorted. */
void table_find_stacks(struct table_copy *copy);

#endif
