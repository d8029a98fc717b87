/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order of folded stacks as lines of text, that of their bytes, without putting the
 * text together.
 *
 * Each name gets a number by its place among all of them, as it is followed by a
 * semicolon or, at the end of a stack, by a space and a count; stacks are then compared
 * by these numbers. That fails where a name goes on as another one and a count would, as
 * "a 12" does where "a" is a name too: then the texts are compared.
 */
#ifndef FXTPROFILE_OUTPUT_FOLD_ORDER_H
#define FXTPROFILE_OUTPUT_FOLD_ORDER_H

#include "fold.h"

/* Sorts the stacks of a fold, and makes one of those that are the same. */
void fold_sort(struct fold *fold);

#endif
