/* SPDX-License-Identifier: BSD-2-Clause */
/* See failure.h. */
#include "failure.h"

#include <sys/resource.h>

#include "record_options.h"
#include "tools/common/report.h"

bool failure_report(const char *what, const char *why)
{
    return complain(FXTRECORD_PROGRAM, what, "%s", why);
}

/* Mostly these are files: by perf events each thread needs one on each CPU. */
static bool report_resources(const char *what, const char *message)
{
    struct rlimit limit = {0};

    getrlimit(RLIMIT_NOFILE, &limit);
    return complain(
        FXTRECORD_PROGRAM, what,
        "%s: threads that run already need some files on each CPU, and the limit "
        "(ulimit -n) is %llu; -a needs fewer",
        message, (unsigned long long)limit.rlim_max);
}

bool failure_report_code(const char *what, enum fxt_sampler_code code)
{
    const char *message = fxt_sampler_code_message(code);

    if (code == FXT_SAMPLER_E_RESOURCES)
        return report_resources(what, message);
    if (code != FXT_SAMPLER_E_PERMISSION)
        return failure_report(what, message);
    return complain(
        FXTRECORD_PROGRAM, what,
        "%s: perf events of other users' processes, of the kernel, and of the whole "
        "system need root (CAP_PERFMON, CAP_SYS_ADMIN) or a lower "
        "kernel.perf_event_paranoid",
        message);
}
