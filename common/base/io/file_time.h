/* SPDX-License-Identifier: BSD-2-Clause */
/* The time of a file as one number. */
#ifndef BASE_FILE_TIME_H
#define BASE_FILE_TIME_H

#include <stdint.h>
#include <sys/stat.h>

/* When it was last written to, in nanoseconds since 1970; 0 if that was before. */
static inline uint64_t file_time_ns(const struct stat *status)
{
    int64_t seconds = status->st_mtim.tv_sec;

    return seconds < 0
               ? 0
               : (uint64_t)seconds * 1000000000 + (uint64_t)status->st_mtim.tv_nsec;
}

#endif
