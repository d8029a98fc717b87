/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What scheduling records say, in one form for all kinds of them.
 *
 * The idle thread of a CPU is a thread whose koid is 0, or whose weight is the lowest
 * int32 (as in Zircon's records), or in a legacy record one of process 0 with priority 0.
 */
#ifndef SCHEDULING_SCHED_EVENT_H
#define SCHEDULING_SCHED_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/format.h>
#include <fxt/record.h>

enum sched_event_kind {
    SCHED_SWITCH,
    SCHED_WAKEUP,
    /* From here on records of the CPU were dropped. */
    SCHED_DROPS,
    /* A thread does not run, and has not since some time before. */
    SCHED_WAITING
};

/* The highest CPU of any record. */
enum { SCHED_CPU_MAX = 0xffff };

/* Flags of context switches. */
enum { SCHED_OUTGOING_IDLE = 1, SCHED_INCOMING_IDLE = 2 };

struct sched_event {
    uint64_t time_ns;
    /* Its place in the input. */
    uint64_t order;
    /* The outgoing thread, or that which is woken. */
    uint64_t thread;
    /* The incoming thread; or that which woke the other one, 0 where it is not known or
     * there is none, as in an interrupt. */
    uint64_t other;
    /* Of a thread that waits: when it was woken, not after `time_ns`; 0 if it was not. */
    uint64_t woken_ns;
    uint32_t cpu;
    uint8_t kind;
    /* The outgoing thread's, or that of a thread that waits: enum fxt_thread_state, or a
     * number that is not known. */
    uint8_t state;
    uint8_t flags;
};

enum sched_event_result {
    /* The record is not about scheduling. */
    SCHED_EVENT_NONE,
    SCHED_EVENT_TAKEN,
    /* It is, but its kind is not known, a thread was never registered, or its time passes
     * 2^64-1 nanoseconds. */
    SCHED_EVENT_UNUSABLE
};

/* Fills in `*event`, but for its order, from a scheduling record, a report of dropped
 * records, or a record of a thread that waits. A wakeup of an idle thread is not about
 * scheduling. */
enum sched_event_result sched_event_from_record(const struct fxt_record *record,
                                                struct sched_event *event);

/* Whether an event may be a report of dropped records; most are of other kinds. */
static inline bool sched_event_may_be_drops(const struct fxt_record *record)
{
    return record->kind == FXT_EVENT_DURATION_COMPLETE && record->n_args > 0;
}

/* Whether an archive begins, which may follow another one in a file. */
static inline bool sched_event_is_magic(const struct fxt_record *record)
{
    return record->type == FXT_RECORD_METADATA && !record->unknown &&
           record->kind == FXT_METADATA_TRACE_INFO;
}

/* Whether records are missing, as a provider's buffer was full. */
static inline bool sched_event_is_buffer_full(const struct fxt_record *record)
{
    return record->type == FXT_RECORD_METADATA && !record->unknown &&
           record->kind == FXT_METADATA_PROVIDER_EVENT &&
           record->metadata.event == FXT_PROVIDER_BUFFER_FULL;
}

/* Whether the record is of a thread that waits, with the stack that it had when it was
 * switched out: a large blob, as docs/scheduling.md has it. */
bool sched_event_is_waiting(const struct fxt_record *record);

#endif
