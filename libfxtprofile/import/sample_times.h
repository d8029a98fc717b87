/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first and the last time of the samples of all inputs, and of one stream. Only ticks
 * are compared for each sample; they are converted when the clock changes.
 */
#ifndef FXTPROFILE_IMPORT_SAMPLE_TIMES_H
#define FXTPROFILE_IMPORT_SAMPLE_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/compiler.h>
#include <fxt/record.h>

/* All zero has no times. */
struct sample_times {
    /* The current clock, its rate, and the first and last sample on it. */
    const struct fxt_provider *clock;
    uint64_t rate;
    uint64_t first_ticks;
    uint64_t last_ticks;
    /* The first and last sample on all previous clocks; and the first on those of the
     * stream. */
    bool has_time;
    uint64_t first_ns;
    uint64_t last_ns;
    bool has_stream_time;
    uint64_t stream_ns;
    /* The wall clock time of the first sample, if some provider gives it. */
    bool has_start;
    uint64_t start_ns;
    /* A time that the first provider with a wall clock gives, by both clocks. */
    bool has_wall_clock;
    uint64_t clock_ns;
    uint64_t wall_ns;
};

void sample_times_start_stream(struct sample_times *times);

/* Ends the use of the current clock, whose provider must still exist. */
void sample_times_stop_clock(struct sample_times *times);

void sample_times_change_clock(struct sample_times *times,
                               const struct fxt_provider *clock, uint64_t ticks);

/* The provider has stated its clock. */
void sample_times_state_clock(struct sample_times *times,
                              const struct fxt_provider *clock);

/* A sample at a time of a provider. */
static inline void sample_times_add(struct sample_times *t,
                                    const struct fxt_provider *clock, uint64_t ticks)
{
    if (FXT_UNLIKELY(t->clock != clock || t->rate != clock->ticks_per_second)) {
        sample_times_change_clock(t, clock, ticks);
        return;
    }
    if (ticks < t->first_ticks)
        t->first_ticks = ticks;
    if (ticks > t->last_ticks)
        t->last_ticks = ticks;
}

/* The last time on the current clock, in nanoseconds. Returns false if there is no clock
 * yet. */
bool sample_times_last(const struct sample_times *times, uint64_t *ns);

/* The first time in the stream, when its clocks were stopped; 0 if there is none. */
uint64_t sample_times_of_stream(const struct sample_times *times);

/* Adds the times of `from`, whose clock was stopped. */
void sample_times_merge(struct sample_times *times, const struct sample_times *from);

#endif
