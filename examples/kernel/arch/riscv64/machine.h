/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * riscv64, as qemu's `virt` with no firmware. The kernel runs in supervisor mode. What
 * runs in machine mode can interrupt all of it, whether interrupts are off or not, so
 * this is where the watchdog is; and the one timer that each CPU has, which makes the
 * ticks, too.
 */
#ifndef KERNEL_MACHINE_H
#define KERNEL_MACHINE_H

/* What a struct trap_frame takes, below which the entry code calls C. */
#define TRAP_FRAME_BYTES 304

/* The program's memory: see arch.h. */
#define USER_BASE 0x40000000
#define USER_BYTES 0x10000

#ifndef __ASSEMBLER__

#include <stdint.h>

/* What the entry code in entry.S saves. */
struct trap_frame {
    /* A frame record, as if the interrupted function had called the entry code, and room
     * for one that it has not made yet. */
    uintptr_t records[4];
    /* x0 to x31; x0 is the interrupted pc. */
    uintptr_t x[32];
    uintptr_t unused[2];
};

enum { X_PC = 0, X_RA = 1, X_SP = 2, X_S0 = 8 };

/* qemu's; others say it in the device tree. */
#define ARCH_TICKS_PER_SECOND 10000000

static inline uint64_t arch_ticks(void)
{
    uint64_t ticks;

    __asm__ volatile("rdtime %0" : "=r"(ticks));
    return ticks;
}

/* The thread pointer has nothing else to do here. */
static inline unsigned arch_cpu(void)
{
    uint64_t cpu;

    __asm__ volatile("mv %0, tp" : "=r"(cpu));
    return (unsigned)cpu;
}

/* The instruction is called pause, but not by all assemblers. */
static inline void arch_relax(void)
{
    __asm__ volatile(".insn i 0x0f, 0, x0, x0, 0x10" : : : "memory");
}

/* sampler_take_hook, kernel_tick, tick_entry. */
#define ARCH_SKIP_HOOK 3
/* sampler_take_probe. */
#define ARCH_SKIP_PROBE 1

#define ARCH_UNWIND_READ NULL

/* For the program in user mode, which leaves tp alone. */
#define ARCH_LEAVE_USER() __asm__ volatile("ecall" : : : "memory")

#define ARCH_SPIN_WITHOUT_FRAME(value, n)                                                \
    do {                                                                                 \
        uintptr_t saved;                                                                 \
        uint64_t left = (n);                                                             \
        __asm__ volatile("mv %0, s0\n\tmv s0, %2\n"                                      \
                         "1:\taddi %1, %1, -1\n\tbnez %1, 1b\n\tmv s0, %0"               \
                         : "=&r"(saved), "+r"(left)                                      \
                         : "r"((uintptr_t)(value)));                                     \
    } while (0)

/* Whatever a function has is enough here: see frames.c. */
#define ARCH_KEEP_FRAME() ((void)0)

#endif

#endif
