/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What frame records look like on each machine, for fxt/unwind.h: x86, aarch64, riscv,
 * LoongArch, 64-bit PowerPC (ELFv2), sparc64, and Arm and Thumb as Clang compiles for
 * them.
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
 * or these if frame records are different:
 *
 *     FXT_UNWIND_RECORD(frame)       the address of the frame record that a value of the
 *                                    frame pointer register points to
 *     FXT_UNWIND_RETURN(word)        the return address for a record's second word
 *     FXT_UNWIND_LEAF_KEEPS_FRAME    1 if a function that calls nothing has its caller's
 *                                    frame in place of the return address, else 0
 *     FXT_UNWIND_RETURN_WORD         the number of a record's word that is the return
 *                                    address, from 0, if it is not 1
 */
#ifndef FXT_UNWIND_MACHINE_H
#define FXT_UNWIND_MACHINE_H

#include <fxt/compiler.h>

FXT_BEGIN_DECLS

#if defined(FXT_UNWIND_RECORD)
/* Defined by the program. */
#elif defined(__riscv) || defined(__loongarch__)
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
#elif defined(__powerpc64__) && _CALL_ELF == 2
/* A frame is the address of a back chain, to which the stack pointer (r1) always points;
 * a function stores its return address not in its own frame, but two words above its
 * caller's back chain. So a walk starts at the word that r1 points to. */
#define FXT_UNWIND_RECORD(frame) (frame)
#define FXT_UNWIND_RETURN(word) (word)
#define FXT_UNWIND_RETURN_WORD 2
#define FXT_UNWIND_LEAF_KEEPS_FRAME 0
#elif defined(__aarch64__) && !defined(__ILP32__)
#define FXT_UNWIND_RECORD(frame) (frame)
#define FXT_UNWIND_RETURN(word) fxt_unwind_strip_(word)
#define FXT_UNWIND_LEAF_KEEPS_FRAME 0
#elif defined(__arm__) && defined(__clang__)
/* In Thumb code the register is r7. Bit 0 of a return address says only that it is to
 * Thumb code. Excluded are GCC's frames on Arm, which depend on the function. */
#define FXT_UNWIND_RECORD(frame) (frame)
#define FXT_UNWIND_RETURN(word) ((word) & ~(uintptr_t)1)
#define FXT_UNWIND_LEAF_KEEPS_FRAME 0
#elif defined(__i386__) || (defined(__x86_64__) && !defined(__ILP32__))
/* The register points to the two words. Excluded are pointers that are narrower than what
 * is pushed (__ILP32__). */
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

#ifndef FXT_UNWIND_RETURN_WORD
#define FXT_UNWIND_RETURN_WORD 1
#endif

#ifndef FXT_UNWIND_HAS_RECORDS
#define FXT_UNWIND_HAS_RECORDS 1
#endif

/* On all functions that may read stacks. */
#define FXT_UNWIND_FN_ FXT_INLINE FXT_NO_SANITIZE

#define FXT_UNWIND_RECORD_BYTES_ ((FXT_UNWIND_RETURN_WORD + 1) * sizeof(uintptr_t))

/* The frame of the function that this stands in, where its return address is. */
#if defined(__powerpc64__)
#define FXT_UNWIND_THIS_FRAME_() (*(const uintptr_t *)__builtin_frame_address(0))
#else
#define FXT_UNWIND_THIS_FRAME_() ((uintptr_t)__builtin_frame_address(0))
#endif

#if defined(__aarch64__) && !defined(__ILP32__)
/* Strips the signature from a return address: the instruction xpaclri, which does nothing
 * on machines without signatures, by the name that all assemblers know. */
FXT_INLINE uintptr_t fxt_unwind_strip_(uintptr_t word)
{
    __asm__("mov x30, %0\n\thint #7\n\tmov %0, x30" : "+r"(word) : : "x30");
    return word;
}
#endif

typedef uintptr_t FXT_MAY_ALIAS fxt_unwind_word_;

/* Reads the frame and the return address of a frame record, each once. */
FXT_UNWIND_FN_ void fxt_unwind_load_(uintptr_t record, uintptr_t words[2])
{
    const volatile fxt_unwind_word_ *at = (const fxt_unwind_word_ *)record;

    words[0] = at[0];
    words[1] = at[FXT_UNWIND_RETURN_WORD];
}

/* Whether a whole frame record can be at an address of a stack. */
FXT_UNWIND_FN_ bool fxt_unwind_is_in_(uintptr_t record, uintptr_t low, uintptr_t high)
{
    return record >= low && record < high && high - record >= FXT_UNWIND_RECORD_BYTES_;
}

FXT_END_DECLS

#endif
