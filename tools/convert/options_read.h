/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that say what the inputs are and how they are read. */
#ifndef CONVERT_OPTIONS_READ_H
#define CONVERT_OPTIONS_READ_H

#include "options.h"

extern const struct option_entry options_reading[];

/* One more, for what can be read by several threads; a timeline cannot. */
extern const struct option_entry options_parallel[];

/* Whether an input is standard input, which can be read only once. */
bool options_have_standard_input(const struct options *options);

#endif
