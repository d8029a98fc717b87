/* SPDX-License-Identifier: BSD-2-Clause */
/* What was recorded, and the archive of it, which needs nothing else to be understood. */
#ifndef PROCESSES_RECORDING_H
#define PROCESSES_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/writer.h>

#include "filled_regions.h"
#include "kernel_modules.h"
#include "process_records.h"
#include "process_table.h"
#include "stack_ends.h"

/* All zero is one that has not begun. */
struct recording {
    struct filled_regions regions;
    struct process_table table;
    struct kernel_modules kernel;
    /* The name of the first provider. */
    const char *recorder;
    /* The recorder's, quoted; NULL is none. */
    const char *command_line;
    /* The sampling method. */
    const char *method;
    /* Another machine was recorded, whose files and kernel are not known. */
    bool is_remote;
    struct clock_readings start;
    /* The period that was requested; and that in cycles, if the samples are of cycles. */
    uint64_t asked_period_ns;
    uint64_t period_cycles;
    /* The CPU time that was sampled, 0 where it is not known. */
    uint64_t cpu_ns;
    uint64_t n_throttled;

    /* What recording_survey finds: the time that each sample stands for, samples in the
     * regions, and records that are damaged. */
    uint64_t period_ns;
    uint64_t n_samples;
    uint64_t n_damaged;
    struct stack_ends ends;
    uint64_t n_dropped;
    uint64_t n_lost;
    /* Full regions whose writers have not reported what they lack. */
    uint64_t n_unreported;
};

/* Reads all regions, marks in the table whose stacks are in them, reads the files that
 * these have mapped, and sums up what is missing. May be called again when there is
 * more. */
void recording_survey(struct recording *recording);

/* Writes everything, or all but the samples. Returns FXT_OK, or the writer's failure. */
enum fxt_code recording_write(const struct recording *recording, bool has_samples,
                              fxt_write_fn *write, void *context);

/* Frees what it has; regions that are mapped are unmapped. */
void recording_free(struct recording *recording);

#endif
