/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which format is written: the one that the user names, or else the one that the output's
 * name ends in. A name that promises what would not be in the file is refused.
 */
#ifndef CONVERT_OPTIONS_FORMAT_H
#define CONVERT_OPTIONS_FORMAT_H

#include "options.h"

/* Fills in options->format where no option has; complains and returns false if the
 * output's name is that of something else. */
bool options_choose_format(struct options *options, const struct converter *converter);

#endif
