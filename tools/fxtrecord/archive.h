/* SPDX-License-Identifier: BSD-2-Clause */
/* The file with the archive of a recording. */
#ifndef FXTRECORD_ARCHIVE_H
#define FXTRECORD_ARCHIVE_H

#include <fxt/sampler.h>

#include "base/text.h"
#include "processes/recording.h"

/* Each returns false, with the reason added to `why`, if that failed, and then there is
 * no file. Writes the archive of a session of this process. */
bool archive_write_session(struct fxt_sampler *sampler,
                           const struct fxt_sampler_archive *archive, const char *name,
                           struct text *why);

/* Writes the archive of what was recorded otherwise. */
bool archive_write_recording(const struct recording *recording, bool has_samples,
                             const char *name, struct text *why);

#endif
