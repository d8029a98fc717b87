/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From where all CPUs begin, in machine mode, to C in supervisor mode. None of this is the
 * kernel's text.
 */
#include "layout.h"

#define MSIP 0x2000000          /* the CLINT's, a word for each CPU */

#define MIE_SOFTWARE (1 << 3)
#define MIE_TIMER (1 << 7)
#define SIE_SOFTWARE (1 << 1)
#define MSTATUS_MPP (3 << 11)
#define MSTATUS_MPP_SUPERVISOR (1 << 11)
#define PMP_ALL 0x1f
#define CAUSE_USER_CALL 8
#define CAUSE_LOAD_PAGE_FAULT 13

        .section .boot, "ax"
        .global _start
_start:
        csrr    tp, mhartid
        la      t1, kernel_main
        beqz    tp, start

/* The others wait until the first sends them an interrupt. */
        csrwi   mie, MIE_SOFTWARE
wait:   wfi
        csrr    t0, mip
        andi    t0, t0, MIE_SOFTWARE
        beqz    t0, wait
        li      t0, MSIP
        slli    t2, tp, 2
        add     t0, t0, t2
        sw      zero, 0(t0)
        la      t1, kernel_secondary

start:
        la      sp, stacks
        li      t0, N_STACKS * STACK_BYTES
        mul     t0, t0, tp
        add     sp, sp, t0
        li      t0, STACK_TOP(0, STACK_TICK)
        add     t0, sp, t0
        csrw    sscratch, t0
        li      t0, STACK_TOP(0, STACK_WATCHDOG)
        add     t0, sp, t0
        csrw    mscratch, t0
        li      t0, STACK_TOP(0, STACK_THREAD)
        add     sp, sp, t0

        /* The supervisor may use all memory and read the time, and gets its software
         * interrupt, which is the tick, what user mode asks for, and the faults of reads.
         * All else is for machine mode. */
        li      t0, -1
        csrw    pmpaddr0, t0
        csrwi   pmpcfg0, PMP_ALL
        csrw    mcounteren, t0
        csrwi   mideleg, SIE_SOFTWARE
        li      t0, 1 << CAUSE_USER_CALL | 1 << CAUSE_LOAD_PAGE_FAULT
        csrw    medeleg, t0
        csrwi   sie, SIE_SOFTWARE
        la      t0, tick_entry
        csrw    stvec, t0
        la      t0, machine_entry
        csrw    mtvec, t0
        csrw    satp, zero

        li      t0, MSTATUS_MPP
        csrc    mstatus, t0
        li      t0, MSTATUS_MPP_SUPERVISOR
        csrs    mstatus, t0
        li      t0, MIE_TIMER | SIE_SOFTWARE
        csrw    mie, t0
        csrw    mepc, t1
        mv      s0, zero
        la      ra, _start
        mret
