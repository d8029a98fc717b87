/* SPDX-License-Identifier: BSD-2-Clause */
/* The stack that an interrupt has found: its part in the kernel, and then the part in the
 * program that has called the kernel. */
#ifndef LINUX_STACK_H
#define LINUX_STACK_H

#include <linux/ptrace.h>

#include <fxt/emit.h>

enum {
    STACK_PCS_MAX = 128,
    /* Frames from stack_trace_save's caller to what was interrupted; about ten. */
    STACK_HANDLER_MAX = 32
};

struct stack {
    /* Leaf first, at least one. */
    uint64_t n_pcs;
    uint64_t pcs[STACK_PCS_MAX];
    enum fxt_stack_end end;
    /* The kernel could not be unwound from here. */
    bool is_leaf_only;
    /* What stack_trace_save has found; too large for the kernel's stack. */
    unsigned long found[STACK_HANDLER_MAX + STACK_PCS_MAX];
};

/* Takes the stack of the current thread, which was interrupted with these registers. */
void stack_take(struct stack *stack, struct pt_regs *regs);

#endif
