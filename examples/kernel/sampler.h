/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sampler: what is called from interrupts and probes, takes a stack, and writes it.
 * This is the part to carry into another kernel, with session.h.
 *
 * The functions of sampler.c never stand in a sample: all of them are in one range of
 * text (kernel.ld), and what is there is left out where an interrupt finds it.
 */
#ifndef KERNEL_SAMPLER_H
#define KERNEL_SAMPLER_H

#include "arch.h"

/* Takes the stack that an interrupt has found. */
void sampler_take_tick(struct trap_frame *trap);
void sampler_take_watchdog(struct trap_frame *trap);

/*
 * The same as sampler_take_tick for a hook somewhere in the tick that is not given the
 * interrupted registers: it walks its own frames, through those of the tick, and skips as
 * many as ARCH_SKIP_HOOK says.
 */
void sampler_take_hook(void);

/*
 * A sampler of user mode, as Zircon has it: the tick only marks that a sample is due, and
 * the stack is walked when the CPU is about to return to the program. There a fault is
 * allowed, and a page may even be read from a disk.
 */
void sampler_mark_user(void);
void sampler_take_user(struct trap_frame *trap);

/* A static probe: the stack begins at the caller. */
void sampler_take_probe(void);

#endif
