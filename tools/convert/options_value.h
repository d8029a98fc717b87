/* SPDX-License-Identifier: BSD-2-Clause */
/* The option --value: which of the samples' values is shown. */
#ifndef CONVERT_OPTIONS_VALUE_H
#define CONVERT_OPTIONS_VALUE_H

#include "options.h"

/* Takes samples, spans, waits, time, objects or bytes, or else the name of an event,
 * which inputs may have, for OPTION_CALL. */
bool options_take_value(struct option_given *given);

/* Finds the value that was named. If the profile does not have it, prints which ones it
 * has, and returns false. `about` is the file that this is about, or NULL. */
bool options_find_value(const char *program, const char *about,
                        const struct fxt_profile *profile,
                        const struct fxt_profile_output *output, size_t *value);

#endif
