/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of a trace, for timelines: see libfxtprofile/profile/timeline.h. Begins and
 * ends are matched as spans.h has it, or by the id of an asynchronous event within its
 * process, innermost first.
 */
#ifndef FXTPROFILE_IMPORT_EVENTS_EVENTS_H
#define FXTPROFILE_IMPORT_EVENTS_EVENTS_H

#include <stdbool.h>

#include <fxt/record.h>
#include <fxt/sample.h>

#include "event_list.h"
#include "libfxtprofile/profile/timeline.h"

/* Another stream begins. */
void events_start_stream(struct events *events, bool is_archive);

/* Takes a record, if it is of an event. */
void events_take(struct events *events, const struct fxt_record *record);

/* The same of what a sampler dropped, which the caller has recognised. */
void events_take_drops(struct events *events, const struct fxt_record *record,
                       const struct fxt_sample *drops);

/* After the last event: matches begins and ends, and moves all events to `to`, in the
 * order of time. */
void events_finish(struct events *events, struct profile_events *to);

void events_free(struct events *events);

/* Finds which span each span of a timeline is nested in, and for how long it was the
 * innermost one of its thread: that which began last, as in spans.h. The events are in
 * the order of time. `end_threads` is that of struct events, for asynchronous operations.
 */
void events_nest(struct profile_events *events, const uint32_t *end_threads);

#endif
