/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The border between the portable part of the kernel and a machine's, in arch/MACHINE.
 * First come the functions that a machine provides: to port the sampler to another
 * kernel, provide these. README.md describes them one by one.
 *
 * Each machine has two interrupts on each CPU: the *tick*, in which the sampler runs, and
 * the *watchdog*, which interrupts anything, the tick and the sampler included. That is
 * an NMI where there is one.
 */
#ifndef KERNEL_ARCH_H
#define KERNEL_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/unwind.h>

#include "layout.h"

/* What an interrupt saves, by each machine's own layout: see arch/MACHINE/machine.h. */
struct trap_frame;

#include "machine.h"

/* What machine.h must have beside, which is inline because the sampler calls it:
 *
 *     static inline uint64_t arch_ticks(void);     a clock that all CPUs share
 *     static inline unsigned arch_cpu(void);       the number of this CPU, from 0
 *     static inline void arch_relax(void);         for loops that wait for other CPUs
 *
 * and the presets: how many frames there are from the sampler's own function up to the
 * one that was interrupted, or that has the probe in it, not counting that one.
 *
 *     ARCH_SKIP_HOOK                               in the tick
 *     ARCH_SKIP_PROBE                              at a static probe
 */

/* ---- What a machine gives ---------------------------------------------------------- */

/*
 * Completes the frame records that the interrupt's entry code has made, so that frame
 * pointers lead from the handler's frames to the interrupted function, and from there to
 * all its callers: the first of them is in no record when the function was interrupted in
 * its first or last instructions. May be done twice.
 */
void arch_link_frames(struct trap_frame *trap);

/* Fills in where a walk begins that begins with what was interrupted: the members pc and
 * frame. The others are left as they are. */
void arch_find_frames(struct trap_frame *trap, struct fxt_unwind *from);

/* Starts another CPU, which calls kernel_secondary on its thread stack. */
void arch_start_cpu(unsigned cpu);

/* Prepares the calling CPU to take interrupts, starts its watchdog, and lets them in. */
void arch_init_cpu(void);

/* Sets off one tick on this CPU, so many nanoseconds from now; */
void arch_set_tick(uint32_t ns);
/* or takes it back. Returns false if it is too late, and the handler will run. */
bool arch_cancel_tick(void);

/* Turns the machine off. */
_Noreturn void arch_exit(void);

/* ---- User mode --------------------------------------------------------------------- */

/*
 * The program's memory begins at USER_BASE and has USER_BYTES: its text is mapped at the
 * lower end, and a page for this CPU's stack at the upper one. For the program itself
 * machine.h has ARCH_LEAVE_USER and ARCH_SPIN_WITHOUT_FRAME.
 */

/* Calls a function in user mode, with that stack pointer and no frame above. Returns when
 * it does ARCH_LEAVE_USER. */
void arch_run_user(uintptr_t function, uintptr_t stack);

/* Whether an interrupt has found user mode. */
bool arch_is_user(const struct trap_frame *trap);

/* Fills in where a walk of its stack begins: pc, frame, stack_low and link. */
void arch_find_user_frames(const struct trap_frame *trap, struct fxt_unwind *from);

/* Reads the program's memory, for a walk: false if there is none at the address. */
bool arch_read_user(void *context, uintptr_t address, uintptr_t words[2]);

/* ---- What is called by a machine's part -------------------------------------------- */

/* The first CPU, on its thread stack, with interrupts off; and the others. Called by code
 * that is not in the kernel's text. */
_Noreturn void kernel_main(void);
_Noreturn void kernel_secondary(void);

/* The interrupts. No tick comes during a tick; a watchdog may. The frames of a tick are
 * linked (arch_link_frames). */
void kernel_tick(struct trap_frame *trap);
void kernel_watchdog(struct trap_frame *trap);

/* What should not happen did. */
_Noreturn void kernel_panic(const char *why, uintptr_t pc);

/* ---- From the linker --------------------------------------------------------------- */

/* The kernel's text, and in it the sampler's. */
extern const char text_start[], text_end[], sampler_start[], sampler_end[];
/* The program for user mode, where it is loaded, in whole pages. */
extern const char user_load[], user_load_end[];

extern unsigned char stacks[N_CPUS][N_STACKS][STACK_BYTES];

#endif
