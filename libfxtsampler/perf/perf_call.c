/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_call.h. */
#include "perf_call.h"

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_event(const struct perf_event_attr *attr, long id, int cpu,
                      unsigned long flags)
{
    /* The kernel writes to it where it refuses the size. */
    struct perf_event_attr copy = *attr;

    return (int)syscall(SYS_perf_event_open, &copy, id, (long)cpu, -1L,
                        flags | PERF_FLAG_FD_CLOEXEC);
}

int perf_call_open(const struct perf_event_attr *attr, pid_t id, int cpu)
{
    return open_event(attr, id, cpu, 0);
}

int perf_call_open_cgroup(const struct perf_event_attr *attr, int directory, int cpu)
{
    return open_event(attr, directory, cpu, PERF_FLAG_PID_CGROUP);
}

bool perf_call_read(int event, struct perf_reading *reading)
{
    reading->lost = 0;
    return read(event, reading, sizeof(*reading)) >=
           (ssize_t)offsetof(struct perf_reading, lost);
}

enum fxt_sampler_code perf_call_code(int error)
{
    switch (error) {
    case EACCES:
    case EPERM:
        return FXT_SAMPLER_E_PERMISSION;
    case ESRCH:
        return FXT_SAMPLER_E_NO_TARGET;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN:
        return FXT_SAMPLER_E_RESOURCES;
    default:
        return FXT_SAMPLER_E_SUPPORT;
    }
}
