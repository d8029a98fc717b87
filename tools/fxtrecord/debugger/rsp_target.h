/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The positions of the registers that are needed to walk a stack: from the stub's target
 * description (XML, whose "reg" elements are in the order of the registers), or, if it
 * has none, by gdb's default numbers.
 */
#ifndef FXTRECORD_DEBUGGER_RSP_TARGET_H
#define FXTRECORD_DEBUGGER_RSP_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"

enum rsp_machine { RSP_UNKNOWN_MACHINE, RSP_X86_64, RSP_AARCH64, RSP_RISCV64 };

/* A register of 64 bits: its number, and its byte offset in the packet of all. */
struct rsp_register {
    bool is_known;
    uint32_t number;
    uint64_t offset;
};

struct rsp_layout {
    enum rsp_machine machine;
    struct rsp_register pc;
    struct rsp_register frame;
    struct rsp_register stack;
    /* aarch64, riscv64: the return address of a leaf function. */
    struct rsp_register link;
    /* x86-64: what some frames of Linux are relative to. */
    struct rsp_register ax, dx, di, r10, r13;
    /* aarch64, riscv64, where the stub has it: the pc at which the kernel was entered. */
    struct rsp_register epc;
    /* riscv64, where the stub has them: the privilege of the code that runs, the pc that
     * firmware has interrupted, and the page tables. */
    struct rsp_register mode, mepc, satp;
};

/* A description that is being read, file by file. All zero is at the beginning. */
struct rsp_description {
    /* The number and the offset of the next register. */
    uint64_t number;
    uint64_t offset;
    /* The registers of all machines that have these names. */
    struct rsp_register pc, rip, rbp, rsp, x29, x30, sp, fp, s0, ra;
    struct rsp_register rax, rdx, rdi, r10, r13, priv, mepc, satp, sepc, elr;
    /* Files that it includes and that are still to be read: names, each with its NUL. */
    struct text includes;
    /* There is a register that only 32-bit machines have. */
    bool is_32_bit;
};

/* Reads a file of it: any bytes. */
void rsp_describe(struct rsp_description *description, const char *xml, size_t size);

/* The result of the description. Returns false if its machine is not supported. */
bool rsp_layout_from(const struct rsp_description *description,
                     struct rsp_layout *layout);

/* The default, without a description. */
void rsp_layout_of(enum rsp_machine machine, struct rsp_layout *layout);

/* The machine with this name; RSP_UNKNOWN_MACHINE if there is none. */
enum rsp_machine rsp_machine_named(const char *name);
const char *rsp_machine_name(enum rsp_machine machine);

/* The machine that this program runs on. */
enum rsp_machine rsp_machine_here(void);

#endif
