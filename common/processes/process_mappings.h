/* SPDX-License-Identifier: BSD-2-Clause */
/* What a process has mapped, in the order of time: a list in its entry. */
#ifndef PROCESSES_PROCESS_MAPPINGS_H
#define PROCESSES_PROCESS_MAPPINGS_H

#include "process_table.h"

/* Adds a mapping, which may be there already. */
void process_mappings_add(struct process_entry *process, struct process_mapping mapping);

/* The process has called exec. */
void process_mappings_take_exec(struct process_entry *process, uint64_t time_ns);

/* Removes the first `n` mappings; and those that others have been in place of since
 * before some time. */
void process_mappings_drop_first(struct process_entry *process, size_t n);
void process_mappings_drop_replaced(struct process_entry *process, uint64_t before_ns);

#endif
