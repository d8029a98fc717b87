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

#include "perf_ring.h"
#include "libfxtsampler/events/weights.h"
#include "libfxtsampler/session.h"

/* The target of an event; id 0 of a thread or process: it is no longer used. A control
 * group's id is the descriptor of its directory, which is open as long as the target. */
struct perf_target {
    enum fxt_sampler_target kind;
    pid_t id;
};

enum perf_event_role {
    PERF_SAMPLES,
    /* Samples everything on a CPU for threads and processes, which are chosen from that.
     */
    PERF_TREE_SAMPLES,
    /* Only counts the CPU time of a target. */
    PERF_CLOCK,
    /* Only counts what is sampled of a target, which the events of CPUs may do later. */
    PERF_COUNTER,
    /* Takes no samples, but reports all forks, names and mappings. */
    PERF_SIDEBAND,
    /* Has a CPU's ring, and reports nothing. */
    PERF_RING,
    /* perf_trace.h: the stacks of threads that are switched out, and wakeups. */
    PERF_SWITCH_STACKS,
    PERF_WAKEUPS
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

/* Which of a session's events a record is of. */
enum perf_source { PERF_OF_TASK, PERF_OF_TREE, PERF_OF_CGROUP, PERF_OF_SYSTEM };

struct perf_event_id {
    uint64_t id;
    enum perf_source source;
    enum perf_event_role role;
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
    /* The kernel's ids of all events but those that sample the first source in threads
     * and processes, ascending. */
    struct perf_event_id *ids;
    size_t n_ids;
    size_t ids_capacity;
};

/* Makes room for the rings. Returns false if there is none. */
bool perf_events_init(struct perf_events *events, const struct perf_event_attr *attr,
                      const struct fxt_sampler *sampler);

/* Gives each CPU a ring that stays when events are closed. Needs the right to sample all
 * that CPUs do. Otherwise as below. */
bool perf_events_open_rings(struct perf_events *events, const bool *cpus);

/* Opens the event of a target's thread on each CPU that is true in `cpus`; it starts now
 * if `is_running`. Returns false with errno set, and some may be open then. */
bool perf_events_open(struct perf_events *events, struct perf_target target, pid_t thread,
                      const bool *cpus, bool is_running);

/* Opens a clock for a target's thread, and children that will be sampled with it: an
 * event that counts cycles does not measure time. If has_clocks, opens the counters of
 * sources that are no clocks, too. Otherwise as above. */
bool perf_events_open_clock(struct perf_events *events, struct perf_target target,
                            pid_t thread, bool is_running);

/* Opens, on each CPU, the event that samples everything for threads and processes, and
 * one that reports forks, names and mappings. Otherwise as above. */
bool perf_events_open_tree(struct perf_events *events, const bool *cpus, bool is_running);

/* Opens, on each CPU that has none yet, the event of wakeups, if there are to be any. */
bool perf_events_open_wakeups(struct perf_events *events, const bool *cpus,
                              bool is_running);

/* From the events of threads and processes to those of CPUs, which are opened. If that
 * fails nothing has changed. */
bool perf_events_switch_to_tree(struct perf_events *events, const bool *cpus,
                                bool is_running);

/* What the event with an id does; and what it samples or reports. */
enum perf_event_role perf_events_role(const struct perf_events *events, uint64_t id);
enum perf_source perf_events_source(const struct perf_events *events, uint64_t id);

/* Which of the session's sources it samples. */
uint32_t perf_events_number(const struct perf_events *events, uint64_t id);

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
