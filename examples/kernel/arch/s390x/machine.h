/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * s390x, as qemu's `s390-ccw-virtio`: big-endian, and with stack frames of another form,
 * which fxt/unwind.h does not know and frames.c defines.
 */
#ifndef KERNEL_MACHINE_H
#define KERNEL_MACHINE_H

/* Where in a struct trap_frame the entry code stores what, and what all of it takes. */
#define TRAP_CALLER 160
#define TRAP_RETURN (TRAP_CALLER + 112)
#define TRAP_REGISTERS (TRAP_CALLER + 240)
#define TRAP_PSW (TRAP_REGISTERS + 128)
#define TRAP_FRAME_BYTES (TRAP_PSW + 16)

/* What each CPU has at the addresses from 0 on: what the machine puts there, and what is
 * kept there beside. */
#define LOWCORE_RESTART_PSW 0x1a0
#define LOWCORE_INTERRUPT_CODE 0x86
#define LOWCORE_INTERRUPT_OLD_PSW 0x130
#define LOWCORE_SCRATCH 0x200
#define LOWCORE_RETURN_PSW 0x240
#define LOWCORE_TICK_STACK 0x250
#define LOWCORE_WATCHDOG_STACK 0x258

/* Where a CPU's thread waits for its program, and room for a byte. */
#define LOWCORE_THREAD 0x260
#define LOWCORE_BYTE 0x268

/* The program's memory: see arch.h. */
#define USER_BASE 0x10000000
#define USER_BYTES 0x10000

/* Of a PSW: translated addresses, interrupts, and user mode ("problem state"). */
#define PSW_MASK_USER 0x0501000180000000
#define PSW_IS_USER 0x0001000000000000

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stdint.h>

/* What a function's caller has in its frame for it: its own caller's frame, and where the
 * function saves its registers, the 14th of which is its return address. */
struct frame_area {
    uintptr_t back_chain;
    uintptr_t unused[13];
    uintptr_t return_address;
};

/* What the entry code in entry.S saves, and above it what C needs. */
struct trap_frame {
    uintptr_t back_chain;
    uintptr_t unused[19];
    /* The interrupted function's frame, as if that had called the entry code, and another
     * one for its caller's. */
    struct frame_area callers[2];
    uintptr_t r[16];
    uintptr_t mask;
    uintptr_t pc;
};

#define ARCH_TICKS_PER_SECOND 4096000000

static inline uint64_t arch_ticks(void)
{
    uint64_t ticks;

    __asm__ volatile("stckf %0" : "=Q"(ticks) : : "cc");
    return ticks;
}

static inline unsigned arch_cpu(void)
{
    uint16_t cpu;

    __asm__ volatile("stap %0" : "=Q"(cpu));
    return cpu;
}

static inline void arch_relax(void)
{
    __asm__ volatile("diag 0, 0, 0x44" : : : "memory");
}

/* sampler_take_hook, kernel_tick, handle_tick, s390x_interrupt, interrupt_entry. */
#define ARCH_SKIP_HOOK 5
/* sampler_take_probe. */
#define ARCH_SKIP_PROBE 1

/* Reads a frame as if it were a frame record. */
bool s390x_read_frame(void *context, uintptr_t frame, uintptr_t words[2]);

#define ARCH_UNWIND_READ s390x_read_frame

/* Where an address of the program that runs on this CPU is in memory; returns false if it
 * is nowhere. (The instruction for that, LRA, is not one that qemu has without
 * translation.) */
bool s390x_find_page(uintptr_t address, uintptr_t *real);

/* For the program in user mode. */
#define ARCH_LEAVE_USER() __asm__ volatile("svc 0" : : : "memory")

#define ARCH_SPIN_WITHOUT_FRAME(value, n)                                                \
    do {                                                                                 \
        uintptr_t saved;                                                                 \
        uint64_t left = (n);                                                             \
        __asm__ volatile("lgr %0, %%r15\n\tlgr %%r15, %2\n"                              \
                         "1:\tbrctg %1, 1b\n\tlgr %%r15, %0"                             \
                         : "=&d"(saved), "+d"(left)                                      \
                         : "d"((uintptr_t)(value)));                                     \
    } while (0)

/* The link register and some stack seem to be used for something; see frame.h. */
#define ARCH_KEEP_FRAME()                                                                \
    do {                                                                                 \
        uintptr_t unused;                                                                \
        __asm__ volatile("" : "=m"(unused) : : "r14");                                   \
    } while (false)

#endif

#endif
