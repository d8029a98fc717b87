/* SPDX-License-Identifier: BSD-2-Clause */
/* Merges archives. */
#ifndef FXTMERGE_MERGE_H
#define FXTMERGE_MERGE_H

#include "settings.h"

/* The exit status of the program. */
enum merge_status { MERGE_GOOD = 0, MERGE_BAD = 1, MERGE_UNUSABLE = 2 };

enum merge_status merge_archives(const struct merge_options *options);

#endif
