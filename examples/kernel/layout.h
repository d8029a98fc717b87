/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that the assembler needs, too. */
#ifndef KERNEL_LAYOUT_H
#define KERNEL_LAYOUT_H

#define N_CPUS 2

/* Each CPU's stacks: what its thread runs on, the tick, and what interrupts the tick. */
#define N_STACKS 3
#define STACK_THREAD 0
#define STACK_TICK 1
#define STACK_WATCHDOG 2
#define STACK_BYTES 16384

/* The offset of the upper end of a stack from the symbol `stacks`. */
#define STACK_TOP(cpu, stack) (((cpu)*N_STACKS + (stack) + 1) * STACK_BYTES)

#endif
