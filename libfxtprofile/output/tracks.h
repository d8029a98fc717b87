/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processes and threads of a timeline, each a track: those that have samples or
 * events, the busiest process first, and within it the main thread and then the busiest.
 *
 * Viewers have 32-bit ids, and cut longer ones, so that threads would fall together: a
 * koid that is too large, or that two threads have, is replaced by a number that is free,
 * and shown as part of the name.
 */
#ifndef FXTPROFILE_OUTPUT_TRACKS_H
#define FXTPROFILE_OUTPUT_TRACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libfxtprofile/profile/profile.h"

struct track {
    uint64_t process;
    uint64_t thread;
    /* The CPU where captures know no thread; PROFILE_NO_CPU for all others;
     * TRACK_OF_DROPS for the track of what samplers dropped. */
    uint32_t cpu;
    /* What viewers get. */
    uint32_t pid;
    uint32_t tid;
    /* It stands for its process: the thread with the process's koid, or else the busiest.
     */
    bool is_main;
    uint64_t n_samples;
    /* Without those in which a recorder states how it recorded, and those of scheduling.
     */
    uint64_t n_events;
    /* The same of its process. */
    uint64_t n_process_samples;
    uint64_t n_process_events;
};

#define TRACK_OF_DROPS (PROFILE_NO_CPU - 1)

/* A set of numbers. */
struct track_ids {
    struct table table;
    uint32_t *numbers;
    size_t n;
    size_t capacity;
};

struct tracks {
    const struct profile *profile;
    struct track *tracks;
    size_t n;
    size_t capacity;
    struct table table;
    /* The track of each set of the profile's labels, and of its events' threads;
     * UINT32_MAX for those without samples or events. */
    uint32_t *of_labels;
    uint32_t *of_threads;
    uint32_t of_drops;
    /* All pids and tids, and the last one that replaces a koid. */
    struct track_ids ids;
    uint32_t last_id;
};

void tracks_make(struct tracks *tracks, const struct profile *profile);

/* The track of a sample, by its number, and of an event. */
static inline uint32_t tracks_of_sample(const struct tracks *tracks, size_t sample)
{
    return tracks->of_labels[tracks->profile->samples[sample].labels];
}

uint32_t tracks_of_event(const struct tracks *tracks, const struct profile_event *event);

/* The main track of a track's process. */
static inline uint32_t tracks_main(const struct tracks *tracks, uint32_t track)
{
    while (!tracks->tracks[track].is_main)
        track--;
    return track;
}

/* Adds the name of a track's process or thread to `text`. */
void tracks_name_process(const struct tracks *tracks, const struct track *track,
                         struct text *text);
void tracks_name_thread(const struct tracks *tracks, const struct track *track,
                        struct text *text);

/* An id that no process or thread has, and which is not returned again. */
uint32_t tracks_add_id(struct tracks *tracks);

#endif
