/* SPDX-License-Identifier: BSD-2-Clause */
/* To user mode and back, and reads of its memory, which may fault. */
#include "layout.h"
#include "machine.h"

#define CAUSE_USER_CALL 8

#define STATUS_SIE (1 << 1)
#define STATUS_SPIE (1 << 5)
#define STATUS_SPP (1 << 8)
#define STATUS_SUM (1 << 18)

        .bss
        .balign 8
/* Where each CPU's thread waits for its program. */
threads:
        .fill   N_CPUS, 8, 0

        .macro  MOVE_SAVED how
        \how    ra, 0(sp)
        \how    s0, 8(sp)
        \how    s1, 16(sp)
        \how    s2, 24(sp)
        \how    s3, 32(sp)
        \how    s4, 40(sp)
        \how    s5, 48(sp)
        \how    s6, 56(sp)
        \how    s7, 64(sp)
        \how    s8, 72(sp)
        \how    s9, 80(sp)
        \how    s10, 88(sp)
        \how    s11, 96(sp)
        .endm

        .macro  FIND_THREAD to
        la      \to, threads
        slli    t1, tp, 3
        add     \to, \to, t1
        .endm

        .text
/* void arch_run_user(uintptr_t function, uintptr_t stack) */
        .balign 4
        .global arch_run_user
        .type   arch_run_user, @function
arch_run_user:
        addi    sp, sp, -112
        MOVE_SAVED sd
        csrci   sstatus, STATUS_SIE
        FIND_THREAD t0
        sd      sp, 0(t0)
        li      t0, STATUS_SPP
        csrc    sstatus, t0
        li      t0, STATUS_SPIE
        csrs    sstatus, t0
        csrw    sepc, a0
        mv      sp, a1
        mv      s0, zero
        mv      ra, zero
        sret
        .size   arch_run_user, . - arch_run_user

/* From tick_entry, on its stack, if it was no interrupt: to where arch_run_user returns, if
 * the program asks for that. */
        .global supervisor_exception
supervisor_exception:
        addi    t0, sp, TRAP_FRAME_BYTES
        csrw    sscratch, t0
        csrr    a0, scause
        csrr    a1, sepc
        li      t0, CAUSE_USER_CALL
        bne     a0, t0, 1f
        FIND_THREAD t0
        ld      sp, 0(t0)
        MOVE_SAVED ld
        addi    sp, sp, 112
        csrsi   sstatus, STATUS_SIE
        ret
1:      call    riscv64_exception

/*
 * bool arch_read_user(void *context, uintptr_t address, uintptr_t words[2])
 *
 * With interrupts off. A fault goes on at cannot_read, with all registers as they are; but
 * it has overwritten what sret needs, so that is put back.
 */
        .balign 4
        .global arch_read_user
        .type   arch_read_user, @function
arch_read_user:
        la      t0, cannot_read
        csrr    t1, sstatus
        csrr    t2, sepc
        csrrw   t0, stvec, t0
        li      t3, STATUS_SUM
        csrs    sstatus, t3
        ld      t4, 0(a1)
        ld      t5, 8(a1)
        sd      t4, 0(a2)
        sd      t5, 8(a2)
        li      a0, 1
        j       1f
        .balign 4
cannot_read:
        li      a0, 0
1:      csrw    stvec, t0
        csrw    sepc, t2
        csrw    sstatus, t1
        ret
        .size   arch_read_user, . - arch_read_user
