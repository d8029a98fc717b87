/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether a thread may be made to call the dynamic loader where it was interrupted: it
 * must hold none of the locks of the loader, of the allocator, and of the C library's
 * list of threads, as it would wait for itself; and its stack must have room.
 *
 * Its stack is walked: no frame may be in the loader, in the allocator, or in a function
 * that holds such a lock; and where it is in the C library, it must have been called from
 * outside directly, or wait for something in a system call.
 */
#ifndef FXTHEAP_ATTACH_STACK_CHECK_H
#define FXTHEAP_ATTACH_STACK_CHECK_H

#include <stdbool.h>

#include "registers.h"
#include "target.h"

enum { STACK_CHECK_RANGES_MAX = 64 };

/* The code that a thread must not be in. */
struct stack_check {
    const struct target *target;
    uint64_t restorer;
    struct unwind_range ranges[STACK_CHECK_RANGES_MAX];
    size_t n_ranges;
};

/* `restorer` is where the C library's signal handlers return to. libfxtheap holds no
 * locks, but may be avoided, too. */
void stack_check_begin(struct stack_check *check, const struct target *target,
                       uint64_t restorer, bool avoids_heap);

enum stack_verdict {
    STACK_GOOD,
    /* Within the allocator and so on: later it will not be. */
    STACK_BUSY,
    /* In a handler of a signal, or a coroutine: there is too little room, or that is not
     * known. */
    STACK_SMALL,
};

enum stack_verdict stack_check(const struct stack_check *check,
                               const struct registers *registers);

#endif
