/* SPDX-License-Identifier: BSD-2-Clause */
/* What is to be recorded, attached to a session. */
#ifndef FXTRECORD_TARGETS_H
#define FXTRECORD_TARGETS_H

#include <stdbool.h>

#include "record_options.h"

/* These report a failure and return false. Attaches the whole system to a session that
 * does not run yet. */
bool targets_attach_system(struct fxt_sampler *sampler);

/* Attaches everything else that the options name to a running session; `command` is the
 * process of the command, if there is one. */
bool targets_attach(struct fxt_sampler *sampler, const struct record_options *options,
                    pid_t command);

/* Whether any of the processes or threads in the options has not ended; true with the
 * whole system or a control group. */
bool targets_exist(const struct record_options *options);

#endif
