/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers that a signal handler finds in its third argument, which every machine
 * calls something else. Linux.
 */
#ifndef BASE_CONTEXT_H
#define BASE_CONTEXT_H

#include <ucontext.h>

#include <fxt/unwind.h>

/* Fills in where to start: the interrupted instruction, its frame, and the lower end of
 * the stack that is alive. */
static inline void context_start(const void *handler_context, struct fxt_unwind *from)
{
    const mcontext_t *machine = &((const ucontext_t *)handler_context)->uc_mcontext;

#if defined(__x86_64__)
    from->pc = (uintptr_t)machine->gregs[REG_RIP];
    from->frame = (uintptr_t)machine->gregs[REG_RBP];
    from->stack_low = (uintptr_t)machine->gregs[REG_RSP];
#elif defined(__i386__)
    from->pc = (uintptr_t)machine->gregs[REG_EIP];
    from->frame = (uintptr_t)machine->gregs[REG_EBP];
    from->stack_low = (uintptr_t)machine->gregs[REG_ESP];
#elif defined(__aarch64__)
    from->pc = (uintptr_t)machine->pc;
    from->frame = (uintptr_t)machine->regs[29];
    from->stack_low = (uintptr_t)machine->sp;
#elif defined(__riscv)
    from->pc = (uintptr_t)machine->__gregs[REG_PC];
    from->frame = (uintptr_t)machine->__gregs[REG_S0];
    from->stack_low = (uintptr_t)machine->__gregs[REG_SP];
#elif defined(__loongarch__)
    from->pc = (uintptr_t)machine->__pc;
    from->frame = (uintptr_t)machine->__gregs[22];
    from->stack_low = (uintptr_t)machine->__gregs[3];
#elif defined(__powerpc64__)
    from->pc = (uintptr_t)machine->gp_regs[32];
    from->stack_low = (uintptr_t)machine->gp_regs[1];
    from->frame = *(const uintptr_t *)from->stack_low;
#elif defined(__arm__)
    from->pc = (uintptr_t)machine->arm_pc;
    from->stack_low = (uintptr_t)machine->arm_sp;
#if defined(__thumb__)
    from->frame = (uintptr_t)machine->arm_r7;
#else
    from->frame = (uintptr_t)machine->arm_fp;
#endif
#elif defined(__s390x__)
    /* There are no frame records: a walk finds only the pc. */
    from->pc = (uintptr_t)machine->psw.addr;
    from->stack_low = (uintptr_t)machine->gregs[15];
#else
#error "add the registers of this machine"
#endif
}

#endif
