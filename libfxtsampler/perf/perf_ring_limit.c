/* SPDX-License-Identifier: BSD-2-Clause */
/* See perf_ring.h: how large rings may be. */
#include <linux/capability.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf_ring.h"

/* Whether memory may be locked without limit. */
static bool is_unlimited(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{0}};

    return syscall(SYS_capget, &header, data) == 0 &&
           (data[0].effective >> CAP_IPC_LOCK & 1) != 0;
}

/* What a user may lock for each CPU, in bytes. */
static uint64_t read_limit(void)
{
    FILE *file = fopen("/proc/sys/kernel/perf_event_mlock_kb", "re");
    unsigned long kb = 0;

    if (file == NULL)
        return 0;
    if (fscanf(file, "%lu", &kb) != 1)
        kb = 0;
    fclose(file);
    return (uint64_t)kb * 1024;
}

/* A process may lock more than its user's limit, up to its own. */
static uint64_t share_of_process(void)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct rlimit limit;

    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0)
        return 0;
    return limit.rlim_cur / (cpus > 0 ? (uint64_t)cpus : 1);
}

size_t perf_ring_limit(size_t size)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t limit;

    if (is_unlimited())
        return size;
    limit = read_limit() + share_of_process();
    while (size > page && size + page > limit)
        size /= 2;
    return size;
}
