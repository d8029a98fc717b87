/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The steps from a frame to its caller's. Each replaces the state's frame, or returns
 * false, with the end of the stack in the state.
 */
#ifndef FXTUNWIND_UNWIND_STEP_H
#define FXTUNWIND_UNWIND_STEP_H

#include "unwind_state.h"

/* By a simple rule, or by an odd one, of a module. */
bool step_simple(struct unwind_state *s, const struct unwind_module *module,
                 uint32_t rule);
bool step_odd(struct unwind_state *s, const struct unwind_module *module, uint32_t rule);

/* To what a signal of Linux interrupted: the stack pointer is that of the code that
 * returns from the handler. */
bool step_signal(struct unwind_state *s);

/* Without a rule; see unwind_guess.c. */
bool step_without_rule(struct unwind_state *s, const struct unwind_module *module);

/* From a function that switches stacks, as far as its caller is on the same one. */
bool step_switch(struct unwind_state *s, const struct unwind_module *module);

/* The caller's frame, and the address where it resumes. */
struct unwind_caller {
    uint64_t sp;
    uint64_t fp;
    uint64_t ra;
    /* The return address was in a register, so that nothing needs to be on the stack. */
    bool in_register;
};

bool step_to(struct unwind_state *s, const struct unwind_module *module,
             const struct unwind_caller *caller);

/* Computes an expression of the table. `first` is on its stack before, unless it is NULL.
 * Returns false, with the end of the stack in `s->end`, if it cannot be computed. */
bool expression_evaluate(struct unwind_state *s, const struct unwind_table *table,
                         const struct unwind_value *expression, const uint64_t *first,
                         uint64_t *value);

#endif
