/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes the records of an input, and writes those that are kept. */
#ifndef FXTCUT_CUTTER_H
#define FXTCUT_CUTTER_H

#include <stdbool.h>

#include <fxt/reader.h>

#include "choice.h"
#include "parts.h"
#include "thin.h"
#include "tracks.h"
#include "windows.h"

/* What is kept, of one input. The caller sets `choice`, `windows`, `thin.every` and
 * `parts`; all else is zero. */
struct trace_cutter {
    struct choice *choice;
    /* Without a window all times are kept. */
    const struct time_windows *windows;
    struct thin thin;
    struct output_parts parts;

    struct event_tracks tracks;
    bool has_begun;
    /* Ends follow their begins. */
    bool has_tracks;
    /* Nothing is left out. */
    bool keeps_all;
};

/* Takes the next record of a reader, whose callback this is called from. Returns non-zero
 * if there is no point in more. */
int cutter_take(struct trace_cutter *cutter, const struct fxt_reader *reader,
                const struct fxt_record *record);

/* Called when the memory of the records so far is about to change. */
void cutter_release(struct trace_cutter *cutter);

/* At the end of the input. */
void cutter_finish(struct trace_cutter *cutter, const struct fxt_reader *reader);

void cutter_free(struct trace_cutter *cutter);

#endif
