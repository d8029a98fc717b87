/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupts and exceptions. The processor has pushed a frame to the stack that is meant
 * for it; what is pushed here makes it a struct trap_frame.
 *
 * The frame pointer that the handler gets leads to a record in it, whose caller is the
 * interrupted function. Readers look a caller up one byte before its address, since that
 * is what a call returns to, and so the interrupted address is put down one too high.
 */
#include "machine.h"

        .macro  ENTER
        pushq   $0
        pushq   %rax
        pushq   %rbx
        pushq   %rcx
        pushq   %rdx
        pushq   %rsi
        pushq   %rdi
        pushq   %rbp
        pushq   %r8
        pushq   %r9
        pushq   %r10
        pushq   %r11
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        subq    $32, %rsp
        movq    %rbp, 0(%rsp)
        movq    160(%rsp), %rax
        incq    %rax
        movq    %rax, 8(%rsp)
        movq    %rsp, %rdi
        movq    %rsp, %rbp
        cld
        .endm

        .macro  LEAVE
        addq    $32, %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %r11
        popq    %r10
        popq    %r9
        popq    %r8
        popq    %rbp
        popq    %rdi
        popq    %rsi
        popq    %rdx
        popq    %rcx
        popq    %rbx
        popq    %rax
        addq    $8, %rsp
        iretq
        .endm

        .text
        .global tick_entry, tick_entry_end
        .type   tick_entry, @function
tick_entry:
        ENTER
        call    arch_link_frames
        movq    %rsp, %rdi
        call    kernel_tick
        movq    $LOCAL_APIC, %rax
        movl    $0, 0xb0(%rax)          /* end of interrupt */
        LEAVE
tick_entry_end:
        .size   tick_entry, . - tick_entry

        .global nmi_entry
        .type   nmi_entry, @function
nmi_entry:
        ENTER
        call    kernel_watchdog
        LEAVE
        .size   nmi_entry, . - nmi_entry

        .global spurious_entry
spurious_entry:
        iretq

/* The exceptions but NMI: 16 bytes for each. */
        .global exception_entries
        .balign 16
exception_entries:
        .set    vector, 0
        .rept   32
        .balign 16
        movl    $vector, %edi
        jmp     exception
        .set    vector, vector + 1
        .endr

/* Of some the processor pushes an error code, too. */
exception:
        movq    (%rsp), %rsi
        movq    8(%rsp), %rdx
        andq    $-16, %rsp
        call    x86_exception
