/* SPDX-License-Identifier: BSD-2-Clause */
/* What is in the blocks of a process that runs. */
#ifndef FXTHEAP_CONTENTS_H
#define FXTHEAP_CONTENTS_H

#include <stdbool.h>

#include "tools/fxtheap/table/table_file.h"

/* Writes each block's bytes to DIRECTORY/PROCESS/ADDRESS, of which DIRECTORY may be there
 * already, and DIRECTORY/PROCESS must not. `thread` is one that has not ended, or 0,
 * which has no memory. Stores how many blocks could not be read, or only in part; returns
 * false, with the reason added to `why`, if files cannot be written or the process cannot
 * be read at all. */
bool contents_write(const struct table_copy *copy, uint64_t thread, const char *directory,
                    uint64_t *n_missing, struct text *why);

#endif
