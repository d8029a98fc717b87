/* SPDX-License-Identifier: BSD-2-Clause */
/* Merges archives; fxtrecord does, too. */
#ifndef FXTMERGE_MERGE_H
#define FXTMERGE_MERGE_H

#include "settings.h"

/* The exit status of fxtmerge. */
enum merge_status { MERGE_GOOD = 0, MERGE_BAD = 1, MERGE_UNUSABLE = 2 };

/* Prints what is wrong with the inputs or the output, which appears under its name once
 * it is whole; then it may replace an input. */
enum merge_status merge_archives(const struct merge_options *options);

#endif
