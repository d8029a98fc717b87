/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The DWARF expressions that unwind tables have, such as that of PLT entries: arithmetic
 * on registers, constants and memory. There are no jumps, so that each ends.
 */
#ifndef FXTUNWIND_UNWIND_EXPRESSION_H
#define FXTUNWIND_UNWIND_EXPRESSION_H

#include "unwind_state.h"

/* Computes an expression of the table. `first` is on its stack before, unless it is NULL.
 * Returns false, with the end of the stack in `s->end`, if it cannot be computed. */
bool expression_evaluate(struct unwind_state *s, const struct unwind_table *table,
                         const struct unwind_value *expression, const uint64_t *first,
                         uint64_t *value);

#endif
