/* SPDX-License-Identifier: BSD-2-Clause */
/* fxtheap run --at-exit: a command, and what it and its children leave when they end. */
#ifndef FXTHEAP_AT_EXIT_H
#define FXTHEAP_AT_EXIT_H

#include <stdbool.h>

#include "pace.h"
#include "run.h"

struct at_exit_options {
    struct run_options run;
    const char *output;
    bool with_tags;
    /* What they had when their heaps were largest, and not what they leave. */
    bool of_peak;
    /* A series of points, of which that is the last; zeros for none. */
    struct series_step every;
    bool quiet;
};

/* Runs the command and writes the archive. Reports what is wrong, and returns the exit
 * status: the command's, or, if that is 0, whether there is an archive. */
int at_exit_run(const struct at_exit_options *options, char **command);

#endif
