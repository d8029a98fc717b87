/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From where each CPU begins to C: the first by the boot loader, the second by a restart.
 * There is no address translation. None of this is the kernel's text.
 */
#include "layout.h"

        .section .boot, "ax"
        .global _start, secondary_start
_start:
        larl    %r2, kernel_main
        j       start
secondary_start:
        larl    %r2, kernel_secondary
start:
        stap    0x200
        llgh    %r1, 0x200
        mghi    %r1, N_STACKS * STACK_BYTES / 16
        sllg    %r1, %r1, 4
        larl    %r15, stacks
        agr     %r15, %r1
        agfi    %r15, STACK_TOP(0, STACK_THREAD) - 160
        xc      0(8, %r15), 0(%r15)
        basr    %r14, %r2
