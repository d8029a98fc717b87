/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that belong together, of which a cut has all or none: begins and ends of spans,
 * asynchronous operations and flows. Those that a window of time cuts are closed at its
 * edge.
 *
 * They are matched in the order of the input, of spans the innermost that is open.
 */
#ifndef FXTCUT_TRACKS_H
#define FXTCUT_TRACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "choice.h"
#include "common/base/string_table.h"
#include "common/base/table.h"
#include "common/spans/span_keys.h"
#include "held.h"
#include "parts.h"
#include "windows.h"

/* Something that has begun and not ended. */
struct track_opening {
    /* Its begin, or of a flow its latest event; where it can no longer be needed, nothing
     * is held. */
    struct held event;
    bool is_chosen;
    /* The output has a begin of it, and no end; in which window. */
    bool is_written;
    size_t written_window;
    /* The first window that it can be in. */
    size_t first_window;
};

/* What can be in each other: the spans of a thread, or operations of one id. */
struct event_track {
    struct track_opening *openings;
    size_t n;
    /* How many there is room for, each with the memory of those before it. */
    size_t capacity;
    /* The first window that has not passed. */
    size_t window;
};

/* The operations or flows of an id, which are forgotten when they have ended. */
struct id_track {
    struct async_group group;
    struct event_track track;
};

struct id_tracks {
    struct id_track *tracks;
    size_t n;
    size_t capacity;
    struct table table;
    /* How many of them have nothing open. */
    size_t n_idle;
};

struct event_tracks {
    struct output_parts *parts;
    const struct choice *choice;
    const struct time_windows *windows;
    struct string_table names;
    struct text name;
    /* An event that is changed at once. */
    struct held event;
    struct span_thread_set threads;
    struct event_track *of_threads;
    size_t n_of_threads;
    size_t thread_capacity;
    struct id_tracks asyncs;
    struct id_tracks flows;
};

/* An event, and what is known of it. */
struct track_event {
    struct trace_source *source;
    const struct fxt_record *record;
    struct place place;
    /* It is one of those asked for, whatever its time. */
    bool is_chosen;
};

/* Writes the event if it is in a window, and what its track lacks there. */
void tracks_take(struct event_tracks *tracks, const struct track_event *event);

/* Writes a complete duration that is chosen, and some of which is in a window: all of it,
 * or the parts that are in windows. */
void tracks_take_complete(struct event_tracks *tracks, const struct track_event *event);

/* At the end of the input, of which `last_ns` is the latest time: closes what is open
 * where windows ended before it. */
void tracks_finish(struct event_tracks *tracks, uint64_t last_ns);

void tracks_free(struct event_tracks *tracks);

#endif
