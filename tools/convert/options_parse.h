/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of the converters. */
#ifndef CONVERT_OPTIONS_PARSE_H
#define CONVERT_OPTIONS_PARSE_H

#include "options.h"

enum options_result {
    OPTIONS_OK,
    /* Help or the version was requested and printed. */
    OPTIONS_DONE,
    /* It could not be printed. */
    OPTIONS_FAILED,
    /* A complaint was printed. */
    OPTIONS_WRONG,
};

/* `options` must stay in place. */
enum options_result options_parse(struct options *options,
                                  const struct converter *converter, int argc,
                                  char **argv);

#endif
