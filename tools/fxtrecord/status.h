/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said on standard error about a recording, while it lasts and behind. */
#ifndef FXTRECORD_STATUS_H
#define FXTRECORD_STATUS_H

#include "archive.h"
#include "record.h"

/* A line on the terminal with what there is so far, in the place of the one before: of a
 * session, or how many programs are sampled from inside; and none any more. */
void tell_progress(const struct fxt_sampler_counts *counts);
void tell_progress_inside(size_t n_programs);
void tell_no_progress(void);

/* What was recorded, and all that is not among it. */
void tell_result(const struct recording *recording, const struct record_options *options);

#endif
