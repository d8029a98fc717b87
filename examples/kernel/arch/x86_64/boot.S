/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From where the boot loader leaves each CPU to C. The first CPU comes by PVH: 32 bits, no
 * paging. The second comes in real mode, at a copy of `trampoline`. None of this is the
 * kernel's text: it runs where it is loaded.
 */
#include "layout.h"
#include "machine.h"

#define PHYSICAL(symbol) (symbol - KERNEL_BASE)

#define CR0_PROTECTED (1 << 0)
#define CR0_PAGING (1 << 31)
#define CR4_PAE (1 << 5)
#define MSR_EFER 0xc0000080
#define EFER_LONG (1 << 8)

#define PAGE_PRESENT 0x1
#define PAGE_WRITABLE 0x2
#define PAGE_UNCACHED 0x18
#define PAGE_LARGE 0x80

        /* Says to the loader where to enter. */
        .section .note.pvh, "a", @note
        .long 4, 8, 18
        .asciz "Xen"
        .quad _start

        .section .boot, "ax"
        .code32
        .global _start
_start:
        cli
        lgdt    gdt_pointer
        xorl    %ebp, %ebp
        jmp     enter_long_mode

/* From 32 bits to 64. CPU number in ebp. */
enter_long_mode:
        movl    $CR4_PAE, %eax
        movl    %eax, %cr4
        movl    $page_map, %eax
        movl    %eax, %cr3
        movl    $MSR_EFER, %ecx
        rdmsr
        orl     $EFER_LONG, %eax
        wrmsr
        movl    %cr0, %eax
        orl     $(CR0_PAGING | CR0_PROTECTED), %eax
        movl    %eax, %cr0
        ljmp    $SELECTOR_CODE, $in_long_mode

        .code64
in_long_mode:
        movw    $SELECTOR_DATA, %ax
        movw    %ax, %ds
        movw    %ax, %es
        movw    %ax, %ss
        xorl    %eax, %eax              /* user mode would clear others, and their bases */
        movw    %ax, %fs
        movw    %ax, %gs
        imulq   $(N_STACKS * STACK_BYTES), %rbp, %rsp
        addq    $(stacks + STACK_TOP(0, STACK_THREAD)), %rsp
        testq   %rbp, %rbp
        movq    $0, %rbp
        jnz     1f
        movq    $kernel_main, %rax
        call    *%rax
1:      movq    $kernel_secondary, %rax
        call    *%rax

/* Copied to TRAMPOLINE; CS says so. */
        .code16
        .global trampoline, trampoline_end
trampoline:
        cli
        movw    %cs, %ax
        movw    %ax, %ds
        lgdtl   gdt_pointer_16 - trampoline
        movl    %cr0, %eax
        orl     $CR0_PROTECTED, %eax
        movl    %eax, %cr0
        ljmpl   $SELECTOR_CODE_32, $in_protected_mode
gdt_pointer_16:
        .word   gdt_end - gdt - 1
        .long   gdt
trampoline_end:

        .code32
in_protected_mode:
        movw    $SELECTOR_DATA, %ax
        movw    %ax, %ds
        movl    $1, %ebp
        jmp     enter_long_mode

        .balign 8
gdt:    .quad   0
        .quad   0x00209b0000000000      /* code, 64 bits */
        .quad   0x00cf93000000ffff      /* data */
        .quad   0x00cf9b000000ffff      /* code, 32 bits, on the way */
        .set    SELECTOR_CODE_32, 0x18
gdt_end:
gdt_pointer:
        .word   gdt_end - gdt - 1
        .long   gdt

/* Memory as it is, with the devices below 4 GiB, and its first GiB at KERNEL_BASE. */
        .balign 4096
        .global page_map
page_map:
        .quad   low_gibibytes + PAGE_PRESENT + PAGE_WRITABLE
        .fill   510, 8, 0
        .quad   high_gibibytes + PAGE_PRESENT + PAGE_WRITABLE
low_gibibytes:
        .quad   memory_pages + PAGE_PRESENT + PAGE_WRITABLE
        .quad   0, 0
        .quad   device_pages + PAGE_PRESENT + PAGE_WRITABLE
        .fill   508, 8, 0
high_gibibytes:
        .fill   510, 8, 0
        .quad   memory_pages + PAGE_PRESENT + PAGE_WRITABLE
        .quad   0
memory_pages:
        .set    address, 0
        .rept   512
        .quad   address + PAGE_PRESENT + PAGE_WRITABLE + PAGE_LARGE
        .set    address, address + 0x200000
        .endr
device_pages:
        .set    address, 0xc0000000
        .rept   512
        .quad   address + PAGE_PRESENT + PAGE_WRITABLE + PAGE_UNCACHED + PAGE_LARGE
        .set    address, address + 0x200000
        .endr
