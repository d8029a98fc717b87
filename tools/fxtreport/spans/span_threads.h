/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads of a trace's events as the same threads: scheduling records name a thread
 * by its number alone, and wakeups and samples do not say which event's thread they mean.
 */
#ifndef FXTREPORT_SPANS_SPAN_THREADS_H
#define FXTREPORT_SPANS_SPAN_THREADS_H

#include <stddef.h>
#include <stdint.h>

#include <fxt/profile.h>

#include "common/base/text.h"

struct span_thread_row {
    uint64_t boot;
    uint64_t thread;
    uint64_t process;
    /* The index of the event thread. */
    uint32_t index;
};

struct span_threads {
    const struct fxt_profile *profile;
    size_t n;
    /* By the index of an event thread: the first one that is the same thread. */
    uint32_t *first;
    /* In the order of their members. */
    struct span_thread_row *rows;
};

/* Threads are the same if their boots, their processes' numbers and their own are; and
 * those whose process is not known are those of the only process that has such a thread.
 */
void span_threads_make(struct span_threads *threads, const struct fxt_profile *profile);

/* The first event thread with that number in a boot, of that process if there is one in
 * it; FXT_PROFILE_NONE if there is none, or the number is 0. */
uint32_t span_threads_find(const struct span_threads *threads, uint32_t boot,
                           uint64_t process, uint64_t thread);

/* "render[2]", with the process where it is known: "render[2] of compositor[1]". */
void span_threads_name(const struct span_threads *threads, uint32_t index,
                       struct text *text);

#endif
