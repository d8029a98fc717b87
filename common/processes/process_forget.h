/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording that goes on for hours need not remember: processes that have ended,
 * files that only those had mapped, and earlier names. */
#ifndef PROCESSES_PROCESS_FORGET_H
#define PROCESSES_PROCESS_FORGET_H

#include "process_table.h"
#include "stack_ends.h"

/* Removes what is of no use for samples from `before_ns` on, of CLOCK_MONOTONIC. A
 * process is removed if it has been gone, by the time of a call, since then. `ends`
 * refers to files, and is changed with their numbers. */
void process_table_forget(struct process_table *table, struct stack_ends *ends,
                          uint64_t now_ns, uint64_t before_ns);

#endif
