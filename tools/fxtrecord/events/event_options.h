/* SPDX-License-Identifier: BSD-2-Clause */
/* --event: what is sampled. */
#ifndef FXTRECORD_EVENT_OPTIONS_H
#define FXTRECORD_EVENT_OPTIONS_H

#include "tools/fxtrecord/record_options.h"

/* Adds the events of a list, whose names are separated by commas. Ends the program where
 * one of them is unknown. */
void event_options_take(struct record_options *options, const char *list);

/* Once all options are known: makes the list what the session is to be configured with,
 * and ends the program where something excludes it. */
void event_options_settle(struct record_options *options);

/* Leaves no events. */
void event_options_free(struct record_options *options);

#endif
