/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that a recording leaves: an archive, or regions and an archive with all that
 * is not a sample. */
#ifndef FXTRECORD_FILES_H
#define FXTRECORD_FILES_H

#include "common/base/text.h"
#include "record_options.h"

/* Makes the directory for regions, if there is to be one, and checks that the archive,
 * log or regions can be written, before there is anything to lose. Reports a failure and
 * returns false. */
bool files_prepare(const struct record_options *options);

/* Adds the command line, quoted, and its NUL. */
void files_quote_command(const struct record_options *options, struct text *to);

/* The name of the archive, which has all but the samples where regions are files. */
struct text files_name_archive(const struct record_options *options);

/* Calls `take` for each entry of a directory, with its path, in the order of versions:
 * what a process did first comes first. */
typedef void files_entry_fn(void *context, const char *path, const char *name);
void files_for_each(const char *directory, files_entry_fn *take, void *context);

/* Removes a directory with the files in it, or a file. */
void files_remove(const char *path);

#endif
