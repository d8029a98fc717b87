/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Something to sample: calls in calls whose shares of the time are known. All of it ends
 * in `spin`, which takes the same time whenever it is called, so a function's share is
 * that of the calls of `spin` below it:
 *
 *     work_round                      CPU 0   CPU 1
 *         compile
 *             parse                       6       2
 *             optimise
 *                 fold                    3       1      and a static probe
 *         link                            1       7
 *
 *     run_timers                          3       3      in every tick
 */
#ifndef KERNEL_WORK_H
#define KERNEL_WORK_H

/* One round of work on this CPU. */
void work_round(void);

/* What the tick has to do beside sampling. */
void run_timers(void);

#endif
