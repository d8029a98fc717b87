/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When threads did not run, from scheduling records, for timelines; and what CPUs ran.
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

/* Where it goes: threads by their koids. */
struct off_cpu_output {
    /* A time for which a thread did not run, or for which it is not known whether it did;
     * and whether it begins where a run of the thread ends. */
    void (*on_wait)(void *context, uint64_t thread, const struct sched_wait *wait,
                    bool follows_run);
    /* A time for which a CPU ran one thread, or none. */
    void (*on_run)(void *context, uint64_t thread, const struct sched_run *run);
    void *context;
};

/* After the last record. Where a trace follows, threads that wait at the end of one do so
 * for no time more, of which nothing is known. */
void off_cpu_finish(struct off_cpu *off_cpu, const struct off_cpu_output *output);

void off_cpu_free(struct off_cpu *off_cpu);

#endif
