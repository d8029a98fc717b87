/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of a trace added up: spans, asynchronous operations, flows and instants by
 * name, counters, and what threads did. fxt/profile.h describes errors, memory and
 * threads, for all of libfxtprofile, and fxt/profile_walk.h indices.
 *
 * A profile has this if it was built with options.summarize_events, whatever its samples
 * are of. Begins and ends are matched as fxt/profile_events.h describes. With
 * fxt_profile_builder_want_time all that is in these times at least in part counts, as a
 * whole; of threads, only these times count.
 */
#ifndef FXT_PROFILE_SUMMARY_H
#define FXT_PROFILE_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/common.h>
#include <fxt/types.h>

FXT_BEGIN_DECLS

struct fxt_profile;

enum fxt_profile_summary_kind {
    FXT_PROFILE_SUMMARY_SPANS = 0,
    FXT_PROFILE_SUMMARY_ASYNC = 1,
    FXT_PROFILE_SUMMARY_FLOWS = 2,
    /* Those of threads, processes and the whole trace, and of asynchronous operations. */
    FXT_PROFILE_SUMMARY_INSTANTS = 3
};

/* All events of a kind that have one name and one category. */
struct fxt_profile_summary {
    struct fxt_string name;
    struct fxt_string category;
    /* How many began, and how many of these did not end. Spans that did not end last
     * until the last event of a span of their thread, and count as any other; operations
     * and flows count here only. */
    uint64_t count;
    uint64_t n_unfinished;
    /* The sum of all durations; and of spans, the time for which they were the innermost
     * of their thread. They do not exceed 2^64-1. */
    uint64_t total_ns;
    uint64_t self_ns;
    /* The durations in ascending order; of instants none. */
    const uint64_t *durations_ns;
    size_t n_durations;
    /* Of flows, the times from each event to the next one, in ascending order. A flow is
     * a begin with the steps after it that have its id, up to an end. */
    const uint64_t *steps_ns;
    size_t n_steps;
};

/* In the order of the bytes of their names, then of their categories. FXT_E_INVALID if
 * `i` is too large. */
FXT_API size_t fxt_profile_n_summaries(const struct fxt_profile *profile,
                                       enum fxt_profile_summary_kind kind);
FXT_API enum fxt_code fxt_profile_get_summary(const struct fxt_profile *profile,
                                              enum fxt_profile_summary_kind kind,
                                              size_t i,
                                              struct fxt_profile_summary *summary);

/* The value of a counter from some time on. */
struct fxt_profile_counter_value {
    uint64_t time_ns;
    double value;
};

/* A series of a counter: one of its arguments. Values that are no numbers, and infinite
 * ones, are left out; integers above 2^53 are rounded. */
struct fxt_profile_counter {
    struct fxt_string name;
    struct fxt_string category;
    struct fxt_string series;
    /* The counter's, which may be 0; and the process that it is of, if that is known. */
    uint64_t id;
    uint64_t process;
    struct fxt_string process_name;
    /* In the order of time, of one time in that of the input; at least one. */
    const struct fxt_profile_counter_value *values;
    size_t n_values;
};

/* In the order of the bytes of their names, then of their series. FXT_E_INVALID if `i` is
 * too large. */
FXT_API size_t fxt_profile_n_counters(const struct fxt_profile *profile);
FXT_API enum fxt_code fxt_profile_get_counter(const struct fxt_profile *profile, size_t i,
                                              struct fxt_profile_counter *counter);

/* What a thread did, from scheduling records, as docs/scheduling.md has it. */
struct fxt_profile_thread_times {
    /* 0 and empty where they are not known. */
    uint64_t process;
    uint64_t thread;
    struct fxt_string process_name;
    struct fxt_string thread_name;
    uint64_t run_ns;
    /* Until it ran, from when it was woken, or had to stop running. */
    uint64_t wait_ns;
    uint64_t blocked_ns;
    uint64_t unknown_ns;
    /* How often it was switched to, and how often on another CPU than before. */
    uint64_t n_switches;
    uint64_t n_migrations;
};

/* Those that ran longest first. FXT_E_INVALID if `i` is too large. */
FXT_API size_t fxt_profile_n_thread_times(const struct fxt_profile *profile);
FXT_API enum fxt_code fxt_profile_get_thread_times(
    const struct fxt_profile *profile, size_t i, struct fxt_profile_thread_times *times);

/* The first and the last time of all spans, operations, flows, instants and values.
 * Returns false, and stores zeros, if there are none. */
FXT_API bool fxt_profile_summary_times(const struct fxt_profile *profile,
                                       uint64_t *first_ns, uint64_t *last_ns);

FXT_END_DECLS

#endif
