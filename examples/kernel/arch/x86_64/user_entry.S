/* SPDX-License-Identifier: BSD-2-Clause */
/* To user mode and back, and reads of its memory, which may fault. */
#include "layout.h"
#include "machine.h"

#define FLAGS_INTERRUPTS 0x200

        .bss
        .balign 8
/* Where each CPU's thread waits for its program. */
threads:
        .fill   N_CPUS, 8, 0

        .text
/* void arch_run_user(uintptr_t function, uintptr_t stack) */
        .global arch_run_user
        .type   arch_run_user, @function
arch_run_user:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        cli
        movl    %gs:0, %eax
        movq    %rsp, threads(, %rax, 8)
        subq    $8, %rsi                /* where the return address would be: 0 */
        pushq   $SELECTOR_USER_DATA
        pushq   %rsi
        pushq   $FLAGS_INTERRUPTS
        pushq   $SELECTOR_USER_CODE
        pushq   %rdi
        xorl    %ebp, %ebp
        iretq
        .size   arch_run_user, . - arch_run_user

/* From the program, to where arch_run_user returns. */
        .global leave_user_entry
leave_user_entry:
        movl    %gs:0, %eax
        movq    threads(, %rax, 8), %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        sti
        ret

/* bool arch_read_user(void *context, uintptr_t address, uintptr_t words[2]) */
        .global arch_read_user
        .type   arch_read_user, @function
arch_read_user:
        movabsq $USER_BASE, %rax
        movq    %rsi, %rcx
        subq    %rax, %rcx
        cmpq    $(USER_BYTES - 16), %rcx
        ja      cannot_read
reads:  movq    (%rsi), %rax
        movq    8(%rsi), %rcx
reads_end:
        movq    %rax, (%rdx)
        movq    %rcx, 8(%rdx)
        movl    $1, %eax
        ret
cannot_read:
        xorl    %eax, %eax
        ret
        .size   arch_read_user, . - arch_read_user

/*
 * The processor has pushed an error code, and before that the frame of an interrupt. A
 * fault of a read above goes on where it has failed. Not by iret, which would let the next
 * NMI in while this one is still being handled.
 */
        .global page_fault_entry
page_fault_entry:
        cmpq    $reads, 8(%rsp)
        jb      other_fault
        cmpq    $reads_end, 8(%rsp)
        jae     other_fault
        movq    24(%rsp), %rax          /* the flags */
        movq    32(%rsp), %rsp
        pushq   %rax
        popfq
        jmp     cannot_read
other_fault:
        movl    $VECTOR_PAGE_FAULT, %edi
        movq    (%rsp), %rsi
        movq    8(%rsp), %rdx
        andq    $-16, %rsp
        call    x86_exception
