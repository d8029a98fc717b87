/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_call.h. */
#include "perf_call.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

int perf_call_open(const struct perf_event_attr *attr, pid_t id, int cpu)
{
    /* The kernel writes to it where it refuses the size. */
    struct perf_event_attr copy = *attr;

    return (int)syscall(SYS_perf_event_open, &copy, (long)id, (long)cpu, -1L,
                        PERF_FLAG_FD_CLOEXEC);
}

bool perf_call_read(int event, struct perf_reading *reading)
{
    return read(event, reading, sizeof(*reading)) == (ssize_t)sizeof(*reading);
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
