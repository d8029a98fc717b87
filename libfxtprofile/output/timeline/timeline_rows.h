/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The samples of a timeline, in the order of time: the profile's moments. A profile
 * without moments (of spans, or one that was not built for a timeline) has a row for each
 * of its samples, with its value as a weight.
 */
#ifndef FXTPROFILE_OUTPUT_TIMELINE_ROWS_H
#define FXTPROFILE_OUTPUT_TIMELINE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libfxtprofile/profile/profile.h"

static inline bool timeline_has_moments(const struct profile *profile)
{
    return profile->is_timeline && !profile->is_of_heap;
}

static inline size_t timeline_count_rows(const struct profile *profile)
{
    return timeline_has_moments(profile) ? profile->n_moments : profile->n_samples;
}

static inline struct profile_moment timeline_row(const struct profile *profile,
                                                 size_t row)
{
    if (timeline_has_moments(profile))
        return profile->moments[row];
    return (struct profile_moment){profile->labels[profile->samples[row].labels].time_ns,
                                   (uint32_t)row};
}

/* The time of the first row or event; 0 if there is none. Both are in the order of time,
 * but for samples without times. */
static inline uint64_t timeline_start(const struct profile *p)
{
    uint64_t start = p->events.n > 0 ? p->events.events[0].time_ns : UINT64_MAX;

    if (timeline_count_rows(p) > 0 && timeline_row(p, 0).time_ns < start)
        start = timeline_row(p, 0).time_ns;
    return start != UINT64_MAX ? start : 0;
}

/* The time from one sample to the next, in nanoseconds; a millisecond where it is not
 * known, and between captures, whose times are numbers. */
static inline uint64_t timeline_interval(const struct profile *profile)
{
    enum { NS_PER_MS = 1000000 };

    return profile->period > 0 ? profile->period : NS_PER_MS;
}

/* Nanoseconds from `start_ns`, a time of the profile, to `time_ns`; saturates for
 * captures. */
static inline uint64_t timeline_distance(const struct profile *profile, uint64_t start_ns,
                                         uint64_t time_ns)
{
    uint64_t time = time_ns - start_ns;

    if (profile->is_of_captures &&
        __builtin_mul_overflow(time, timeline_interval(profile), &time))
        time = UINT64_MAX;
    return time;
}

#endif
