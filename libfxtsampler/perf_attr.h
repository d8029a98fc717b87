/* SPDX-License-Identifier: BSD-2-Clause */
/* The attributes of the kernel's perf events, and which of them it allows. */
#ifndef LIBFXTSAMPLER_PERF_ATTR_H
#define LIBFXTSAMPLER_PERF_ATTR_H

#include <linux/perf_event.h>

#include "session.h"

/* Finds out what events a session can have: those that it requested, or the closest ones.
 * On failure the cause is in the session's reason; so it is if stacks lack the kernel. */
enum fxt_sampler_code perf_attr_find(struct fxt_sampler *sampler,
                                     struct perf_event_attr *attr);

/* Opens an event, for a thread or -1 for all, on a CPU or -1 for all. Returns its file,
 * or -1 with errno set. */
int perf_attr_open(const struct perf_event_attr *attr, pid_t id, int cpu);

/* What PERF_READ_FIELDS make of an event's count, in nanoseconds but for that itself. */
#define PERF_READ_FIELDS (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

struct perf_reading {
    uint64_t count;
    uint64_t enabled_ns;
    uint64_t running_ns;
};

bool perf_attr_read(int event, struct perf_reading *reading);

/* What an error of the kernel's means for a session. */
enum fxt_sampler_code perf_attr_code(int error);

#endif
