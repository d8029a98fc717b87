/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From where each CPU begins to C: the first by the boot loader, the second by PSCI with
 * its number in x0. The MMU is off, until
 * user_space.c has tables for it. None of this is the kernel's text.
 */
#include "layout.h"

        .section .boot, "ax"
        .global _start, secondary_start
_start:
        mov     x0, #0
        adr     x1, kernel_main
        b       start
secondary_start:
        adr     x1, kernel_secondary

/* CPU number in x0. Threads run on SP_EL0, so that interrupts have a separate stack. */
start:
        ldr     x2, =stacks
        mov     x3, #(N_STACKS * STACK_BYTES)
        madd    x2, x0, x3, x2
        add     x3, x2, #STACK_TOP(0, STACK_TICK)
        mov     sp, x3
        add     x3, x2, #STACK_TOP(0, STACK_THREAD)
        msr     spsel, #0
        mov     sp, x3
        ldr     x2, =vectors
        msr     vbar_el1, x2
        isb
        mov     x29, #0
        blr     x1
