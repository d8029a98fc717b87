/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * External interrupts: the clock comparator's, which is the tick, and the CPU timer's,
 * which is the watchdog. Each has a separate stack.
 *
 * The handler gets a frame whose caller's frame stands for that of the interrupted
 * function. Readers look a caller up before its address, since that is what a call returns
 * to, and so the interrupted address is put down one too high.
 */
#include "machine.h"

        .text
        .balign 8
        .global interrupt_entry
        .type   interrupt_entry, @function
interrupt_entry:
        stmg    %r8, %r15, LOWCORE_SCRATCH
        lg      %r15, LOWCORE_TICK_STACK
        cli     LOWCORE_INTERRUPT_CODE + 1, 0x04
        je      1f
        lg      %r15, LOWCORE_WATCHDOG_STACK
1:      aghi    %r15, -TRAP_FRAME_BYTES
        stmg    %r0, %r7, TRAP_REGISTERS(%r15)
        mvc     TRAP_REGISTERS + 64(64, %r15), LOWCORE_SCRATCH
        mvc     TRAP_PSW(16, %r15), LOWCORE_INTERRUPT_OLD_PSW
        la      %r1, TRAP_CALLER(%r15)
        stg     %r1, 0(%r15)
        lg      %r1, TRAP_PSW + 8(%r15)
        aghi    %r1, 1
        stg     %r1, TRAP_RETURN(%r15)
        lgr     %r2, %r15
        llgh    %r3, LOWCORE_INTERRUPT_CODE
        brasl   %r14, s390x_interrupt
        mvc     LOWCORE_RETURN_PSW(16), TRAP_PSW(%r15)
        lmg     %r0, %r15, TRAP_REGISTERS(%r15)
        lpswe   LOWCORE_RETURN_PSW
        .size   interrupt_entry, . - interrupt_entry

        .balign 8
        .global exception_entry
exception_entry:
        lg      %r15, LOWCORE_WATCHDOG_STACK
        aghi    %r15, -160
        lg      %r2, 0x158
        brasl   %r14, s390x_exception
