// SPDX-License-Identifier: BSD-2-Clause
/* See stack.h. */
#include "stack.h"

#include <linux/build_bug.h>
#include <linux/compat.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/stacktrace.h>
#include <linux/uaccess.h>

#include <asm/syscall.h>

#include <fxt/unwind.h>

/* ---- The kernel -------------------------------------------------------------------- */

/*
 * Takes the kernel's part, by whatever unwinder the kernel has (ORC on x86-64). It begins
 * in this handler: the interrupted instruction, which interrupts leave on the stack, ends
 * what is left out. Returns false if the part is cut, so that its callers are missing.
 */
static bool take_kernel(struct stack *stack, struct pt_regs *regs)
{
    unsigned long pc = instruction_pointer(regs);
    unsigned int n = stack_trace_save(stack->found, ARRAY_SIZE(stack->found), 0);
    unsigned int i = 0;

    while (i < n && stack->found[i] != pc)
        i++;
    stack->is_leaf_only = i == n;
    if (i == n) {
        stack->pcs[stack->n_pcs++] = pc;
        return false;
    }
    while (i < n && stack->n_pcs < STACK_PCS_MAX)
        stack->pcs[stack->n_pcs++] = stack->found[i++];
    if (i == n && n < ARRAY_SIZE(stack->found))
        return true;
    stack->end = FXT_STACK_END_DEPTH;
    return false;
}

/* ---- The program ------------------------------------------------------------------- */

/* Fails where the memory is not mapped; does not wait for it to be read from a disk. */
static bool read_user(void *context, uintptr_t address, uintptr_t words[2])
{
    static_assert(FXT_UNWIND_RETURN_WORD == 1);

    (void)context;
    return copy_from_user_nofault(words, (const void __user *)address,
                                  2 * sizeof(uintptr_t)) == 0;
}

static bool is_user_address(void *context, uintptr_t pc)
{
    (void)context;
    return pc < TASK_SIZE_MAX;
}

static enum fxt_stack_end end_of(enum fxt_unwind_stop why)
{
    switch (why) {
    case FXT_UNWIND_OUTERMOST:
        return FXT_STACK_END_OUTERMOST;
    case FXT_UNWIND_FULL:
        return FXT_STACK_END_DEPTH;
    case FXT_UNWIND_UNREADABLE:
        return FXT_STACK_END_UNREADABLE;
    case FXT_UNWIND_NOT_CODE:
        return FXT_STACK_END_NOT_CODE;
    case FXT_UNWIND_BACKWARDS:
        return FXT_STACK_END_NO_PROGRESS;
    /* No frame pointer that leads on. */
    case FXT_UNWIND_MISALIGNED:
    case FXT_UNWIND_OUTSIDE:
        return FXT_STACK_END_NO_TABLE;
    case FXT_UNWIND_UNKNOWN_MACHINE:
        break;
    }
    return FXT_STACK_END_UNKNOWN;
}

/* Whether the program is one whose frame records have words of the kernel's size. */
static bool has_own_words(struct pt_regs *regs)
{
#if defined(CONFIG_X86)
    return user_64bit_mode(regs) == IS_ENABLED(CONFIG_X86_64);
#elif defined(CONFIG_ARM64)
    return !is_compat_thread(task_thread_info(current));
#else
    return true;
#endif
}

/* Takes the part in the program, by frame pointers. */
static void take_user(struct stack *stack, struct pt_regs *regs)
{
    struct fxt_unwind from = {.is_code = is_user_address, .read = read_user};
    uint64_t *pcs = stack->pcs + stack->n_pcs;
    enum fxt_unwind_stop why = FXT_UNWIND_OUTSIDE;
    uint64_t n = STACK_PCS_MAX - stack->n_pcs;

    from.pc = instruction_pointer(regs);
    /* Of a caller, readers look up the address before. The instruction after a system
     * call's is such an address; one that has faulted or was interrupted is not. */
    if (stack->n_pcs > 0 && syscall_get_nr(current, regs) < 0)
        from.pc++;
    if (has_own_words(regs)) {
        from.frame = frame_pointer(regs);
        from.stack_low = user_stack_pointer(regs);
        from.stack_high = TASK_SIZE_MAX;
    }
    stack->n_pcs += fxt_unwind_walk_why(&from, pcs, n, &why);
    stack->end = end_of(why);
}

/* The registers with which the thread's program has entered the kernel, or NULL. */
static struct pt_regs *find_user_registers(void)
{
    struct pt_regs *regs = task_pt_regs(current);

    /* Threads of the kernel have none, and some of them have a program's memory. */
    return current->mm && user_mode(regs) ? regs : NULL;
}

/* ---- Both -------------------------------------------------------------------------- */

void stack_take(struct stack *stack, struct pt_regs *regs)
{
    stack->n_pcs = 0;
    stack->end = FXT_STACK_END_UNKNOWN;
    stack->is_leaf_only = false;
    if (!user_mode(regs))
        regs = take_kernel(stack, regs) ? find_user_registers() : NULL;
    if (regs)
        take_user(stack, regs);
}
