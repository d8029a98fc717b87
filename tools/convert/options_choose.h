/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options by which a user chooses what of the input, and what of its stacks, is in a
 * profile.
 */
#ifndef CONVERT_OPTIONS_CHOOSE_H
#define CONVERT_OPTIONS_CHOOSE_H

#include "options.h"

/* What samples are: those of stacks, or spans, or waits. What is for all of these
 * together lacks these options. */
extern const struct option_entry options_sources[];

/* All converters have these. */
extern const struct option_entry options_choosing[];

/* One more, for what can represent heaps; a timeline has all points of a series. */
extern const struct option_entry options_points[];

/* Complains and returns false where they do not go together. */
bool options_check_choices(const struct options *options);

#endif
