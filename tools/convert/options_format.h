/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which format is written: the one that the user names, or else the one that the output's
 * name ends in. A name that promises what would not be in the file is refused.
 */
#ifndef CONVERT_OPTIONS_FORMAT_H
#define CONVERT_OPTIONS_FORMAT_H

#include "options.h"

/* Takes the one of `formats` with a name; returns false if there is none. */
bool options_take_format(struct options *options, const enum fxt_profile_format *formats,
                         const char *name);

/* Fills in options->write.format where no option has; complains and returns false if the
 * output's name is that of something else. */
bool options_choose_format(struct options *options, const struct converter *converter);

#endif
