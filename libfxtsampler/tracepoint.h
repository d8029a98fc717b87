/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's tracepoint of threads that are woken, as tracefs describes it. */
#ifndef LIBFXTSAMPLER_TRACEPOINT_H
#define LIBFXTSAMPLER_TRACEPOINT_H

#include <stdbool.h>
#include <stdint.h>

/* Its id, and where in its data the woken thread's id and the CPU are that the thread
 * will run on, both of 4 bytes. */
struct tracepoint {
    uint64_t id;
    uint32_t thread_offset;
    uint32_t cpu_offset;
};

/* Finds sched:sched_waking. Where tracefs is not mounted, it is mounted for the time of
 * the call, and nowhere visible. Returns false if there is no tracefs, or this process
 * may not read it; then errno is set. */
bool tracepoint_find_waking(struct tracepoint *waking);

#endif
