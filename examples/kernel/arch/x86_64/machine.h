/* SPDX-License-Identifier: BSD-2-Clause */
/* x86-64, as qemu's `pc` and most real ones: local APICs, and a PIT wired to an IO APIC.
 */
#ifndef KERNEL_MACHINE_H
#define KERNEL_MACHINE_H

/* The addresses of the entry code's C names. The kernel is linked here and loaded at the
 * same addresses without the upper bits. */
#define KERNEL_BASE 0xffffffff80000000

/* Where the second CPU begins, in real mode, and what it finds there. */
#define TRAMPOLINE 0x8000

#define SELECTOR_CODE 0x08
#define SELECTOR_DATA 0x10
#define SELECTOR_TASK 0x18 /* and 0x28 for CPU 1 */
#define SELECTOR_USER_CODE 0x3b
#define SELECTOR_USER_DATA 0x43

#define VECTOR_NMI 2
#define VECTOR_PAGE_FAULT 14
#define VECTOR_TICK 0x40
#define VECTOR_LEAVE_USER 0x80
#define VECTOR_SPURIOUS 0xff

/* The program's memory: see arch.h. */
#define USER_BASE 0x8000000000
#define USER_BYTES 0x10000

#define LOCAL_APIC 0xfee00000

#ifndef __ASSEMBLER__

#include <stdint.h>

/* Below the frame that the processor pushes: what the entry code in entry.S pushes. */
struct trap_frame {
    /* A frame record, as if the interrupted function had called the entry code, and room
     * for one that it has not made yet. */
    uintptr_t records[4];
    uintptr_t r15, r14, r13, r12, r11, r10, r9, r8;
    uintptr_t rbp, rdi, rsi, rdx, rcx, rbx, rax;
    /* Or the number of an exception, which has another frame. */
    uintptr_t unused;
    uintptr_t rip, cs, rflags, rsp, ss;
};

/* The nanoseconds of qemu's clock. Real ones have a rate to be measured. */
#define ARCH_TICKS_PER_SECOND 1000000000

static inline uint64_t arch_ticks(void)
{
    uint32_t low;
    uint32_t high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

/* The first word in the GS segment is the CPU's number: see arch_init_cpu. */
static inline unsigned arch_cpu(void)
{
    unsigned cpu;

    __asm__ volatile("movl %%gs:0, %0" : "=r"(cpu));
    return cpu;
}

static inline void arch_relax(void)
{
    __asm__ volatile("pause" : : : "memory");
}

/* sampler_take_hook, kernel_tick, tick_entry. */
#define ARCH_SKIP_HOOK 3
/* sampler_take_probe. */
#define ARCH_SKIP_PROBE 1

#define ARCH_UNWIND_READ NULL

/* For the program in user mode. */
#define ARCH_LEAVE_USER() __asm__ volatile("int $0x80" : : : "memory")

#define ARCH_SPIN_WITHOUT_FRAME(value, n)                                                \
    do {                                                                                 \
        uintptr_t saved;                                                                 \
        uint64_t left = (n);                                                             \
        __asm__ volatile("movq %%rbp, %0\n\tmovq %2, %%rbp\n"                            \
                         "1:\tdecq %1\n\tjnz 1b\n\tmovq %0, %%rbp"                       \
                         : "=&r"(saved), "+r"(left)                                      \
                         : "r"((uintptr_t)(value))                                       \
                         : "cc");                                                        \
    } while (0)

/* What is not needed for the function itself; see frame.h. */
#define ARCH_KEEP_FRAME() __asm__ volatile("" : : "r"(__builtin_frame_address(0)))

#endif

#endif
