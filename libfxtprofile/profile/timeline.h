/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a profile has beside its samples if it is for a timeline: when each sample was
 * taken, and the events of the recording. Both are in the order of time.
 *
 * Samples that are equal but for their time are one sample of the profile, as in any
 * other profile, so that a sample that was taken once more costs the 16 bytes of a
 * moment, which is kept from when the sample is read (moments.h). Events are kept in
 * memory, in at most three times the size that they have in the input.
 *
 * Times are nanoseconds of the input's clock; of captures (see import.h), the number of
 * the capture.
 */
#ifndef FXTPROFILE_PROFILE_TIMELINE_H
#define FXTPROFILE_PROFILE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/string_table.h"

/* A sample, by its number in the profile, was taken at a time. Of each sample there are
 * as many moments as its first value says. */
struct profile_moment {
    uint64_t time_ns;
    uint32_t sample;
};

enum profile_event_kind {
    /* From `time_ns` to `end_ns`, nested within a thread: a complete event, or a begin
     * with the end that matches it. */
    PROFILE_EVENT_SPAN,
    /* The same without nesting: an asynchronous begin with its end; `id` is the event's.
     */
    PROFILE_EVENT_ASYNC,
    PROFILE_EVENT_ASYNC_INSTANT,
    PROFILE_EVENT_INSTANT,
    /* Each argument that is a number is the value of a counter, named by the event's
     * name, its id and the argument's name. */
    PROFILE_EVENT_COUNTER,
    /* Events of one flow have one id, name and category. */
    PROFILE_EVENT_FLOW_BEGIN,
    PROFILE_EVENT_FLOW_STEP,
    PROFILE_EVENT_FLOW_END,
    /* The message is the name. */
    PROFILE_EVENT_LOG,
    /* The thread did not run, from `time_ns` to `end_ns`; the name says why. */
    PROFILE_EVENT_OFF_CPU,
    /* A sampler had no room for records, from `time_ns` to `end_ns`. */
    PROFILE_EVENT_DROPS
};

struct profile_event {
    uint64_t time_ns;
    /* At least `time_ns`. */
    uint64_t end_ns;
    uint64_t id;
    /* Numbers in `threads` and twice in `strings`. */
    uint32_t thread;
    uint32_t name;
    uint32_t category;
    /* Its place in the input, among all events. */
    uint32_t order;
    /* args[first_arg] and so on. */
    uint32_t first_arg;
    uint8_t n_args;
    /* enum profile_event_kind */
    uint8_t kind;
    /* It has no end in the input. */
    bool is_unfinished;
};

#define PROFILE_NO_EVENT UINT32_MAX

static inline bool profile_event_is_of_flow(const struct profile_event *event)
{
    return event->kind == PROFILE_EVENT_FLOW_BEGIN ||
           event->kind == PROFILE_EVENT_FLOW_STEP ||
           event->kind == PROFILE_EVENT_FLOW_END;
}

/* Where a span is among the others of its thread. */
struct profile_nesting {
    /* For how long it was the innermost span. */
    uint64_t self_ns;
    /* The innermost span that was open when it began; PROFILE_NO_EVENT for none. Its
     * number is lower. */
    uint32_t parent;
    union {
        uint32_t depth;
        /* Of an asynchronous operation, which has only this: the thread of its end. */
        uint32_t end_thread;
        /* Of an event of a flow, which has only this: the number of the flow. */
        uint32_t flow;
    };
};

struct profile_arg {
    /* A number in `strings`. */
    uint32_t name;
    /* enum fxt_arg_type. */
    uint32_t type;
    /* Sign-extended; the bits of a double; a number in `strings` of a string, and of the
     * bytes of a blob; 0 for a type without a value, and for one that is not known. */
    uint64_t value;
};

/* Where an event belongs; 0 for what is not known. Several may be the same. */
struct profile_event_thread {
    uint64_t process;
    uint64_t thread;
};

/* ---- Scheduling -------------------------------------------------------------------- */

/*
 * What CPUs ran, and why threads did not, for timelines that show that by CPU. They do
 * not show events of kind PROFILE_EVENT_OFF_CPU, which say less. Threads are numbers in
 * the `threads` of the events.
 */

#define PROFILE_NO_THREAD UINT32_MAX

enum profile_run_kind {
    PROFILE_RUN_BUSY,
    /* Also while it runs threads that are of no interest. */
    PROFILE_RUN_IDLE,
    /* What it ran was not recorded. */
    PROFILE_RUN_UNKNOWN
};

/* Whether a thread that does not run could, what it waits for, or that it has exited. */
enum profile_run_state {
    PROFILE_STATE_RUNNABLE,
    PROFILE_STATE_BLOCKED,
    PROFILE_STATE_SUSPENDED,
    PROFILE_STATE_EXITED,
    PROFILE_STATE_UNKNOWN,
    /* It runs when the trace ends. */
    PROFILE_STATE_GOES_ON
};

/* For some time a CPU ran one thread, or none. */
struct profile_run {
    uint64_t from_ns;
    uint64_t to_ns;
    /* PROFILE_NO_THREAD unless it was busy. */
    uint32_t thread;
    uint32_t cpu;
    /* enum profile_run_kind, and enum profile_run_state: how the thread was left. */
    uint8_t kind;
    uint8_t state;
};

/* For some time a thread did not run. */
struct profile_wait {
    uint64_t from_ns;
    uint64_t to_ns;
    /* When it was woken, and by which thread: PROFILE_NO_THREAD for an interrupt, and for
     * one that is not known. */
    uint64_t woken_ns;
    uint32_t waker;
    uint32_t thread;
    /* That which it ran on. */
    uint32_t cpu;
    /* enum profile_run_state. */
    uint8_t state;
    bool is_woken;
    /* It begins when the thread was woken, before which nothing is known of it. */
    bool is_start;
    /* It begins where a run of the thread ends, which has its state, too. */
    bool follows_run;
};

/* All zero is nothing. Runs and waits are in any order. */
struct profile_scheduling {
    struct profile_run *runs;
    size_t n_runs;
    struct profile_wait *waits;
    size_t n_waits;
};

/* ---- All --------------------------------------------------------------------------- */

/* All zero has no events. */
struct profile_events {
    struct profile_event *events;
    size_t n;
    /* Of each event, if it is a span, an operation or of a flow; NULL unless asked for.
     */
    struct profile_nesting *nesting;
    struct profile_arg *args;
    size_t n_args;
    struct profile_event_thread *threads;
    size_t n_threads;
    struct string_table strings;
    struct profile_scheduling scheduling;
};

#endif
