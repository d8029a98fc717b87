/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of a profile, of some kinds: for events.c, args.c and sched.c. */
#ifndef TOOLS_TABLES_EVENTS_H
#define TOOLS_TABLES_EVENTS_H

#include <stdbool.h>

#include "producer.h"

#define EVENTS_OF(kind) (1U << FXT_PROFILE_EVENT_##kind)

struct event_walk {
    /* Of which kinds: a sum of EVENTS_OF. */
    unsigned kinds;
    size_t next;
    /* The present one, and its index. */
    size_t index;
    struct fxt_profile_event event;
};

/* Goes to the next event of these kinds; returns false if there is none, and once a row
 * could not be given. */
bool events_next(struct event_walk *walk, const struct producer *producer);

/* Whether an argument of a counter is a value of it. */
bool event_arg_is_value(const struct fxt_profile_event_arg *arg, double *value);

#endif
