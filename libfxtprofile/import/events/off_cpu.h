/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When threads did not run, from scheduling records, as events of a timeline: "blocked"
 * or "suspended" until they were woken, "runnable" until they ran.
 */
#ifndef FXTPROFILE_IMPORT_EVENTS_OFF_CPU_H
#define FXTPROFILE_IMPORT_EVENTS_OFF_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "common/scheduling/sched_log.h"
#include "common/scheduling/sched_states.h"

/* The scheduling records of an archive, or of all regions. It stays where it is. */
struct off_cpu_trace {
    struct sched_log log;
    bool is_archive;
    bool is_cut;
};

/* All zero is an empty one. */
struct off_cpu {
    struct off_cpu_trace **traces;
    size_t n;
    size_t capacity;
};

/* Another stream begins. Regions are parts of one trace. */
void off_cpu_start_stream(struct off_cpu *off_cpu, bool is_archive);

/* Takes a record, if it is about scheduling. */
void off_cpu_take(struct off_cpu *off_cpu, const struct fxt_record *record);

/* One time for which a thread did not run, by its koid. */
typedef void off_cpu_fn(void *context, uint64_t thread, const struct sched_wait *wait);

/* After the last record: calls a function for each time for which a thread did not run,
 * but for those of which it is not known whether it did. */
void off_cpu_finish(struct off_cpu *off_cpu, off_cpu_fn *emit, void *context);

void off_cpu_free(struct off_cpu *off_cpu);

#endif
