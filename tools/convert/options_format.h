/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which format is written: the one that the user names, or else the one that the output's
 * name ends in. A name that promises what would not be in the file is refused.
 */
#ifndef CONVERT_OPTIONS_FORMAT_H
#define CONVERT_OPTIONS_FORMAT_H

#include "options.h"

/* The first format after `format` that the converter offers, which is described in
 * `info`; FXT_PROFILE_FORMAT_ANY, from which a walk begins, at the end. */
enum fxt_profile_format options_next_format(const struct converter *converter,
                                            enum fxt_profile_format format,
                                            struct fxt_profile_format_info *info);

/* Adds what --help prints of the formats, if there are several; their descriptions begin
 * at `column`. */
void options_help_formats(struct text *text, const struct converter *converter,
                          size_t column);

/* Takes the format with a name, for OPTION_CALL; returns false if the converter does not
 * offer it. */
bool options_take_format(struct option_given *given);

/* Fills in options->write.format where no option has; complains and returns false if the
 * output's name is that of something else. */
bool options_choose_format(struct options *options, const struct converter *converter);

#endif
