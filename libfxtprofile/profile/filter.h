/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters that need the finished profile and not just a record: samples of some processes
 * and threads, whose names may follow them in the input; stacks that do not end in idle
 * functions; and a part of each stack.
 *
 * Everything that is removed is counted.
 */
#ifndef FXTPROFILE_PROFILE_FILTER_H
#define FXTPROFILE_PROFILE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <regex.h>

#include "profile_builder.h"

/* A range of time, both ends included. */
struct time_window {
    uint64_t first_ns;
    uint64_t last_ns;
};

/* The length of the part of an interval that is in the window; NULL is all times. */
uint64_t time_window_length(const struct time_window *window, uint64_t from_ns,
                            uint64_t to_ns);

struct filter_numbers {
    uint64_t *numbers;
    size_t n;
    size_t capacity;
};

struct filter_patterns {
    const char **patterns;
    size_t n;
    size_t capacity;
};

/* Regular expressions, of which any may match. Each stays where it is, since it may have
 * to be freed with the memory that it is in. */
struct filter_expression {
    struct memory_cleanup cleanup;
    regex_t compiled;
};

struct filter_expressions {
    struct filter_expression **expressions;
    size_t n;
    size_t capacity;
};

/* All zero takes everything. */
struct filter {
    /* A process must be in one of the two lists. */
    struct filter_numbers processes;
    struct filter_patterns process_names;
    struct filter_numbers threads;
    /* The functions that an idle thread is in, and whether to hide idle threads. */
    struct filter_expressions idle;
    bool hides_idle;
    /* The outermost function that matches becomes the root, or the leaf. */
    struct filter_expressions above;
    struct filter_expressions below;
    /* Frames of direct recursion are merged. */
    bool folds_recursion;
};

/* Samples that were removed. The time of spans is counted too, as a sample of spans may
 * have time without a begin. */
struct filter_count {
    uint64_t n;
    int64_t ns;
};

/* What was removed. Frames are counted for each sample that had them. */
struct filter_tally {
    struct filter_count other_process;
    struct filter_count other_thread;
    struct filter_count idle;
    /* Events of a timeline. */
    uint64_t n_events;
    uint64_t n_above;
    uint64_t n_below;
    uint64_t n_recursive;
};

void filter_add_number(struct filter_numbers *numbers, uint64_t number);

/* Each takes a string, which must stay in place, and returns false if it is not a valid
 * pattern or expression. */
bool filter_add_pattern(struct filter_patterns *patterns, const char *pattern);
bool filter_add_expression(struct filter_expressions *expressions, const char *extended);

/* Counts a sample that is removed. */
void filter_count(struct filter_count *count, const struct profile *profile,
                  size_t sample);

/* Drops the samples of other processes and threads than those asked for. After
 * profile_builder_sort. */
void filter_samples(const struct filter *filter, struct profile_builder *builder,
                    struct filter_tally *tally);

/* Whether a thread is asked for; a process of 0 is found by the thread. */
bool filter_takes_thread(const struct filter *filter, const struct koid_names *names,
                         uint64_t process, uint64_t thread);

/* Drops the events of a timeline that are of other processes and threads than those asked
 * for, or are not in the window, which may be NULL. */
void filter_events(const struct filter *filter, const struct time_window *window,
                   struct profile_builder *builder, struct filter_tally *tally);

/* Drops idle samples and parts of stacks, merges samples that are equal then, and drops
 * locations that no sample uses any more. After profile_locate. */
void filter_stacks(const struct filter *filter, struct profile_builder *builder,
                   struct filter_tally *tally);

void filter_free(struct filter *filter);

#endif
