/* SPDX-License-Identifier: BSD-2-Clause */
/* What a session by perf samples: a target is a thread, a process or the system, and for
 * each of its threads there is an event on each CPU. */
#ifndef LIBFXTSAMPLER_PERF_TARGETS_H
#define LIBFXTSAMPLER_PERF_TARGETS_H

#include "perf_events.h"

/* All zero is none. */
struct perf_targets {
    struct perf_target *all;
    size_t n;
    size_t capacity;
};

/* The number of a target; `n` if it is none. */
size_t perf_targets_find(const struct perf_targets *targets, struct perf_target target);

/* Opens events for a target on the CPUs that are true in `cpus`, and keeps it. On failure
 * nothing has been done. */
enum fxt_sampler_code perf_targets_add(struct perf_targets *targets,
                                       struct perf_events *events,
                                       struct perf_target target, const bool *cpus,
                                       bool is_running);

/* Opens events for all targets on hot-added CPUs. Children that are sampled by
 * inheritance get none there: their ids are not known. */
void perf_targets_add_cpus(const struct perf_targets *targets, struct perf_events *events,
                           const bool *cpus, bool is_running);

void perf_targets_remove(struct perf_targets *targets, size_t i);

void perf_targets_free(struct perf_targets *targets);

#endif
