/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of writing a profile for Firefox Profiler, in its "processed profile" format
 * at version 63. That is the newest with the column `prefix` of the table of stacks and
 * with absolute times, which is all that Perfetto reads of this format; Firefox Profiler
 * converts older versions. What else Perfetto needs: "meta" is the first key, and no time
 * of a marker is null.
 */
#ifndef FXTPROFILE_OUTPUT_FIREFOX_H
#define FXTPROFILE_OUTPUT_FIREFOX_H

#include <stdbool.h>
#include <stdint.h>

#include "firefox_tables.h"
#include "libfxtprofile/output/json_list.h"
#include "libfxtprofile/profile/profile.h"
#include "libfxtprofile/output/outputs.h"
#include "libfxtprofile/output/timeline/timeline_rows.h"
#include "libfxtprofile/output/tracks.h"

enum firefox_category {
    FIREFOX_OTHER,
    FIREFOX_USER,
    FIREFOX_KERNEL,
    FIREFOX_JIT,
    FIREFOX_SPANS,
    FIREFOX_LOST
};

/* Of user and kernel code. */
enum firefox_subcategory { FIREFOX_SUB_OTHER, FIREFOX_SUB_INLINED };

/* The rows of samples, those of each track together, in the order of time. Without
 * moments `samples` has the profile's samples, whose values are weights. */
struct firefox_rows {
    uint64_t *times;
    uint32_t *samples;
};

struct firefox {
    const struct profile *profile;
    const struct output_settings *settings;
    struct json_list json;
    struct tracks tracks;
    struct firefox_tables tables;
    /* What time 0 is, in nanoseconds of the input's clock. */
    uint64_t start_ns;
    /* By track: where its rows begin in `rows`, and its events in `events`, which has
     * their numbers; each with one more at the end. */
    size_t *first_rows;
    struct firefox_rows rows;
    size_t *first_events;
    uint32_t *events;
    /* By the numbers of the events' strings: the argument is a field of markers. */
    bool *is_field;
};

/* ---- firefox_times.c --------------------------------------------------------------- */

/* A time of the input's clock, in milliseconds since the profile's start. */
void firefox_add_time(struct firefox *firefox, uint64_t time_ns);

/* A duration in milliseconds, with all of its digits. */
void firefox_add_ms(struct text *text, uint64_t ns);

/* Fills in `start_ns`, and all that is by track. */
void firefox_sort_by_track(struct firefox *firefox);

/* ---- firefox_shared.c -------------------------------------------------------------- */

/* The list "libs", and the object "shared". */
void firefox_write_libraries(struct firefox *firefox);
void firefox_write_shared(struct firefox *firefox);

/* ---- firefox_threads.c ------------------------------------------------------------- */

/* The list "threads". */
void firefox_write_threads(struct firefox *firefox);

/* ---- firefox_markers.c ------------------------------------------------------------- */

/* The list "markerSchema". */
void firefox_write_schema(struct firefox *firefox);

/* The object "markers" of a track's thread. */
void firefox_write_markers(struct firefox *firefox, uint32_t track);

/* ---- firefox_counters.c ------------------------------------------------------------ */

/* The list "counters". */
void firefox_write_counters(struct firefox *firefox);

#endif
