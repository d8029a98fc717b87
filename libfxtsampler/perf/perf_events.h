/* SPDX-License-Identifier: BSD-2-Clause */
/* The perf events of a session, each of a thread or all on one CPU, and the CPUs' rings,
 * which they write to. */
#ifndef LIBFXTSAMPLER_PERF_EVENTS_H
#define LIBFXTSAMPLER_PERF_EVENTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/sampler.h>

#include "perf_event_ids.h"
#include "perf_ring.h"
#include "libfxtsampler/events/weights.h"
#include "libfxtsampler/session.h"

/* The target of an event; id 0 of a thread or process: it is no longer used. A control
 * group's id is the descriptor of its directory, which is open as long as the target. */
struct perf_target {
    enum fxt_sampler_target kind;
    pid_t id;
};

struct perf_event {
    int file;
    /* PERF_ANY_CPU for a clock, which has no ring. */
    uint32_t cpu;
    struct perf_target target;
    enum perf_event_role role;
    /* How long it had been enabled when perf_events_find_removed looked last. */
    uint64_t enabled_ns;
    /* Which of the session's sources it samples. */
    uint32_t number;
};

#define PERF_ANY_CPU UINT32_MAX

/* Whether an event is one of a CPU, whatever runs there, or which control group. */
static inline bool perf_event_is_of_cpu(const struct perf_event *event)
{
    return event->target.kind == FXT_SAMPLER_SYSTEM ||
           event->target.kind == FXT_SAMPLER_CGROUP;
}

/* All in nanoseconds. */
struct perf_times {
    /* The CPU time of threads while they were sampled, children included: what events of
     * a clock have counted, or the clocks beside those of cycles. Where these are for
     * whole CPUs, all time. */
    uint64_t passed;
    /* How much of it events had a counter. */
    uint64_t counted;
};

/* All zero is none. */
struct perf_events {
    /* What all events have in common. */
    struct perf_event_attr attr;
    /* What takes samples, each by a separate event; the first one reports forks, names
     * and mappings, too. */
    struct perf_event_attr samplers[FXT_SAMPLER_SOURCES_MAX];
    uint32_t n_samplers;
    /* perf_trace.h: context switches are reported, with stacks, and so are wakeups, by
     * the id of their tracepoint; 0 is none. */
    bool has_switches;
    bool has_switch_stacks;
    uint64_t wakeups;
    /* Threads and processes have a clock each, beside the events that sample them. */
    bool has_clocks;
    /* They are sampled by the events of CPUs: PERF_TREE_SAMPLES. */
    bool has_tree_samples;
    struct perf_event *all;
    size_t n;
    size_t capacity;
    /* A ring for each CPU, regions.n of them, and the event's file that it belongs to. */
    struct perf_ring *rings;
    int *ring_files;
    /* The size of each, at most. */
    size_t ring_bytes;
    /* Of those that are closed already. */
    struct perf_times closed;
    struct perf_count closed_counts[FXT_SAMPLER_SOURCES_MAX];
    struct perf_count closed_counters[FXT_SAMPLER_SOURCES_MAX];
    struct perf_count closed_trees[FXT_SAMPLER_SOURCES_MAX];
    /* The records of each CPU that these have lost. */
    uint64_t *closed_lost;
    struct perf_event_ids ids;
};

/* Makes room for the rings. Returns false if there is none. */
bool perf_events_init(struct perf_events *events, const struct perf_event_attr *attr,
                      const struct fxt_sampler *sampler);

/* Adds an event that was opened, whose file it takes, and which gives its CPU a ring if
 * that has none. Returns false with errno set on failure. */
bool perf_events_add(struct perf_events *events, const struct perf_event *event);

/* Closes what was opened last, down to `n` events. */
void perf_events_close(struct perf_events *events, size_t n);

/* Starts all events, or stops them. */
void perf_events_start(const struct perf_events *events);
void perf_events_stop(const struct perf_events *events);

/* What was counted of the targets: once there are events of CPUs, which count what others
 * do, too, only of sources that have a counter, and without what was lost. */
bool perf_events_has_counter(const struct perf_event_attr *attr);
struct perf_count perf_events_count(const struct perf_events *events, uint32_t number);

/* The two parts of the same once there are events of CPUs: what those of threads and
 * processes have counted before, and what these have, of all that CPUs do. */
struct perf_count perf_events_count_before(const struct perf_events *events,
                                           uint32_t number);
struct perf_count perf_events_count_tree(const struct perf_events *events,
                                         uint32_t number);

struct perf_times perf_events_times(const struct perf_events *events);

/* How many records of a CPU were lost since its ring was full, as the kernel has counted
 * them: it reports them in the ring only once there is room. 0 before Linux 6.0. */
uint64_t perf_events_lost(const struct perf_events *events, uint32_t cpu);

/* Adds what an event has counted to what is known of those that are closed; keep_counts,
 * before it is closed itself, also what was lost. */
void perf_events_keep_sums(struct perf_events *events, const struct perf_event *event);
void perf_events_keep_counts(struct perf_events *events, const struct perf_event *event);

/* Stops those of a target for good, and closes all but those that rings belong to. */
void perf_events_retire(struct perf_events *events, struct perf_target target);

/* Those from `first` on sample in place of all that sample threads and processes, which
 * are stopped for good. */
void perf_events_replace_samplers(struct perf_events *events, size_t first,
                                  bool is_running);

/* The kernel removes the events of a CPU that goes offline, and does not report that:
 * they do nothing when it is online again. Finds CPUs that were away since the last look,
 * of those that are true in `online`, sets them in `removed`, and returns how many. */
uint32_t perf_events_find_removed(struct perf_events *events, const bool *online,
                                  bool *removed);

/* Closes those events of some CPUs, so that new ones can be opened. Rings stay, and so do
 * the events of threads and processes, which the kernel keeps. */
void perf_events_close_removed(struct perf_events *events, const bool *cpus);

/* Whether a target is sampled on a CPU by events that are open. */
bool perf_events_samples(const struct perf_events *events, struct perf_target target,
                         uint32_t cpu);

/* Closes everything. */
void perf_events_free(struct perf_events *events);

/* For a child of fork, before that: lets go of the rings, which are the parent's. */
void perf_events_forget(struct perf_events *events);

#endif
