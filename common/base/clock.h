/* SPDX-License-Identifier: BSD-2-Clause */
/* Times as one number: of a clock, of a usage, and of a file. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The CPU time in a usage, of the program and of the kernel. */
static inline uint64_t usage_ns(const struct rusage *used)
{
    return (uint64_t)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) * 1000000000 +
           (uint64_t)(used->ru_utime.tv_usec + used->ru_stime.tv_usec) * 1000;
}

/* When a file was last written to, in nanoseconds since 1970; 0 if that was before. */
static inline uint64_t file_time_ns(const struct stat *status)
{
    int64_t seconds = status->st_mtim.tv_sec;

    return seconds < 0
               ? 0
               : (uint64_t)seconds * 1000000000 + (uint64_t)status->st_mtim.tv_nsec;
}

#endif
