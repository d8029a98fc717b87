/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the perf events of a session: for each of its targets, and for what all share. */
#ifndef LIBFXTSAMPLER_PERF_EVENTS_OPEN_H
#define LIBFXTSAMPLER_PERF_EVENTS_OPEN_H

#include "perf_events.h"

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

#endif
