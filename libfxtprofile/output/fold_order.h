/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sorts folded stacks by the bytes of their lines, without making the text of the lines.
 *
 * Each name gets a rank among all names, once as followed by a semicolon and once, for
 * the end of a stack, as followed by a space and a count; stacks are then compared by
 * these ranks. That fails if a name looks like another name with a count, as "a 12" does
 * if "a" is a name too: then the texts are compared.
 */
#ifndef FXTPROFILE_OUTPUT_FOLD_ORDER_H
#define FXTPROFILE_OUTPUT_FOLD_ORDER_H

#include "fold.h"

/* Sorts the stacks of a fold, and merges equal ones. */
void fold_sort(struct fold *fold);

#endif
