/* SPDX-License-Identifier: BSD-2-Clause */
/* The targets of a session, and the events that sample them. The lock of the session is
 * held in all functions. */
#ifndef LIBFXTSAMPLER_PERF_SCOPE_H
#define LIBFXTSAMPLER_PERF_SCOPE_H

#include "perf_events.h"
#include "perf_filter.h"
#include "perf_targets.h"
#include "perf_trace.h"
#include "libfxtsampler/session.h"

struct perf_scope {
    struct perf_events events;
    struct perf_targets targets;
    struct perf_filter filter;
    /* Events of CPUs may take the place of those of threads and processes: they are
     * allowed, and there is no reason against it. */
    bool may_switch;
    /* The session's own flag has another lock. */
    bool is_running;
};

/* Returns false if there is no memory. */
bool perf_scope_init(struct perf_scope *scope, const struct fxt_sampler *sampler,
                     const struct perf_event_attr *attr, const struct perf_trace *trace);
void perf_scope_free(struct perf_scope *scope);

enum fxt_sampler_code perf_scope_attach(struct perf_scope *scope,
                                        const struct fxt_sampler *sampler,
                                        struct perf_target target);
enum fxt_sampler_code perf_scope_detach(struct perf_scope *scope, pid_t thread);

/* Goes over to events of CPUs if too many threads begin. */
void perf_scope_review(struct perf_scope *scope, const struct fxt_sampler *sampler);

/* As perf_events_find_removed. */
uint32_t perf_scope_find_removed(struct perf_scope *scope, const bool *online,
                                 bool *removed);

/* These CPUs were hot-added, or are online again. */
void perf_scope_add_cpus(struct perf_scope *scope, const bool *cpus);

#endif
