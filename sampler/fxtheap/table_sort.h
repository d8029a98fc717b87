/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks and blocks, as they were read from a table, in an order in which they can be
 * found. */
#ifndef FXTHEAP_TABLE_SORT_H
#define FXTHEAP_TABLE_SORT_H

#include "table_file.h"

/* By their numbers; one that comes twice is one stack. */
void table_sort_stacks(struct table_copy *copy);

/* By address, and without overlap; each then refers to one of the stacks, which are
 * sorted. */
void table_sort_blocks(struct table_copy *copy);

#endif
