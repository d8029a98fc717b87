/* SPDX-License-Identifier: BSD-2-Clause */
/* See start_time.h. */
#include "start_time.h"

#include "common/base/parse.h"

bool start_time_take(struct options *options, const char *value)
{
    return parse_seconds(value, &options->build.start_ns) &&
           options->build.start_ns > 0 && options->build.start_ns <= INT64_MAX;
}
