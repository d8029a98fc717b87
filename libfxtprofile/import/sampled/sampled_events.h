/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was sampled, by instant events in category `fxtrecord`: `sampled_event`, which
 * precede the samples of a recording, and `sampled_event_end`, which follow them
 * (docs/sampled-events.md).
 */
#ifndef FXTPROFILE_IMPORT_SAMPLED_SAMPLED_EVENTS_H
#define FXTPROFILE_IMPORT_SAMPLED_SAMPLED_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>
#include <fxt/sample.h>

#include "libfxtprofile/profile/profile.h"

/* A longer name is cut. */
enum { SAMPLED_NAME_MAX = 63 };

struct sampled_count {
    /* How many events there were, and how many all samples of them stand for, whether
     * they are in the profile or not. */
    uint64_t counted;
    uint64_t sampled;
    /* Samples that were lost. */
    uint64_t lost;
};

struct sampled_event {
    char name[SAMPLED_NAME_MAX + 1];
    const char *unit;
    /* Of the recording that was read last, up to now, and of all before it. */
    struct sampled_count last;
    struct sampled_count before;
};

/* An event of the recording whose records come now: its number among all, plus one, 0 if
 * it was not declared; and how many each sample stands for that does not say. */
struct sampled_number {
    uint32_t event;
    uint64_t period;
};

/* All zero is none. */
struct sampled_events {
    /* Of all recordings: different names or units. */
    struct sampled_event all[PROFILE_EVENTS_MAX];
    uint32_t n;
    struct sampled_number present[PROFILE_EVENTS_MAX];
    bool has_present;
    /* The first of them that is a clock, as `event` above; 0 if there is none. */
    uint32_t clock;
    /* When the recording started. One may be in several archives, each of which has the
     * counts up to its end. */
    uint64_t start_ns;
    /* Declarations that were not understood, or not kept since there are too many. */
    uint64_t n_refused;
};

/* Another stream begins. */
void sampled_events_start_stream(struct sampled_events *events);

/* Takes an event record, if it is one that this is about. */
void sampled_events_take(struct sampled_events *events, const struct fxt_record *record);

/* What is known of an event, in all recordings. */
struct sampled_count sampled_events_count(const struct sampled_event *event);

/* Sets the event and weight of a sample. Returns false if its event was not declared. */
bool sampled_events_label(const struct sampled_events *events,
                          const struct fxt_sample *sample, struct profile_labels *labels);

#endif
