/* SPDX-License-Identifier: BSD-2-Clause */
/* The directory of a recording by signals, which is removed with it; and those of
 * recorders that were killed, which the next recorder removes. */
#ifndef FXTRECORD_INJECT_INJECT_DIRECTORY_H
#define FXTRECORD_INJECT_INJECT_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

/* Makes the directory, and writes its name; a file in it is open as `lock`, and is locked
 * as long as that is. Returns false with errno set. */
bool inject_make_directory(char *directory, size_t size, const char *parent, int *lock);

/* Calls `take` for each entry of a directory, with its path, in the order of versions:
 * what a process did first comes first. */
typedef void inject_entry_fn(void *context, const char *path, const char *name);
void inject_for_each(const char *directory, inject_entry_fn *take, void *context);

/* Removes the directory of a process with its files, or a file; and a directory of
 * these. */
void inject_remove_process(const char *path);
void inject_remove_directory(const char *path);

/* Those of this user's recorders in `parent` that have ended and left theirs. */
void inject_remove_left(const char *parent);

#endif
