/* SPDX-License-Identifier: BSD-2-Clause */
/* A directory with the regions of a recording, cpu0.bin and so on. */
#ifndef FXTRECORD_REGION_FILES_H
#define FXTRECORD_REGION_FILES_H

#include "base/text.h"
#include "processes/filled_regions.h"

/* Writes the regions of each CPU as one file: one process's records after another's.
 * Returns false, with the reason added to `why`, if that failed. */
bool region_files_write(const struct filled_regions *regions, const char *directory,
                        struct text *why);

/* Removes the files of CPUs that there are no regions of: the CPUs were never online. */
void region_files_remove_others(const struct filled_regions *regions,
                                const char *directory);

#endif
