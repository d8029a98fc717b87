/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of a trace while they are taken: see events.h. */
#ifndef FXTPROFILE_IMPORT_EVENTS_EVENT_LIST_H
#define FXTPROFILE_IMPORT_EVENTS_EVENT_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "common/base/text.h"
#include "common/spans/span_keys.h"
#include "libfxtprofile/profile/koid_names.h"
#include "libfxtprofile/profile/timeline.h"
#include "off_cpu.h"

/* Kinds of events after those of enum profile_event_kind, until they are matched. */
enum unmatched_kind {
    UNMATCHED_BEGIN = PROFILE_EVENT_DROPS + 1,
    UNMATCHED_END,
    UNMATCHED_ASYNC_BEGIN,
    UNMATCHED_ASYNC_END
};

struct events {
    /* Scheduling is kept by CPU, too: see libfxtprofile/profile/timeline.h. */
    bool keeps_scheduling;
    /* Those so far; begins and ends have kinds of enum unmatched_kind. */
    struct profile_events list;
    size_t capacity;
    size_t arg_capacity;
    size_t run_capacity;
    size_t wait_capacity;
    /* By the places of asynchronous begins in the input, the threads of their ends,
     * PROFILE_NO_EVENT for none; NULL if there are no ends. */
    uint32_t *end_threads;
    struct span_tally tally;
    /* By their number in the list: the threads, of which those of different streams are
     * different. */
    struct span_thread_set threads;
    size_t list_thread_capacity;
    uint32_t stream;
    struct sched_traces off_cpu;
    /* The processes of threads, as scheduling records have them. */
    struct koid_names processes;
    struct text name;
};

/* ---- events.c ---------------------------------------------------------------------- */

/* The number of a thread, which is added if it is new. */
uint32_t events_find_thread(struct events *events, const struct fxt_thread *thread);

uint32_t events_add_text(struct events *events, const char *string);

/* Adds an argument of the event that is added next; that has its number of arguments. */
void events_add_number(struct events *events, const char *name, uint64_t number);

void events_add(struct events *events, struct profile_event event);

/* Gives begins the times and the arguments of their ends, drops the ends, and sorts the
 * events by their times. */
void events_match(struct events *events);

/* After the last record: adds what the records of scheduling say. */
void events_finish_scheduling(struct events *events);

#endif
