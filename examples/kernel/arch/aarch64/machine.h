/* SPDX-License-Identifier: BSD-2-Clause */
/* aarch64, as qemu's `virt`: a GIC of version 2, two timers for each CPU, and PSCI. */
#ifndef KERNEL_MACHINE_H
#define KERNEL_MACHINE_H

/* What a struct trap_frame takes, below which the entry code calls C. */
#define TRAP_FRAME_BYTES 304

/* The program's memory: see arch.h. */
#define USER_BASE 0x80000000
#define USER_BYTES 0x10000

#ifndef __ASSEMBLER__

#include <stdint.h>

/* What the entry code in entry.S saves. */
struct trap_frame {
    /* A frame record, as if the interrupted function had called the entry code, and room
     * for one that it has not made yet. */
    uintptr_t records[4];
    uintptr_t x[31];
    uintptr_t sp;
    uintptr_t pc;
    uintptr_t state;
};

/* What qemu's timers have; others say it in cntfrq_el0. */
#define ARCH_TICKS_PER_SECOND 62500000

static inline uint64_t arch_ticks(void)
{
    uint64_t ticks;

    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

static inline unsigned arch_cpu(void)
{
    uint64_t id;

    __asm__ volatile("mrs %0, mpidr_el1" : "=r"(id));
    return id & 0xff;
}

static inline void arch_relax(void)
{
    __asm__ volatile("yield" : : : "memory");
}

/* sampler_take_hook, kernel_tick, handle_tick, aarch64_interrupt, interrupt_entry. */
#define ARCH_SKIP_HOOK 5
/* sampler_take_probe. */
#define ARCH_SKIP_PROBE 1

#define ARCH_UNWIND_READ NULL

/* For the program in user mode. */
#define ARCH_LEAVE_USER() __asm__ volatile("svc #0" : : : "memory")

#define ARCH_SPIN_WITHOUT_FRAME(value, n)                                                \
    do {                                                                                 \
        uintptr_t saved;                                                                 \
        uint64_t left = (n);                                                             \
        __asm__ volatile("mov %0, x29\n\tmov x29, %2\n"                                  \
                         "1:\tsubs %1, %1, #1\n\tb.ne 1b\n\tmov x29, %0"                 \
                         : "=&r"(saved), "+r"(left)                                      \
                         : "r"((uintptr_t)(value))                                       \
                         : "cc");                                                        \
    } while (0)

/* The link register seems to be used for something else; see frame.h. */
#define ARCH_KEEP_FRAME() __asm__ volatile("" : : : "x30")

#endif

#endif
