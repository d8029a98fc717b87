/* SPDX-License-Identifier: BSD-2-Clause */
/* fxtheap list and fxtheap snapshot. */
#ifndef FXTHEAP_TAKE_H
#define FXTHEAP_TAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/fxtheap/table/table_file.h"

struct take_options {
    const char *directory;
    /* NULL, and 0, for any. */
    const char *name;
    uint64_t process;
    bool takes_several;
    bool with_tags;
    /* Of the time when the heap was largest. */
    bool of_peak;
    /* All threads of the process are stopped while it is read. */
    bool freezes;
    /* NULL for none. */
    const char *contents;
    const char *output;
    bool quiet;
    /* For the list: tables of processes that have ended are removed at once. */
    bool cleans;
};

/* Both report what is wrong and return the exit status. */
int take_list(const struct take_options *options);
int take_snapshot(const struct take_options *options);

/* Writes each block's bytes to DIRECTORY/PROCESS/ADDRESS, of which DIRECTORY may be there
 * already, and DIRECTORY/PROCESS must not. `thread` is one that has not ended, or 0,
 * which has no memory. Stores how many blocks could not be read, or only in part; returns
 * false, with the reason added to `why`, if files cannot be written or the process cannot
 * be read at all. */
bool contents_write(const struct table_copy *copy, uint64_t thread, const char *directory,
                    uint64_t *n_missing, struct text *why);

#endif
