/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of a trace, one by one: spans, asynchronous operations, flows, counters,
 * instants, log messages, and when threads ran and did not run. fxt/profile.h describes
 * errors, memory and threads, for all of libfxtprofile, and fxt/profile_walk.h indices.
 *
 * A profile has them if it was built with options.keep_events, or for a format that is a
 * timeline (fxt_profile_n_events).
 *
 * Events are in the order of time_ns; of those that begin together the one that ends last
 * comes first, so that an event comes after all that it is nested in. Begins and ends are
 * matched as fxt2perfetto, fxt2firefox, fxt2chrome and fxtreport show them:
 *
 * - A duration's end ends the innermost duration of its thread that has begun and has not
 *   ended, in the order of time and, at one time, in that of the input. Threads of
 *   different inputs are different threads.
 * - An asynchronous end ends the innermost operation of its process, id and name.
 * - Ends without a begin, and complete events that end before they begin, are left out. A
 *   duration without an end lasts until the last event of a duration of its thread, and
 *   an operation until the last begin or end of its process, id and name; both have
 *   is_unfinished set.
 */
#ifndef FXT_PROFILE_EVENTS_H
#define FXT_PROFILE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/common.h>
#include <fxt/profile_walk.h>
#include <fxt/types.h>

FXT_BEGIN_DECLS

enum fxt_profile_event_kind {
    /* A duration of a thread: a complete event, or a begin with its end, whose arguments
     * follow those of the begin. */
    FXT_PROFILE_EVENT_SPAN = 0,
    /* An asynchronous operation: a begin with its end. */
    FXT_PROFILE_EVENT_ASYNC = 1,
    FXT_PROFILE_EVENT_ASYNC_INSTANT = 2,
    FXT_PROFILE_EVENT_INSTANT = 3,
    /* Each argument that is a number is the value of a series, which is named by the
     * event's name, its id and the argument's name. */
    FXT_PROFILE_EVENT_COUNTER = 4,
    /* The events of a flow have one id, name and category. Each belongs to the innermost
     * span of its thread at its time. */
    FXT_PROFILE_EVENT_FLOW_BEGIN = 5,
    FXT_PROFILE_EVENT_FLOW_STEP = 6,
    FXT_PROFILE_EVENT_FLOW_END = 7,
    /* The name is the message. */
    FXT_PROFILE_EVENT_LOG = 8,
    /* From scheduling records: the thread did not run. The name is "blocked" or
     * "suspended", from when it stopped running until it was woken, or "runnable", from
     * then until it ran. The arguments are "cpu", which it ran on last, and "woken by",
     * the thread of the same boot that woke it, where that is known. In all other time
     * from the first to the last of these events of a thread, it ran. */
    FXT_PROFILE_EVENT_OFF_CPU = 9,
    /* A sampler had no room for records: arguments "cpu", "records" and "bytes". */
    FXT_PROFILE_EVENT_DROPS = 10
};

struct fxt_profile_event {
    enum fxt_profile_event_kind kind;
    /* The index of its thread, for fxt_profile_get_event_thread. */
    uint32_t thread;
    /* In nanoseconds of the input's clock. The end is that of spans, operations, times
     * off CPU and drops; of others it is the same as time_ns. */
    uint64_t time_ns;
    uint64_t end_ns;
    /* Of operations, their instants, flows and counters; else 0. */
    uint64_t id;
    /* A span without a name has its category as its name. Names, categories and strings
     * of arguments that are equal have the same `data` and `size`, so that comparing
     * these is enough. */
    struct fxt_string name;
    struct fxt_string category;
    uint32_t n_args;
    /* No end was recorded. */
    bool is_unfinished;
    /* The thread on which an asynchronous operation ended, if the profile was built with
     * options.keep_events; else the same as `thread`. */
    uint32_t end_thread;
    /* Of an event of a flow, the number of the flow in this profile, if it was built with
     * options.keep_events; else FXT_PROFILE_NONE. */
    uint32_t flow;
};

