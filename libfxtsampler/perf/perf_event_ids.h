/* SPDX-License-Identifier: BSD-2-Clause */
/* What the events of a session do, by the kernel's ids of them, which its records have.
 */
#ifndef LIBFXTSAMPLER_PERF_EVENT_IDS_H
#define LIBFXTSAMPLER_PERF_EVENT_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Which of a session's events a record is of. */
enum perf_source { PERF_OF_TASK, PERF_OF_TREE, PERF_OF_CGROUP, PERF_OF_SYSTEM };

struct perf_event_id {
    uint64_t id;
    enum perf_source source;
    enum perf_event_role role;
    /* Which of the session's sources it samples. */
    uint32_t number;
};

/* Ascending; all zero is none. */
struct perf_event_ids {
    struct perf_event_id *all;
    size_t n;
    size_t capacity;
};

/* Adds an event that was opened after all others, whose id the kernel is asked for. One
 * that samples the first source in a thread or process is not kept, as there may be very
 * many. Returns false with errno set on failure. */
bool perf_event_ids_add(struct perf_event_ids *ids, int file, struct perf_event_id id);

/* All zero, but for the id, for one that was not added: it samples the first source in a
 * thread or process. */
struct perf_event_id perf_event_ids_find(const struct perf_event_ids *ids, uint64_t id);

void perf_event_ids_free(struct perf_event_ids *ids);

#endif
