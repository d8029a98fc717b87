/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupts and exceptions. Registers are saved on SP_EL1, below a thread's or, where the
 * watchdog interrupts the tick, below those of the tick.
 *
 * The frame pointer that the handler gets leads to a record in the trap frame, whose
 * caller is the interrupted function. Readers look a caller up before its address, since
 * that is what a call returns to, and so the interrupted address is put down one too high.
 */
#include "machine.h"

#define SAVE(a, b) stp x##a, x##b, [sp, #(32 + a * 8)]
#define RESTORE(a, b) ldp x##a, x##b, [sp, #(32 + a * 8)]

/* The vectors are 128 bytes each: for a thread on SP_EL0, for what is on SP_EL1, and for
 * user mode. */
        .macro  VECTOR to
        .balign 128
        b       \to
        .endm

        .text
        .balign 2048
        .global vectors
vectors:
        VECTOR  exception_entry
        VECTOR  thread_interrupted
        VECTOR  exception_entry
        VECTOR  exception_entry
        VECTOR  handler_fault_entry
        VECTOR  handler_interrupted
        VECTOR  exception_entry
        VECTOR  exception_entry
        VECTOR  leave_user_entry
        VECTOR  thread_interrupted
        .rept   6
        VECTOR  exception_entry
        .endr

/* x30 is needed to say which stack pointer was interrupted. */
thread_interrupted:
        sub     sp, sp, #TRAP_FRAME_BYTES
        str     x30, [sp, #(32 + 30 * 8)]
        mrs     x30, sp_el0
        b       interrupt_entry
handler_interrupted:
        sub     sp, sp, #TRAP_FRAME_BYTES
        str     x30, [sp, #(32 + 30 * 8)]
        add     x30, sp, #TRAP_FRAME_BYTES

        .type   interrupt_entry, @function
interrupt_entry:
        str     x30, [sp, #(32 + 31 * 8)]
        SAVE(0, 1)
        SAVE(2, 3)
        SAVE(4, 5)
        SAVE(6, 7)
        SAVE(8, 9)
        SAVE(10, 11)
        SAVE(12, 13)
        SAVE(14, 15)
        SAVE(16, 17)
        SAVE(18, 19)
        SAVE(20, 21)
        SAVE(22, 23)
        SAVE(24, 25)
        SAVE(26, 27)
        SAVE(28, 29)
        mrs     x1, elr_el1
        mrs     x2, spsr_el1
        stp     x1, x2, [sp, #(32 + 32 * 8)]
        add     x1, x1, #1
        stp     x29, x1, [sp]
        mov     x29, sp
        mov     x0, sp
        bl      aarch64_interrupt

        ldp     x1, x2, [sp, #(32 + 32 * 8)]
        msr     elr_el1, x1
        msr     spsr_el1, x2
        RESTORE(0, 1)
        RESTORE(2, 3)
        RESTORE(4, 5)
        RESTORE(6, 7)
        RESTORE(8, 9)
        RESTORE(10, 11)
        RESTORE(12, 13)
        RESTORE(14, 15)
        RESTORE(16, 17)
        RESTORE(18, 19)
        RESTORE(20, 21)
        RESTORE(22, 23)
        RESTORE(24, 25)
        RESTORE(26, 27)
        RESTORE(28, 29)
        ldr     x30, [sp, #(32 + 30 * 8)]
        add     sp, sp, #TRAP_FRAME_BYTES
        eret
        .size   interrupt_entry, . - interrupt_entry

        .global exception_entry
exception_entry:
        mrs     x0, esr_el1
        mrs     x1, elr_el1
        bl      aarch64_exception
