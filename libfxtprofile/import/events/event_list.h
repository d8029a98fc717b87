/* SPDX-License-Identifier: BSD-2-Clause */
/* The events of a trace while they are taken: see events.h. */
#ifndef FXTPROFILE_IMPORT_EVENTS_EVENT_LIST_H
#define FXTPROFILE_IMPORT_EVENTS_EVENT_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/table.h"
#include "common/base/text.h"
#include "libfxtprofile/import/span.h"
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
    /* Those so far; begins and ends have kinds of enum unmatched_kind. */
    struct profile_events list;
    size_t capacity;
    size_t arg_capacity;
    struct span_tally tally;
    /* By their number in the list: the threads, of which those of different streams are
     * different. */
    struct span_thread *threads;
    size_t thread_capacity;
    size_t list_thread_capacity;
    struct table thread_table;
    uint32_t stream;
    struct off_cpu off_cpu;
    /* The processes of threads, as scheduling records have them. */
    struct koid_names processes;
    struct text name;
};

#endif
