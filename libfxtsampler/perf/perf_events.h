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

/* The target of an event; id 0 of a thread or process: it is no longer used. */
struct perf_target {
    enum fxt_sampler_target kind;
    pid_t id;
};

struct perf_event {
    int file;
    /* PERF_ANY_CPU for one that takes no samples, and has no ring. */
    uint32_t cpu;
    struct perf_target target;
    /* Takes no samples, but reports forks, names and mappings. */
    bool is_sideband;
};

#define PERF_ANY_CPU UINT32_MAX

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
    struct perf_event_attr attr;
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
};

/* Makes room for the rings. Returns false if there is none. */
bool perf_events_init(struct perf_events *events, const struct perf_event_attr *attr);

/* Opens the event of a target's thread on each CPU that is true in `cpus`; it starts now
 * if `is_running`. Returns false with errno set, and some may be open then. */
bool perf_events_open(struct perf_events *events, struct perf_target target, pid_t thread,
                      const bool *cpus, bool is_running);

/* Opens a clock for a target's thread, and children that will be sampled with it: an
 * event that counts cycles does not measure time. Otherwise as above. */
bool perf_events_open_clock(struct perf_events *events, struct perf_target target,
                            pid_t thread, bool is_running);

/* Closes what was opened last, down to `n` events. */
void perf_events_close(struct perf_events *events, size_t n);

/* Starts all events, or stops them. */
void perf_events_start(const struct perf_events *events);
void perf_events_stop(const struct perf_events *events);

struct perf_times perf_events_times(const struct perf_events *events);

/* Stops those of a target for good, and closes all but those that rings belong to. */
void perf_events_retire(struct perf_events *events, struct perf_target target);

/* Closes everything. */
void perf_events_free(struct perf_events *events);

/* For a child of fork, before that: lets go of the rings, which are the parent's. */
void perf_events_forget(struct perf_events *events);

#endif
