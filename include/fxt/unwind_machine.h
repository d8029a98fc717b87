/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What frame records look like on each machine, for fxt/unwind.h.
 *
 * A kernel whose frames are other still defines these three before it includes
 * fxt/unwind.h:
 *
 *     FXT_UNWIND_RECORD(frame)       the address of the frame record that a value of the
 *                                    frame pointer register leads to
 *     FXT_UNWIND_RETURN(word)        the return address that a record's second word is
 *     FXT_UNWIND_LEAF_KEEPS_FRAME    1 if a function that calls nothing has its caller's
 *                                    frame in place of the return address
 */
#ifndef FXT_UNWIND_MACHINE_H
#define FXT_UNWIND_MACHINE_H

#include <fxt/compiler.h>

FXT_BEGIN_DECLS

#ifdef FXT_UNWIND_RECORD
/* It did. */
#elif defined(__riscv)
/* The register holds the address of the byte behind the record. A function that calls
 * nothing keeps no return address, which is in a register still. */
#define FXT_UNWIND_RECORD(frame) ((frame)-FXT_UNWIND_RECORD_BYTES_)
#define FXT_UNWIND_RETURN(word) (word)
#define FXT_UNWIND_LEAF_KEEPS_FRAME 1
#elif defined(__sparc__) && defined(__arch64__)
/* The register is biased, and leads to where a register window is saved: its words 14 and
 * 15 are the caller's frame and the address of the call, which returns to two
 * instructions behind. All windows but the current one must have been flushed to the
 * stack. */
#define FXT_UNWIND_RECORD(frame) ((frame) + 2047 + 14 * sizeof(uintptr_t))
#define FXT_UNWIND_RETURN(word) ((word) + 8)
#define FXT_UNWIND_LEAF_KEEPS_FRAME 0
#elif defined(__aarch64__)
#define FXT_UNWIND_RECORD(frame) (frame)
#define FXT_UNWIND_RETURN(word) fxt_unwind_strip_(word)
#define FXT_UNWIND_LEAF_KEEPS_FRAME 0
#else
#define FXT_UNWIND_RECORD(frame) (frame)
#define FXT_UNWIND_RETURN(word) (word)
#define FXT_UNWIND_LEAF_KEEPS_FRAME 0
#endif

/* On all that may look into stacks. */
#define FXT_UNWIND_FN_ static inline FXT_NO_SANITIZE

#define FXT_UNWIND_RECORD_BYTES_ (2 * sizeof(uintptr_t))

#if defined(__aarch64__)
/* Takes the signature off a return address: the instruction xpaclri, which does nothing
 * on machines that sign nothing, by the name that all assemblers know. */
static inline uintptr_t fxt_unwind_strip_(uintptr_t word)
{
    __asm__("mov x30, %0\n\thint #7\n\tmov %0, x30" : "+r"(word) : : "x30");
    return word;
}
#endif

typedef uintptr_t FXT_MAY_ALIAS fxt_unwind_word_;

/* Reads both words of a frame record, each once. */
FXT_UNWIND_FN_ void fxt_unwind_load_(uintptr_t record, uintptr_t words[2])
{
    const volatile fxt_unwind_word_ *at = (const fxt_unwind_word_ *)record;

    words[0] = at[0];
    words[1] = at[1];
}

/* Whether a whole frame record can be at an address of a stack. */
FXT_UNWIND_FN_ bool fxt_unwind_is_in_(uintptr_t record, uintptr_t low, uintptr_t high)
{
    return record >= low && record < high && high - record >= FXT_UNWIND_RECORD_BYTES_;
}

FXT_END_DECLS

#endif
