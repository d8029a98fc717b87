/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupts, in supervisor and in machine mode. Each has a separate stack, whose upper
 * end is in its scratch register.
 *
 * The frame pointer that the handler gets leads to a record in the trap frame, whose
 * caller is the interrupted function. Readers look a caller up before its address, since
 * that is what a call returns to, and so the interrupted address is put down one too high.
 *
 * frames.c relies on the order: when the frame pointer is set all registers are saved, and
 * when it is restored so are all others, but the stack pointer.
 */
#include "machine.h"

#define AT(n) (32 + (n) * 8)(sp)

        .macro  MOVE how
        .irp    n, 1, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        \how    x\n, 32 + \n * 8(sp)
        .endr
        .endm

        .macro  ENTER scratch, pc
        csrrw   sp, \scratch, sp
        addi    sp, sp, -TRAP_FRAME_BYTES
        MOVE    sd
        sd      s0, AT(8)
        csrr    t0, \scratch
        sd      t0, AT(2)
        csrr    t0, \pc
        sd      t0, AT(0)
        addi    t0, t0, 1
        sd      s0, 0(sp)
        sd      t0, 8(sp)
        addi    s0, sp, 16
        mv      a0, sp
        .endm

        .macro  LEAVE scratch, pc
        ld      t0, AT(0)
        csrw    \pc, t0
        addi    t0, sp, TRAP_FRAME_BYTES
        csrw    \scratch, t0
        MOVE    ld
        ld      s0, AT(8)
        ld      sp, AT(2)
        .endm

        .text
        .balign 4
        .global tick_entry, tick_entry_end
        .type   tick_entry, @function
tick_entry:
        ENTER   sscratch, sepc
        csrr    t0, scause
        bgez    t0, not_an_interrupt
        csrci   sip, 1 << 1
        call    arch_link_frames
        mv      a0, sp
        call    kernel_tick
        LEAVE   sscratch, sepc
        sret
tick_entry_end:
        .size   tick_entry, . - tick_entry
not_an_interrupt:
        tail    supervisor_exception

        .balign 4
        .global machine_entry
        .type   machine_entry, @function
machine_entry:
        ENTER   mscratch, mepc
        call    riscv64_machine
        LEAVE   mscratch, mepc
        mret
        .size   machine_entry, . - machine_entry
