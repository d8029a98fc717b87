/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that a recording leaves: an archive, or regions and what belongs to them. */
#ifndef FXTRECORD_FILES_H
#define FXTRECORD_FILES_H

#include "archive.h"
#include "record.h"

/* Makes the directory for regions, if there is to be one and is none, and sees whether
 * the archive, log or regions can be written, before there is something to lose.
 * Complains and returns false if not. */
bool files_prepare(const struct record_options *options);

/* Adds the command line, quoted, and its NUL. */
void files_quote_command(const struct record_options *options, struct text *to);

/* Writes the files; the regions only if they are in memory. Complains and returns false
 * if that fails. */
bool files_write(const struct record_options *options, const struct recording *recording,
                 bool writes_regions);

/* Where the samples are, in words. */
const char *files_name(const struct record_options *options);

#endif
