/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of what a signal interrupted, for libfxtunwind. Linux. */
#ifndef LIBFXTSAMPLER_SIGNAL_REGISTERS_H
#define LIBFXTSAMPLER_SIGNAL_REGISTERS_H

#include <ucontext.h>

#include "common/unwind/unwind_walk.h"

/* From the third argument of a signal handler. */
static inline void registers_take(const void *context, struct unwind_registers *to)
{
    const mcontext_t *machine = &((const ucontext_t *)context)->uc_mcontext;

#if defined(__x86_64__)
    static const unsigned char order[] = {
        REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
        REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

    to->pc = (uint64_t)machine->gregs[REG_RIP];
    to->known = 0xffff;
    for (unsigned i = 0; i < sizeof(order); i++)
        to->r[i] = (uint64_t)machine->gregs[order[i]];
#elif defined(__aarch64__)
    to->pc = machine->pc;
    to->known = UINT32_MAX;
    for (unsigned i = 0; i < 31; i++)
        to->r[i] = machine->regs[i];
    to->r[31] = machine->sp;
#elif defined(__riscv)
    to->pc = machine->__gregs[REG_PC];
    to->known = ~UINT32_C(1);
    for (unsigned i = 1; i < 32; i++)
        to->r[i] = machine->__gregs[i];
#else
#error "add the registers of this machine"
#endif
}

#endif
