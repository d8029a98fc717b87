/* SPDX-License-Identifier: BSD-2-Clause */
/* What is in the kernel's perf records other than samples (linux/perf_event.h). */
#ifndef LIBFXTSAMPLER_PERF_RECORD_H
#define LIBFXTSAMPLER_PERF_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include <fxt/sampler.h>

/* When the record was made, samples included; 0 for one that is too short to say. */
uint64_t perf_read_time(const struct perf_event_header *record);

/* These return false if the record is too short for its contents. */
bool perf_read_lost(const struct perf_event_header *record, uint64_t *n);
bool perf_read_exit(const struct perf_event_header *record, pid_t *process);

/* Returns false, too, for a record that is no event of fxt/sampler.h. `attr` is the
 * attribute with which the record was requested. */
bool perf_read_event(const struct perf_event_header *record,
                     const struct perf_event_attr *attr, struct fxt_sampler_event *event);

#endif
