/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tree of calls, from the outermost functions to the innermost ones; or from functions
 * that match an expression to their callers. Branches of little weight are cut off, and
 * what they weigh is summed up.
 */
#ifndef FXTREPORT_TREE_H
#define FXTREPORT_TREE_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure.h"
#include "tree_lines.h"
#include "weights.h"

/* `measure` is by functions, and not sorted. `from` is NULL for a tree of calls; else the
 * expression for the functions whose callers are wanted. Branches below `min` are cut
 * off, but the roots of callers are not. */
void tree_make(struct tree *tree, const struct weights *weights,
               const struct measure *measure, const regex_t *from, int64_t min);

#endif
