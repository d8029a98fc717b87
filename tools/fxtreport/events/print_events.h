/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of a recording as text and as JSON. */
#ifndef FXTREPORT_EVENTS_PRINT_EVENTS_H
#define FXTREPORT_EVENTS_PRINT_EVENTS_H

#include "common/base/text.h"
#include "tools/fxtreport/view.h"

/* How many of what there are: "18,000 spans of 7 names, 3,000 flows"; nothing where there
 * are none. */
void print_event_counts(const struct fxt_profile *profile, struct text *line);

/* The sections that the view has, after an empty line each. */
void print_events(const struct view *view, struct text *text);

/* The two that are not by name alone, with so many rows. */
void print_counters(const struct view *view, size_t shown, struct text *text);
void print_thread_times(const struct view *view, size_t shown, struct text *text);

/* The spans of two recordings, compared. */
void print_event_diff(const struct view *view, struct text *text);

/* The members of the report's object. */
void print_events_json(const struct view *view, struct text *text);
void print_event_diff_json(const struct view *view, struct text *text);

#endif
