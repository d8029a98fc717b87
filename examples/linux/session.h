/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions: times in which samples are taken. */
#ifndef LINUX_SESSION_H
#define LINUX_SESSION_H

#include "source.h"

/* What the emitters write to, in bytes for each CPU, and the mean time between ticks. */
struct session_options {
    unsigned int buffer_bytes;
    unsigned int period_us;
};

/* Allocates the sources of all CPUs; returns 0 or a negative errno. */
int session_create(const struct session_options *options);

/* No session may be running. */
void session_destroy(void);

/* Starts a session if none is running; what was not read of the last one is gone. Returns
 * 0 or a negative errno. */
int session_start(void);

/* Stops the session if one is running. When this returns no handler is active, and what
 * they have written can be read. */
void session_stop(void);

bool session_is_running(void);

/* Of any CPU that is possible. */
struct source *session_source(unsigned int cpu);

#endif
