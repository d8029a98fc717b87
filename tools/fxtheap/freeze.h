/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stops all threads of a process for a while, as a debugger does: the kernel lets them go
 * on even if this program is killed, and no signal is sent or lost.
 */
#ifndef FXTHEAP_FREEZE_H
#define FXTHEAP_FREEZE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/base/text.h"

/* A thread that was stopped, maybe by a signal that it has still to get. */
struct frozen_thread {
    pid_t thread;
    int signal;
};

/* All zero is none. */
struct frozen {
    struct frozen_thread *threads;
    size_t n;
    size_t capacity;
};

/* If that is not possible, returns false, with the reason in `why`, and all threads go
 * on. */
bool freeze(struct frozen *frozen, pid_t process, struct text *why);

void freeze_end(struct frozen *frozen);

#endif
