/* SPDX-License-Identifier: BSD-2-Clause */
/* The files that a recording leaves: an archive, or regions and an archive with all that
 * is not a sample. */
#ifndef FXTRECORD_FILES_H
#define FXTRECORD_FILES_H

#include "base/text.h"
#include "processes/recording.h"
#include "record_options.h"

/* Makes the directory for regions, if there is to be one, and checks that the archive,
 * log or regions can be written, before there is anything to lose. Reports a failure and
 * returns false. */
bool files_prepare(const struct record_options *options);

/* Adds the command line, quoted, and its NUL. */
void files_quote_command(const struct record_options *options, struct text *to);

/* Write the files, of a session, or of what was recorded otherwise. Report a failure and
 * return false. */
bool files_write_session(const struct record_options *options,
                         struct fxt_sampler *sampler, const char *command_line,
                         struct fxt_sampler_summary *summary);
bool files_write_recording(const struct record_options *options,
                           const struct recording *recording);

/* What has the samples, for messages. */
const char *files_name(const struct record_options *options);

#endif
