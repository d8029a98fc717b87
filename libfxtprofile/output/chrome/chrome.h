/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of writing a profile as a trace in Chrome's JSON, in the form of an object.
 *
 * Readers take numbers for doubles. Times are microseconds with three decimals, which
 * count from the first sample or event, so that they keep their nanoseconds for 26 days;
 * ids, and arguments that a double would round, are strings.
 */
#ifndef FXTPROFILE_OUTPUT_CHROME_H
#define FXTPROFILE_OUTPUT_CHROME_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/table.h"
#include "libfxtprofile/output/json_list.h"
#include "libfxtprofile/output/timeline/open_slices.h"
#include "libfxtprofile/output/outputs.h"
#include "libfxtprofile/output/timeline/timeline_rows.h"
#include "libfxtprofile/output/tracks.h"
#include "libfxtprofile/profile/profile.h"

/* Slices that are on no thread's track: readers group and nest them by their category and
 * by an id, which is the lane's number and 1. */
struct chrome_lane {
    /* The lane's kind and track, and the id and the category of its events. */
    uint64_t parent;
    uint64_t id;
    uint32_t category;
    /* The innermost of its open slices. */
    uint32_t top;
};

struct chrome {
    const struct profile *profile;
    const struct output_settings *settings;
    struct json_list json;
    struct tracks tracks;
    /* What time 0 is, in nanoseconds of the input's clock. */
    uint64_t start_ns;
    /* The innermost open slice of each track, and all open slices. */
    uint32_t *tops;
    struct open_slices slices;
    struct chrome_lane *lanes;
    size_t n_lanes;
    size_t lane_capacity;
    struct table lane_table;
    /* The keys of an event's arguments that were written, and a name or value. */
    struct text keys;
    struct text value;
};

/* ---- chrome.c ---------------------------------------------------------------------- */

/* A time of the input's clock, and a duration, in microseconds. */
void chrome_add_time(struct chrome *chrome, uint64_t time_ns);
void chrome_add_us(struct text *text, uint64_t ns);

/* ---- chrome_events.c --------------------------------------------------------------- */

/* Writes all events to the list "traceEvents". */
void chrome_write_events(struct chrome *chrome);

/* ---- chrome_args.c ----------------------------------------------------------------- */

/* The member "args" of an event; `has_id` adds the id of an asynchronous event. */
void chrome_write_args(struct chrome *chrome, const struct profile_event *event,
                       bool has_id);

/* The same of a counter: the numbers that a graph can have. */
void chrome_write_values(struct chrome *chrome, const struct profile_event *event);

/* ---- chrome_samples.c -------------------------------------------------------------- */

/* The members "stackFrames" and "samples", unless there are no samples. */
void chrome_write_samples(struct chrome *chrome);

#endif
