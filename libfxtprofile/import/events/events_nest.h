/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which span each span of a timeline is nested in, and for how long it was the innermost
 * one of its thread. The innermost is the one that began last, as in spans.h.
 */
#ifndef FXTPROFILE_IMPORT_EVENTS_EVENTS_NEST_H
#define FXTPROFILE_IMPORT_EVENTS_EVENTS_NEST_H

#include "libfxtprofile/profile/timeline.h"

/* The events are in the order of time. `end_threads` is that of struct events, for
 * asynchronous operations. */
void events_nest(struct profile_events *events, const uint32_t *end_threads);

#endif
