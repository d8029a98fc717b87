/* SPDX-License-Identifier: BSD-2-Clause */
/* What is in the kernel's perf records other than samples (linux/perf_event.h). */
#ifndef LIBFXTSAMPLER_PERF_RECORD_H
#define LIBFXTSAMPLER_PERF_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include <fxt/sampler.h>

/* perf has the clock of the host, also where this process is in a time namespace with a
 * separate clock: times are converted from then on. */
void perf_read_clock_offset(void);

/* When the record was made, samples included, by CLOCK_MONOTONIC; 0 for one that is too
 * short to say. */
uint64_t perf_read_time(const struct perf_event_header *record);

/* The kernel's id of the event that it is of, likewise. */
uint64_t perf_read_id(const struct perf_event_header *record);

/* That of a sample with PERF_SAMPLE_PERIOD. */
uint64_t perf_read_period(const struct perf_event_header *record);

/* These return false if the record is too short for its contents. */
bool perf_read_lost(const struct perf_event_header *record, uint64_t *n);
bool perf_read_exit(const struct perf_event_header *record, pid_t *process,
                    pid_t *thread);

/* Whose a sample is. */
bool perf_read_owner(const struct perf_event_header *record, pid_t *process,
                     pid_t *thread);

/* Returns false, too, for a record that is no event of fxt/sampler.h. `has_build_id`: it
 * was requested with build ids. */
bool perf_read_event(const struct perf_event_header *record, bool has_build_id,
                     struct fxt_sampler_event *event);

#endif
