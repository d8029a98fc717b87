/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scheduling events of all CPUs, sorted by time: a writer stores those of a CPU together,
 * and a thread is switched out on one CPU and in on another.
 *
 * Sorted runs of events are moved to a temporary file, and merged at the end, so that
 * memory does not grow with the input; without temporary files they stay in memory.
 */
#ifndef SCHEDULING_SCHED_LOG_H
#define SCHEDULING_SCHED_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/io/spill.h"
#include "sched_event.h"

/* How many events a run has, and how many of each run are in memory while all are merged:
 * 1.8 MB, and of 10^8 events 22 MB. */
enum { SCHED_LOG_RUN = 1 << 15, SCHED_LOG_WINDOW = 128 };

/* All zero is an empty one but for `run_length`, for which 0 is SCHED_LOG_RUN. */
struct sched_log {
    /* Tests make it shorter. */
    size_t run_length;
    /* The last run, which is not in `runs`. */
    struct sched_event *events;
    size_t n_events;
    size_t event_capacity;
    bool is_unsorted;

    /* The runs before it, of run_length events each. */
    struct spill runs;
    size_t n_runs;
    bool is_stuck;

    /* How many events there were, the time of the last one of each CPU plus one, and how
     * many events were earlier than another one of their CPU that came before. */
    uint64_t n_added;
    uint64_t *last_by_cpu;
    size_t n_cpus;
    size_t cpu_capacity;
    uint64_t n_backwards;
};

/* Adds an event, whose order is set. Its CPU is below 2^16. */
void sched_log_add(struct sched_log *log, struct sched_event event);

typedef void sched_log_fn(void *context, const struct sched_event *event);

/* Calls a function for each event in the order of time, of equal times in that of the
 * input; then the log is empty, but for `n_backwards`. */
void sched_log_replay(struct sched_log *log, sched_log_fn *take, void *context);

void sched_log_free(struct sched_log *log);

/* The events of an archive, or of all regions. It stays where it is. */
struct sched_trace {
    struct sched_log log;
    bool is_archive;
    bool is_cut;
};

/* All zero is none. */
struct sched_traces {
    struct sched_trace **all;
    size_t n;
    size_t capacity;
};

/* Another stream begins. Each archive is a separate trace; regions are parts of one. */
void sched_traces_start_stream(struct sched_traces *traces, bool is_archive);

void sched_traces_free(struct sched_traces *traces);

#endif
