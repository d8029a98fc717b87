/* SPDX-License-Identifier: BSD-2-Clause */
/* What standard error has about a recording, during and after it. */
#ifndef FXTRECORD_STATUS_H
#define FXTRECORD_STATUS_H

#include <stddef.h>

#include "record_options.h"

/* What was recorded. */
struct record_result {
    const char *method;
    /* What has the samples. */
    const char *files;
    uint64_t n_samples;
    uint64_t n_damaged;
    uint64_t asked_period_ns;
    /* With --count; and whether a clock is sampled. */
    uint64_t source_count;
    bool has_clock;
    /* What each sample stands for; and in cycles, if these are counted. */
    uint64_t period_ns;
    uint64_t period_cycles;
    /* With --trace or --off-cpu, threads and processes are sampled by their own events.
     */
    bool traces_scheduling;
    /* How stacks ended: see fxt_sampler_summary. */
    char stacks[FXT_SAMPLER_STACKS_SIZE];
    /* Too few files could be open to read all build ids. */
    bool lacks_files;
    struct fxt_sampler_counts counts;
    /* Processes that sample themselves: full regions of those that ended without
     * reporting what was dropped; those that use SIGPROF themselves; and that could not
     * be sampled.
     */
    uint64_t n_unreported;
    unsigned n_gave_up;
    unsigned n_failed;
    /* The CPU time of programs that were not sampled, if it is much. */
    uint64_t unsampled_ns;
};

/* Show a line on the terminal, in place of the one before, with the counts of a session,
 * or the number of programs that sample themselves; and remove it. */
void status_show_counts(const struct fxt_sampler_counts *counts);
void status_show_programs(size_t n_programs);
void status_hide_progress(void);

/* Reports what was recorded, and what is missing from it. */
void status_report(const struct record_result *result);

#endif
