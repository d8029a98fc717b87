/* SPDX-License-Identifier: BSD-2-Clause */
/* What is to be recorded, attached to a session; and how a failure is told. */
#ifndef FXTRECORD_TARGETS_H
#define FXTRECORD_TARGETS_H

#include <stdbool.h>

#include "processes/process_table.h"
#include "record.h"

/* These say what went wrong, with `what` or NULL, and return false. */
bool fail(const char *what, const char *why);
bool fail_code(const char *what, enum fxt_sampler_code code);

/* Attaches the whole system to a session that does not run yet, and adds all processes
 * in /proc to the table. */
bool targets_attach_system(struct fxt_sampler *sampler, struct process_table *table);

/* Attaches everything else that the options name to a running session; `command` is the
 * process of the command, if there is one. Adds what /proc has of it to the table. */
bool targets_attach(struct fxt_sampler *sampler, const struct record_options *options,
                    pid_t command, struct process_table *table);

/* Whether any of the processes or threads that the options say has not ended. */
bool targets_exist(const struct record_options *options);

#endif
