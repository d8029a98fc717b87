/* SPDX-License-Identifier: BSD-2-Clause */
/* What was recorded, as one archive that needs nothing else. */
#ifndef FXTRECORD_ARCHIVE_H
#define FXTRECORD_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/sampler.h>

#include "processes/process_table.h"
#include "processes/kernel_modules.h"
#include "processes/stack_ends.h"
#include "filled_regions.h"
#include "base/text.h"

struct recording {
    struct filled_regions pieces;
    struct process_table table;
    struct kernel_modules kernel;
    /* The command line, quoted. */
    const char *command_line;
    const char *method;
    /* Another machine was recorded, of whose files nothing is known. */
    bool is_remote;
    /* What was asked for; and what a sample stands for, once that is known. */
    uint64_t asked_period_ns;
    uint64_t period_ns;
    /* If cycles are what is counted between samples: how many. */
    uint64_t period_cycles;
    /* The same moment by two clocks. */
    uint64_t start_monotonic_ns;
    uint64_t start_wall_ns;
    /* What archive_survey finds: samples in the regions, and records that are damaged. */
    uint64_t n_samples;
    uint64_t n_damaged;
    struct stack_ends ends;
    /* Of the session, or of all programs that were sampled from inside; what was dropped
     * and lost is added up from the pieces, and the rest is that of those that told it.
     */
    struct fxt_sampler_counts counts;
    /* Sampled from inside: full regions of programs that did not come to say what was
     * refused; programs that wanted SIGPROF for themselves; and that could not be
     * sampled. */
    unsigned n_untold;
    unsigned n_gave_up;
    unsigned n_failed;
};

/* Looks through all regions, marks in the table whose stacks are in them, reads the files
 * that these show, adds up what is missing, and finds what a sample stands for. */
void archive_survey(struct recording *recording);

/* Writes everything, or all but the samples. Returns false, with the reason added to
 * `why`, if that failed, and then there is no file. */
bool archive_write(const struct recording *recording, const char *name, bool has_samples,
                   struct text *why);

#endif
