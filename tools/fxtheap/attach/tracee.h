/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread of another process that is stopped, looked at, and made to call a function
 * (ptrace). If this program is killed at any moment, the kernel detaches the thread,
 * which goes on: at once, or, once it has begun the call, when that returns.
 */
#ifndef FXTHEAP_ATTACH_TRACEE_H
#define FXTHEAP_ATTACH_TRACEE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "registers.h"

struct tracee {
    pid_t thread;
    /* When it was stopped. */
    struct registers registers;
};

/* Stops a thread. On failure returns false, with the reason of ptrace in errno: ESRCH if
 * it has ended, ETIME if it did not stop in a short time. */
bool tracee_stop(struct tracee *tracee, pid_t thread);

/* It goes on where it was. */
void tracee_release(struct tracee *tracee);

/* The same of all that did not stop in time, and have now: to be called often until the
 * end, or they stay stopped. */
void tracee_release_late(void);

enum tracee_end {
    TRACEE_RETURNED,
    /* It was about to crash in the call, and is where it was before. */
    TRACEE_CRASHED,
    /* It has not returned in a long time: it was detached, and goes on with the call. */
    TRACEE_LATE,
    TRACEE_GONE,
    /* It has returned through the frame of the signal, as it would if this program had
     * been killed. */
    TRACEE_LEFT,
};

struct tracee_function {
    uint64_t address;
    /* The second argument. */
    uint64_t second;
    /* The first is a struct heap_attach_request: when all is done it waits. */
    bool waits;
    /* Where it returns to. */
    uint64_t restorer;
};

/*
 * Makes a thread that is stopped call a function with a copy of `data` on its stack. It
 * is then stopped where it was before, and `data` is what the function has left. `memory`
 * is the process's.
 */
enum tracee_end tracee_call(struct tracee *tracee, int memory,
                            const struct tracee_function *function, void *data,
                            size_t size);

#endif
