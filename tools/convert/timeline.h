/* SPDX-License-Identifier: BSD-2-Clause */
/* The converters to timelines, which differ only in their format. */
#ifndef CONVERT_TIMELINE_H
#define CONVERT_TIMELINE_H

#include "convert.h"

/* The command line of one; `name` to `gzip_by_name` of the converter are given, the
 * options are the same for all. One that has `check_own` and `write_own` has --into-fxt,
 * with which these are called. */
int timeline_main(const struct converter *format, int argc, char **argv);

#endif
