/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks of a riscv64 Linux kernel, by frame pointers, and where the kernel was entered
 * by the registers that it has saved there (struct pt_regs): without these a stack would
 * lack what an interrupt has interrupted, and end where a user's program was. The same of
 * firmware that has frame pointers, such as OpenSBI (struct sbi_trap_regs).
 */
#ifndef FXTRECORD_DEBUGGER_GUEST_RISCV_WALK_H
#define FXTRECORD_DEBUGGER_GUEST_RISCV_WALK_H

#include "guest_end.h"

struct riscv_registers {
    uint64_t pc;
    /* The return address of a function that has called no other. */
    uint64_t ra;
    uint64_t sp;
    uint64_t s0;
    /* The code is that of firmware, and addresses are physical. */
    bool is_machine;
    /* The PC that firmware has interrupted, if it is_machine; and that at which the
     * kernel was entered, if the PC is where it is entered. 0 if that is not known. */
    uint64_t mepc;
    uint64_t sepc;
};

struct riscv_source {
    /* Where code is, that of modules and what is made at run time included. */
    uint64_t code_start;
    uint64_t code_end;
    /* The code to which functions return that were called where the kernel is entered
     * (handle_exception), and that which leaves it (ret_from_exception). */
    uint64_t entry_start;
    uint64_t entry_return;
    uint64_t entry_end;
    /* The kernel's first code, which nothing calls: what is before text_start, and from
     * init_start up to code_end. */
    uint64_t text_start;
    uint64_t init_start;
    /* Whether two addresses are in one function. */
    bool (*is_one_function)(void *context, uint64_t a, uint64_t b);
    /* A word of memory, the kernel's or that which the interrupted code saw; false if it
     * cannot be read. */
    bool (*read)(void *context, uint64_t address, uint64_t *word);
    void *context;
};

/* Walks from these registers, those of an interrupted CPU, and stores PCs, leaf first.
 * Where a user's code was interrupted or has called the kernel, its PC is the last one,
 * and `registers` are the user's then. `max_pcs` is at least 1. Returns how many. */
uint64_t riscv_walk(const struct riscv_source *source, struct riscv_registers *registers,
                    uint64_t *pcs, uint64_t max_pcs, enum guest_end *end);

#endif
