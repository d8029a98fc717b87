/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The values of a profile whose samples are of several events, such as page faults and
 * CPU time: each event has a separate value, which is 0 in the samples of the others.
 * While a profile is built, its samples are only counted, and their labels have the event
 * and the weight.
 */
#ifndef FXTPROFILE_PROFILE_VALUES_EVENT_VALUES_H
#define FXTPROFILE_PROFILE_VALUES_EVENT_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "libfxtprofile/profile/profile_builder.h"

/* An event. What its samples stand for is multiplied by `counted` and divided by
 * `sampled`, unless that is 0. */
struct event_value {
    struct profile_type type;
    uint64_t counted;
    uint64_t sampled;
};

struct event_values {
    /* By the numbers in labels from 1 on; at most PROFILE_EVENTS_MAX. The types' names
     * are copied. */
    const struct event_value *events;
    size_t n_events;
    /* The time that a sample of no event stands for; 0 where it is not known. */
    uint64_t period_ns;
};

/* In a profile of wall-clock time, the event of a sample that stands for the period, and
 * of one that must not count: another clock has measured the same time. */
enum {
    EVENT_OF_PERIOD = PROFILE_EVENTS_MAX + 1,
    EVENT_OF_NO_TIME = PROFILE_EVENTS_MAX + 2
};

/* Gives the samples these values, after their number; the first event is the default.
 * After profile_builder_sort, in a profile that only counts samples. Returns how many
 * samples are of no event. */
uint64_t event_values_set(struct profile_builder *builder,
                          const struct event_values *values);

/* The same for a profile of wall-clock time, whose samples have a number and a time:
 * gives those of an event the time for which they stand. Drops those of events that are
 * no time, or without a period, and returns their number. */
uint64_t event_values_set_times(struct profile_builder *builder,
                                const struct event_values *values);

#endif
