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

/* Takes a record, if it is about scheduling. */
void off_cpu_take(struct sched_traces *traces, const struct fxt_record *record);

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
void off_cpu_finish(struct sched_traces *traces, const struct off_cpu_output *output);

#endif
