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

/* What the rings of all CPUs take is not to be missed elsewhere. */
static uint64_t share_of_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t all = pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;

    return all / 32 / (cpus > 0 ? (uint64_t)cpus : 1);
}

/* Where nothing is known of the machine's memory, and where it has little of it. */
enum { RING_BYTES_MIN = 1 << 21, RING_BYTES_MAX = 1 << 25 };

/* How many rings a second are filled, at most: the thread that drains them has to wait
 * for a CPU, and for tables, for as long as one can be filled. */
enum { FILLED_A_SECOND = 8 };

size_t perf_ring_size(uint64_t bytes_a_second)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t most = share_of_memory();
    uint64_t locked = is_unlimited() ? UINT64_MAX : read_limit() + share_of_process();
    size_t size = RING_BYTES_MIN;

    while (size < RING_BYTES_MAX && 2 * size <= most &&
           size < bytes_a_second / FILLED_A_SECOND)
        size *= 2;
    while (size > page && size + page > locked)
        size /= 2;
    return size;
}
