/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the end of a span had to wait for: from its end back to its begin, over threads,
 * what each part of the time was spent in. fxtreport(1) has the rules.
 */
#ifndef FXTREPORT_SPANS_CRITICAL_PATH_H
#define FXTREPORT_SPANS_CRITICAL_PATH_H

#include <stddef.h>
#include <stdint.h>

#include "span_threads.h"

enum path_state {
    /* By scheduling records, or of what there are none. */
    PATH_RUNS,
    PATH_UNKNOWN,
    /* The thread could have run, but had no CPU. */
    PATH_WAITS,
    PATH_BLOCKED,
    /* A flow is on its way to the thread. */
    PATH_FLOW
};

/* How the step after one depends on it, where it is on another thread. */
enum path_edge { PATH_SAME_THREAD, PATH_WAKEUP, PATH_FLOWS, PATH_ASYNC };

struct path_step {
    uint64_t from_ns;
    uint64_t to_ns;
    /* As span_threads has them. */
    uint32_t thread;
    enum path_state state;
    /* The event of the thread's innermost span, of those of that name one; of PATH_FLOW
     * that of the flow. FXT_PROFILE_NONE if no span was open. */
    uint32_t event;
    enum path_edge edge;
};

struct critical_path {
    /* The span. */
    uint32_t event;
    /* In the order of time, each from where the one before ends. */
    struct path_step *steps;
    size_t n;
    /* The same added up by thread, state and name, the longest time first: from_ns is 0,
     * and to_ns the time. */
    struct path_step *sums;
    size_t n_sums;
};

void critical_path_make(struct critical_path *path, const struct span_threads *threads,
                        uint32_t event);

#endif
