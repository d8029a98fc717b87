/* SPDX-License-Identifier: BSD-2-Clause */
/* The command lines of fxtheap. */
#ifndef FXTHEAP_OPTIONS_H
#define FXTHEAP_OPTIONS_H

#include "attach/attach.h"
#include "leak_report.h"
#include "pace.h"
#include "run.h"
#include "take.h"

struct arguments {
    struct run_options run;
    struct take_options take;
    struct leak_report_options report;
    struct attach_options attach;
    /* NULL for none. */
    const char *at_exit;
    /* Zeros for none. */
    struct series_step every;
};

/* Takes the options of the command with this name, up to what getopt's optind says. Ends
 * the program if there is something wrong with them. */
void options_parse(struct arguments *arguments, int argc, char **argv,
                   const char *command);

/* fxtheap run --at-exit: runs the command and writes the archive. Reports what is wrong,
 * and returns the exit status: the command's, or, if that is 0, whether there is an
 * archive. */
int at_exit_run(const struct arguments *arguments, char **command);

/* End the program. */
_Noreturn void options_refuse(const char *message);
_Noreturn void options_exit_with_help(void);

#endif
