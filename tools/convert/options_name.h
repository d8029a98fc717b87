/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that say how functions get their names. */
#ifndef CONVERT_OPTIONS_NAME_H
#define CONVERT_OPTIONS_NAME_H

#include "options.h"

extern const struct option_entry options_naming[];

/* Takes one of options_naming; returns false for a value that is impossible. */
bool options_take_naming(struct options *options, int letter, const char *value);

#endif
