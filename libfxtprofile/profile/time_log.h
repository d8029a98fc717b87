/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The times of samples, in a few bytes each: the records of a process's mappings may
 * follow its samples, and only then it is known whether the times matter. A log beyond a
 * limit is in a temporary file, so that memory does not grow with the samples; without
 * temporary files, it stays in memory.
 */
#ifndef FXTPROFILE_PROFILE_TIME_LOG_H
#define FXTPROFILE_PROFILE_TIME_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/io/spill.h"

enum { TIME_LOG_MEMORY = 1 << 20, TIME_LOG_WINDOW = 1 << 14, TIME_LOG_ENTRY = 32 };

/* In place of a sample: what has a number in place of its time is a mark. */
#define TIME_LOG_MARK UINT32_MAX

/* All zero is an empty one. */
struct time_log {
    /* For each entry what differs from the one before. */
    struct spill bytes;
    /* No more can be moved to the file. */
    bool is_stuck;
    uint32_t sample;
    uint64_t time_ns;
};

void time_log_add(struct time_log *log, uint32_t sample, uint64_t time_ns);

/* Reading from the start; all zero is at the start. */
struct time_log_reader {
    uint64_t at;
    uint32_t sample;
    uint64_t time_ns;
    /* What was last read, with room after it for the largest entry. */
    uint64_t window_start;
    size_t window_size;
    unsigned char window[TIME_LOG_WINDOW + TIME_LOG_ENTRY];
};

/* Advances to the next entry; false if there is none. */
bool time_log_next(const struct time_log *log, struct time_log_reader *reader);

void time_log_free(struct time_log *log);

#endif
