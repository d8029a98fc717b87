/* SPDX-License-Identifier: BSD-2-Clause */
/* What a session reports about processes, and what /proc has of them, in one table. The
 * session reports from a thread of its own, while others read /proc. */
#ifndef FXTRECORD_SESSION_EVENTS_H
#define FXTRECORD_SESSION_EVENTS_H

#include <fxt/sampler.h>

#include "processes/process_table.h"

/* An fxt_sampler_event_fn; the context is the table. */
void session_events_take(void *context, const struct fxt_sampler_event *event);

/* Add to the table what /proc has of a process, and of all processes. */
void session_events_read_process(struct process_table *table, pid_t process);
void session_events_read_system(struct process_table *table);

#endif
