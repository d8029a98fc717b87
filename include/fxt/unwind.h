/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The callers of an interrupted instruction, by following frame pointers.
 *
 * Code built with -fno-omit-frame-pointer keeps, in each function's frame, a *frame
 * record*: two words, the address of the caller's frame and the return address. The frame
 * pointer register leads to the first, and each leads to the next.
 *
 * A stack is whatever the program left there, so no word of it is believed: this walk
 * reads inside the stack that it is given and nowhere else, goes only upwards, and ends
 * after as many steps as there is room for. It needs no library, takes no lock, does not
 * allocate, and may be called from signal handlers, interrupts and NMIs. It stands alone:
 * nothing here knows FXT.
 *
 * What it cannot see: the caller of a function that has no frame record where it was
 * interrupted. That is any function in its first and last instructions; most of libc;
 * and, whatever its options, what GCC finds to call nothing and to need no stack. All
 * further callers are there, unless code without frame pointers uses the register for
 * something else.
 */
#ifndef FXT_UNWIND_H
#define FXT_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/compiler.h>

FXT_BEGIN_DECLS

/*
 * Where to start and how far to go. Set what you do not care about to zero: later
 * versions add members, and zero is the default of each.
 */
struct fxt_unwind {
    /* The interrupted program counter and frame pointer register (x86-64: rip and rbp;
     * aarch64: pc and x29; riscv: pc and s0). */
    uintptr_t pc;
    uintptr_t frame;

    /* The stack: readable from address `stack_low` on to below `stack_high`. The lower
     * end is best the interrupted stack pointer, since nothing below it is alive. */
    uintptr_t stack_low;
    uintptr_t stack_high;
};

#define FXT_UNWIND_RECORD_BYTES_ (2 * sizeof(uintptr_t))

/* The frame pointer register holds the address of the frame record; on riscv, that of the
 * byte behind it. There a function that calls nothing keeps no return address, which is
 * in a register still, and has its caller's frame in that place. */
#if defined(__riscv)
#define FXT_UNWIND_RECORD_(frame) ((frame)-FXT_UNWIND_RECORD_BYTES_)
#define FXT_UNWIND_LEAF_KEEPS_FRAME_ 1
#else
#define FXT_UNWIND_RECORD_(frame) (frame)
#define FXT_UNWIND_LEAF_KEEPS_FRAME_ 0
#endif

typedef uintptr_t FXT_MAY_ALIAS fxt_unwind_word_;

/* Goes from a frame to its caller's: `at->pc` becomes the return address and `at->frame`
 * the caller's frame, and the stack that is left begins behind the record. Returns false,
 * and changes nothing, where there is no frame record. */
static inline FXT_NO_SANITIZE bool fxt_unwind_step_(struct fxt_unwind *at)
{
    uintptr_t record = FXT_UNWIND_RECORD_(at->frame);
    const volatile fxt_unwind_word_ *words = (const fxt_unwind_word_ *)record;

    if (at->frame == 0 || record % sizeof(uintptr_t) != 0 || record < at->stack_low ||
        record >= at->stack_high || at->stack_high - record < FXT_UNWIND_RECORD_BYTES_)
        return false;
    at->frame = words[0];
    at->pc = words[1];
    at->stack_low = record + FXT_UNWIND_RECORD_BYTES_;
    return true;
}

/*
 * Stores the interrupted pc and then the return addresses above it, leaf first, in
 * `pcs`, which has room for `max_pcs`. Return addresses are stored as they are found.
 * Returns how many were stored: at least one, if there is room for it.
 *
 * Each frame record must be aligned to the size of a pointer, lie wholly in the stack and
 * wholly above the one before. The walk ends where one does not, at a return address of
 * zero, which is not stored, behind a record whose caller's frame is zero, and when
 * `pcs` is full.
 *
 * Each word of the stack is read once. Nothing is kept between calls, so any number of
 * walks may go on at a time; the stack of a thread that runs meanwhile gives nonsense,
 * but no more than that.
 */
static inline FXT_NO_SANITIZE uint64_t fxt_unwind_walk(const struct fxt_unwind *from,
                                                       uint64_t *pcs, uint64_t max_pcs)
{
    struct fxt_unwind at = *from;
    uint64_t n = 0;

    if (max_pcs == 0)
        return 0;
    pcs[n++] = at.pc;
    while (n < max_pcs && fxt_unwind_step_(&at) && at.pc != 0) {
        if (FXT_UNWIND_LEAF_KEEPS_FRAME_ && n == 1 && at.pc >= at.stack_low &&
            at.pc < at.stack_high)
            at.frame = at.pc;
        else
            pcs[n++] = at.pc;
    }
    return n;
}

FXT_END_DECLS

#endif