/* FXT_E_INVALID if `i` is too large. */
FXT_API enum fxt_code fxt_profile_get_event(const struct fxt_profile *profile, size_t i,
                                            struct fxt_profile_event *event);

/* Where a span is among the others of its thread. Spans need not be nested within each
 * other: one that begins in another one may end after it. */
struct fxt_profile_nesting {
    /* The index of the innermost span that was open when this one began, or
     * FXT_PROFILE_NONE; and how many there are from that one outward, each the parent of
     * the one before. */
    uint32_t parent;
    uint32_t depth;
    /* For how long this was the innermost span, which is the one that began last among
     * those that have not ended. */
    uint64_t self_ns;
};

/* FXT_E_INVALID if `i` is not the index of a span, or the profile was built without
 * options.keep_events. */
FXT_API enum fxt_code fxt_profile_get_nesting(const struct fxt_profile *profile, size_t i,
                                              struct fxt_profile_nesting *nesting);

/* An argument of an event. */
struct fxt_profile_event_arg {
    struct fxt_string name;
    /* enum fxt_arg_type, or a number that this version does not know. */
    uint32_t type;
    /* Integers, sign-extended to 64 bits; the bits of a double; 0 or 1; a pointer or a
     * koid. Else 0. */
    uint64_t number;
    /* A string, or the bytes of a blob. Else empty. */
    struct fxt_string string;
};

/* Argument `arg` of event `i`; FXT_E_INVALID if one of them is too large. */
FXT_API enum fxt_code fxt_profile_get_event_arg(const struct fxt_profile *profile,
                                                size_t i, uint32_t arg,
                                                struct fxt_profile_event_arg *to);

/* Numbers are 0 and names empty where they are not known. Threads of different inputs
 * have different indices, even if their numbers are equal; those of different boots (from
 * 0) are different threads. */
struct fxt_profile_event_thread {
    uint64_t process;
    uint64_t thread;
    struct fxt_string process_name;
    struct fxt_string thread_name;
    uint32_t boot;
};

FXT_API size_t fxt_profile_n_event_threads(const struct fxt_profile *profile);
FXT_API enum fxt_code fxt_profile_get_event_thread(
    const struct fxt_profile *profile, size_t i, struct fxt_profile_event_thread *thread);

/* What a CPU ran for some time, by scheduling records. */
struct fxt_profile_run {
    uint64_t from_ns;
    uint64_t to_ns;
    uint32_t cpu;
    /* The index of the thread, for fxt_profile_get_event_thread; FXT_PROFILE_NONE if the
     * CPU was idle, and if what it ran was not recorded. */
    uint32_t thread;
    bool is_idle;
};

/* In any order; only with options.keep_events. FXT_E_INVALID if `i` is too large. */
FXT_API size_t fxt_profile_n_runs(const struct fxt_profile *profile);
FXT_API enum fxt_code fxt_profile_get_run(const struct fxt_profile *profile, size_t i,
                                          struct fxt_profile_run *run);

/* One time by the input's clock, `*clock_ns`, and by the wall clock, `*wall_ns` since the
 * Unix epoch, of all inputs together. Returns false, and stores zeros, if no input states
 * a wall clock. */
FXT_API bool fxt_profile_wall_clock(const struct fxt_profile *profile, uint64_t *clock_ns,
                                    uint64_t *wall_ns);

/* When a sample was taken: a sample of the profile, by its index, is as many moments as
 * its first value says. */
struct fxt_profile_moment {
    uint64_t time_ns;
    uint32_t sample;
};

/* The moments of all samples in the order of time, of a profile that has events; else
 * there are none. */
FXT_API size_t fxt_profile_n_moments(const struct fxt_profile *profile);
FXT_API enum fxt_code fxt_profile_get_moment(const struct fxt_profile *profile, size_t i,
                                             struct fxt_profile_moment *moment);

FXT_END_DECLS

#endif
