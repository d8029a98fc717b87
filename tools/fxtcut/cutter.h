/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes the records of an input, and writes those that are kept. */
#ifndef FXTCUT_CUTTER_H
#define FXTCUT_CUTTER_H

#include <stdbool.h>

#include <fxt/reader.h>

#include "choice.h"
#include "parts.h"
#include "reading.h"
#include "thin.h"
#include "tracks.h"
#include "windows.h"

/* What is kept, of one input. The caller sets `taker`, `choice`, `windows`, `thin.every`
 * and `parts`; all else is zero. */
struct trace_cutter {
    struct taker taker;
    struct choice *choice;
    /* Without a window all times are kept. */
    const struct time_windows *windows;
    struct thin thin;
    struct output_parts parts;

    struct event_tracks tracks;
    bool has_begun;
    /* Ends follow their begins. Else most records can be left out at once. */
    bool has_tracks;
    bool may_skip;
    /* Nothing is left out. */
    bool keeps_all;
};

/* The functions of its taker, which is their context. Takes the next record, and returns
 * non-zero if there is no point in more. */
int cutter_take(void *context, const struct fxt_record *record);

/* When the memory of the records so far is about to change. */
void cutter_release(void *context);

/* At the end of the input. */
void cutter_finish(void *context);

void cutter_free(struct trace_cutter *cutter);

#endif
