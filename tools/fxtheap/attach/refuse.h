/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes that cannot be attached to, and why. */
#ifndef FXTHEAP_ATTACH_REFUSE_H
#define FXTHEAP_ATTACH_REFUSE_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/base/text.h"
#include "target.h"

/* What /proc says, before anything is read. Returns whether it is refused, with the
 * reason in `why`. */
bool refuse_process(pid_t process, struct text *why);

/* What is mapped in it. */
bool refuse_target(const struct target *target, struct text *why);

/* A path that leads elsewhere in the process than here, as in a container. */
bool refuse_path(pid_t process, const char *path, struct text *why);

/* Why a thread could not be stopped, or memory not be read: `error` is that of ptrace, or
 * of opening the memory, for which the same rules hold. */
void refuse_stop(pid_t process, int error, struct text *why);

#endif
