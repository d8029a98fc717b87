/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What frame records look like on each machine, for fxt/unwind.h: x86, aarch64, riscv,
 * sparc64, and Arm as Clang compiles for it, but not Thumb.
 *
 * No other machine is assumed to be like one of these. On others the compiler prints a
 * message (#pragma message, which -Werror does not make an error); walks find the PC and
 * no callers, and end with FXT_UNWIND_UNKNOWN_MACHINE. Define before including
 * fxt/unwind.h
 *
 *     FXT_UNWIND_HAS_RECORDS 0       for the same without the message, on any machine;
 *     FXT_UNWIND_HAS_RECORDS 1       if frame records are as on x86, or the `read` of
 *                                    struct fxt_unwind makes them so
 *
 * or all three of these if frame records are different:
 *
 *     FXT_UNWIND_RECORD(frame)       the address of the frame record that a value of the
 *                                    frame pointer register points to
 *     FXT_UNWIND_RETURN(word)        the return address for a record's second word
 *     FXT_UNWIND_LEAF_KEEPS_FRAME    1 if a function that calls nothing has its caller's
 *                                    frame in place of the return address
 */
#ifndef FXT_UNWIND_MACHINE_H
#define FXT_UNWIND_MACHINE_H

#include <fxt/compiler.h>

FXT_BEGIN_DECLS

#if defined(FXT_UNWIND_RECORD)
/* Defined by the program. */
#elif defined(__riscv)
/* The register holds the address of the byte after the record. A leaf function stores no
 * return address, which is still in a register. */
#define FXT_UNWIND_RECORD(frame) ((frame)-FXT_UNWIND_RECORD_BYTES_)
#define FXT_UNWIND_RETURN(word) (word)
#define FXT_UNWIND_LEAF_KEEPS_FRAME 1
#elif defined(__sparc__) && defined(__arch64__)
/* The register is biased, and points to where a register window is saved: its words 14
 * and 15 are the caller's frame and the address of the call, which returns two
 * instructions after it. All windows but the current one must have been flushed to the
 * stack. */
#define FXT_UNWIND_RECORD(frame) ((frame) + 2047 + 14 * sizeof(uintptr_t))
#define FXT_UNWIND_RETURN(word) ((word) + 8)
#define FXT_UNWIND_LEAF_KEEPS_FRAME 0
#elif defined(__aarch64__) && !defined(__ILP32__)
#define FXT_UNWIND_RECORD(frame) (frame)
#define FXT_UNWIND_RETURN(word) fxt_unwind_strip_(word)
#define FXT_UNWIND_LEAF_KEEPS_FRAME 0
#elif defined(__i386__) || (defined(__x86_64__) && !defined(__ILP32__)) ||               \
    (defined(__arm__) && !defined(__thumb__) && defined(__clang__))
/* The register points to the two words. Excluded are pointers that are narrower than what
 * is pushed (__ILP32__); and GCC's frames on Arm, and all in Thumb code, which depend on
 * the function. */
#elif !defined(FXT_UNWIND_HAS_RECORDS)
#define FXT_UNWIND_HAS_RECORDS 0
#pragma message("fxt/unwind.h does not know this machine's frame records and finds no "  \
                "callers: see FXT_UNWIND_HAS_RECORDS in fxt/unwind_machine.h")
#endif

#ifndef FXT_UNWIND_RECORD
#define FXT_UNWIND_RECORD(frame) (frame)
#define FXT_UNWIND_RETURN(word) (word)
#define FXT_UNWIND_LEAF_KEEPS_FRAME 0
#endif

#ifndef FXT_UNWIND_HAS_RECORDS
#define FXT_UNWIND_HAS_RECORDS 1
#endif

/* On all functions that may read stacks. */
#define FXT_UNWIND_FN_ static inline FXT_NO_SANITIZE

#define FXT_UNWIND_RECORD_BYTES_ (2 * sizeof(uintptr_t))

#if defined(__aarch64__) && !defined(__ILP32__)
/* Strips the signature from a return address: the instruction xpaclri, which does nothing
 * on machines without signatures, by the name that all assemblers know. */
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
