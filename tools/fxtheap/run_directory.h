/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the processes of fxtheap run --at-exit have their tables: a directory
 * fxtheap.run.XXXXXX in the one that all others use.
 *
 * As long as the file `keep` is in it, processes leave their tables there when they end.
 * The fxtheap that collects them holds a lock on the directory, which ends with it
 * however it ends; another fxtheap finds the processes, and removes nothing until then.
 */
#ifndef FXTHEAP_RUN_DIRECTORY_H
#define FXTHEAP_RUN_DIRECTORY_H

#include <stdbool.h>

#include "common/base/text.h"

struct run_directory {
    char *path;
    char *keep;
    int lock;
};

/* Makes one in `directory`. Returns false, with the reason added to `why`, on failure. */
bool run_directory_make(struct run_directory *run, const char *directory,
                        struct text *why);

/* From now on processes remove their tables. */
void run_directory_release(const struct run_directory *run);

/* Removes it, unless tables are left in it, and unlocks it. */
void run_directory_end(struct run_directory *run);

/* Whether a file has such a name, and is a directory. */
bool run_directory_is(const char *path);

/* Locks one whose fxtheap has ended; -1 if it has not. */
int run_directory_lock(const char *path);

/* Removes a locked one, unless tables are left in it, and unlocks it. */
void run_directory_sweep(const char *path, int lock);

#endif
