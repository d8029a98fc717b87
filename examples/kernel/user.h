/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that runs in user mode, in a separate address space on each CPU: its text,
 * and a page for its stack, with nothing in between. All that it does ends in
 * `user_spin`; a function's share of the time is that of the turns below it:
 *
 *     user_main
 *         user_parse                      4
 *         user_plan
 *             user_search                 3
 *         user_lost                       1       with a frame pointer that leads nowhere
 */
#ifndef KERNEL_USER_H
#define KERNEL_USER_H

#include <stdbool.h>
#include <stdint.h>

/* Runs the program once, on this CPU, in user mode. */
void user_run(void);

/* Whether an address is in the program's text, where it runs. */
bool user_is_text(void *context, uintptr_t pc);

#endif
