/* SPDX-License-Identifier: BSD-2-Clause */
/* To user mode and back, and reads of its memory, which may fault. */
#include "layout.h"
#include "machine.h"

#define CLASS_SYSTEM_CALL 0x15

        .bss
        .balign 8
/* Where each CPU's thread waits for its program. */
threads:
        .fill   N_CPUS, 8, 0

        .macro  MOVE_SAVED how
        \how    x29, x30, [sp]
        \how    x19, x20, [sp, #16]
        \how    x21, x22, [sp, #32]
        \how    x23, x24, [sp, #48]
        \how    x25, x26, [sp, #64]
        \how    x27, x28, [sp, #80]
        .endm

        .macro  FIND_THREAD to, scratch
        mrs     \scratch, mpidr_el1
        and     \scratch, \scratch, #0xff
        adrp    \to, threads
        add     \to, \to, :lo12:threads
        add     \to, \to, \scratch, lsl #3
        .endm

        .text
/* void arch_run_user(uintptr_t function, uintptr_t stack), on SP_EL0, as the program. */
        .global arch_run_user
        .type   arch_run_user, %function
arch_run_user:
        sub     sp, sp, #96
        MOVE_SAVED stp
        msr     daifset, #2
        FIND_THREAD x9, x10
        mov     x10, sp
        str     x10, [x9]
        msr     elr_el1, x0
        msr     spsr_el1, xzr
        mov     sp, x1
        mov     x29, #0
        mov     x30, #0
        eret
        .size   arch_run_user, . - arch_run_user

/* From the program, to where arch_run_user returns, if the program asks for that. */
        .global leave_user_entry
leave_user_entry:
        mrs     x9, esr_el1
        lsr     x9, x9, #26
        cmp     x9, #CLASS_SYSTEM_CALL
        b.ne    exception_entry
        msr     spsel, #0
        FIND_THREAD x9, x10
        ldr     x10, [x9]
        mov     sp, x10
        MOVE_SAVED ldp
        add     sp, sp, #96
        msr     daifclr, #2
        ret

/* bool arch_read_user(void *context, uintptr_t address, uintptr_t words[2]), with what the
 * program may read. */
        .global arch_read_user
        .type   arch_read_user, %function
arch_read_user:
reads:  ldtr    x9, [x1]
        ldtr    x10, [x1, #8]
reads_end:
        stp     x9, x10, [x2]
        mov     x0, #1
        ret
cannot_read:
        mov     x0, #0
        ret
        .size   arch_read_user, . - arch_read_user

/* An exception in an interrupt's handler: a fault of a read above goes on where it has
 * failed. */
        .global handler_fault_entry
handler_fault_entry:
        mrs     x9, elr_el1
        adr     x10, reads
        cmp     x9, x10
        b.lo    exception_entry
        adr     x10, reads_end
        cmp     x9, x10
        b.hs    exception_entry
        adr     x10, cannot_read
        msr     elr_el1, x10
        eret
