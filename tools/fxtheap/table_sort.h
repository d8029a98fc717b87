/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks and blocks, as they were read from a table, in an order in which they can be
 * found. */
#ifndef FXTHEAP_TABLE_SORT_H
#define FXTHEAP_TABLE_SORT_H

#include "table_file.h"

/* By their numbers; one that comes twice is one stack. */
void table_sort_stacks(struct table_copy *copy);

/* By address. */
void table_sort_blocks(struct table_copy *copy);

/* Marks blocks, which are sorted, that overlap others; returns how many. */
size_t table_mark_overlaps(struct table_copy *copy);

/* Of two blocks in one place the older one was given back meanwhile. */
void table_leave_out_older(struct table_copy *copy);

/* From the table's numbers of stacks to this copy's, which are sorted. */
void table_find_stacks(struct table_copy *copy);

#endif
