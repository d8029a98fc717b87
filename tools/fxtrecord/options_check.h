/* SPDX-License-Identifier: BSD-2-Clause */
/* Which options fit together. */
#ifndef FXTRECORD_OPTIONS_CHECK_H
#define FXTRECORD_OPTIONS_CHECK_H

#include "record_options.h"

/* Ends the program with a message and the status for a wrong command line. */
_Noreturn void options_refuse(const char *message);

/* Ends the program if options exclude each other, or need others. Sets the default
 * output. */
void options_check(struct record_options *options);

/* Whether a control group is recorded. */
bool options_have_cgroup(const struct record_options *options);

/* Whether a clock is sampled, alone or beside other events. */
bool options_sample_clock(const struct record_options *options);

#endif
