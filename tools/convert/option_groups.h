/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that converters have in common, as groups of their tables. */
#ifndef CONVERT_OPTION_GROUPS_H
#define CONVERT_OPTION_GROUPS_H

#include "options.h"

/* What the inputs are and how they are read; and one more for what can be read by several
 * threads, which a timeline cannot. */
extern const struct option_entry options_reading[];
extern const struct option_entry options_parallel[];

/* What samples are: those of stacks, or spans, or waits. What is for all of these
 * together lacks these options. */
extern const struct option_entry options_sources[];
/* What of the input, and what of its stacks, is in a profile; and one more for what can
 * represent heaps: a timeline has all points of a series. */
extern const struct option_entry options_choosing[];
extern const struct option_entry options_points[];

/* How functions get their names. */
extern const struct option_entry options_naming[];

extern const struct option_entry options_general[];
/* Of converters whose output has the time of the first sample. */
extern const struct option_entry options_start_time[];

/* Whether an input is standard input, which can be read only once. */
bool options_have_standard_input(const struct options *options);

/* Complains and returns false where options_sources and options_choosing do not go
 * together. */
bool options_check_choices(const struct options *options);

#endif
