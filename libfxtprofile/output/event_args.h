/* SPDX-License-Identifier: BSD-2-Clause */
/* The arguments of events as text. */
#ifndef FXTPROFILE_OUTPUT_EVENT_ARGS_H
#define FXTPROFILE_OUTPUT_EVENT_ARGS_H

#include <stdbool.h>

#include "libfxtprofile/profile/profile.h"

/* Adds the value: a number, "true", "null", the bytes of a string as they are, and those
 * of a blob in hex. */
void event_arg_add_value(const struct profile_events *events,
                         const struct profile_arg *arg, struct text *text);

/* Whether the value is a number that a graph can have. */
bool event_arg_is_number(const struct profile_arg *arg);

/* Whether an argument of a counter's event is one. */
bool event_args_have_number(const struct profile_events *events,
                            const struct profile_event *event);

#endif
