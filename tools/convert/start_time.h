/* SPDX-License-Identifier: BSD-2-Clause */
/* --start-time, which some of the converters have. */
#ifndef CONVERT_START_TIME_H
#define CONVERT_START_TIME_H

#include "options.h"

#define START_TIME_OPTION(letter)                                                        \
    {                                                                                    \
        "start-time", letter, "TIME",                                                    \
            "when the first sample was taken, in seconds since the Unix epoch, with up " \
            "to nine "                                                                   \
            "decimals"                                                                   \
    }

/* Returns false for a time that is impossible. */
bool start_time_take(struct options *options, const char *value);

#endif
