/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Walks of this thread's stack, for signal handlers and inside malloc: own_space.h with
 * the memory of the stack.
 *
 * A thread's own stack is mapped from the stack pointer up to its end for as long as the
 * thread runs, and is read directly. Of any other (of a coroutine, of a signal handler)
 * the end is not known: there the kernel reads, which takes longer, but does not fault.
 */
#ifndef FXTUNWIND_OWN_STACK_H
#define FXTUNWIND_OWN_STACK_H

#include "own_space.h"

/* The numbers of this machine's stack and frame pointer in struct unwind_registers. */
#if defined(__aarch64__)
enum { OWN_SP = 31, OWN_FP = 29 };
#elif defined(__riscv)
enum { OWN_SP = 2, OWN_FP = 8 };
#else
enum { OWN_SP = 7, OWN_FP = 6 };
#endif

/* How much of this thread's own stack there is from an address on; 0 if that is not in
 * it, and as long as no walk has found it. */
uint64_t own_stack_size(uint64_t address);

/* Walks from `registers`, whose stack pointer must be known; `is_return` and `words` as
 * in struct unwind_start. There are words only on the thread's own stack, and only if no
 * code of the walk can ever be unmapped. */
uint32_t own_stack_walk(const struct unwind_registers *registers, bool is_return,
                        uint64_t now_ns, struct unwind_words *words, uint64_t *pcs,
                        uint32_t max_pcs, struct unwind_result *result);

#endif
