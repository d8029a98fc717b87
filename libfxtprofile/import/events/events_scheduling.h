/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scheduling in a timeline: as events, and by CPU for formats that show it so (see
 * libfxtprofile/profile/timeline.h).
 */
#ifndef FXTPROFILE_IMPORT_EVENTS_EVENTS_SCHEDULING_H
#define FXTPROFILE_IMPORT_EVENTS_EVENTS_SCHEDULING_H

#include "event_list.h"

/* After the last record: adds what the records say. */
void events_finish_scheduling(struct events *events);

#endif
