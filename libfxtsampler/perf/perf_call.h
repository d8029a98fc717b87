/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls on perf events. */
#ifndef LIBFXTSAMPLER_PERF_CALL_H
#define LIBFXTSAMPLER_PERF_CALL_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <fxt/sampler.h>

/* Opens an event, for a thread or -1 for all, on a CPU or -1 for all. Returns its file,
 * or -1 with errno set. */
int perf_call_open(const struct perf_event_attr *attr, pid_t id, int cpu);

/* The same for the threads of a control group, of which this is the open directory. */
int perf_call_open_cgroup(const struct perf_event_attr *attr, int directory, int cpu);

/* What PERF_READ_FIELDS make of an event's count, in nanoseconds but for that itself. */
#define PERF_READ_FIELDS (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/* The same of PERF_FORMAT_LOST, which kernels have since 6.0, and headers later. */
enum { PERF_READ_LOST = 1 << 4 };

struct perf_reading {
    uint64_t count;
    uint64_t enabled_ns;
    uint64_t running_ns;
    /* With PERF_READ_LOST: samples for which a ring had no room; else 0. */
    uint64_t lost;
};

bool perf_call_read(int event, struct perf_reading *reading);

/* What an error of the kernel's means for a session. */
enum fxt_sampler_code perf_call_code(int error);

#endif
