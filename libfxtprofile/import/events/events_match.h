/* SPDX-License-Identifier: BSD-2-Clause */
/* Matching the begins and ends of events: see events.h. */
#ifndef FXTPROFILE_IMPORT_EVENTS_EVENTS_MATCH_H
#define FXTPROFILE_IMPORT_EVENTS_EVENTS_MATCH_H

#include "event_list.h"

/* Gives begins the times and the arguments of their ends, drops the ends, and sorts the
 * events by their times. */
void events_match(struct events *events);

#endif
