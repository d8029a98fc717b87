/* SPDX-License-Identifier: BSD-2-Clause */
/* Comments about samples that are not in the profile. */
#ifndef FXTPROFILE_LOSSES_H
#define FXTPROFILE_LOSSES_H

#include <stdint.h>

#include "common/base/text.h"
#include "libfxtprofile/import/collect.h"
#include "libfxtprofile/profile/profile_builder.h"

/* Adds a comment to the profile for everything that is not in it. `n_errors` is how many
 * errors were found in the input. */
void losses_comment(struct profile_builder *builder, const struct tally *tally,
                    uint64_t n_errors);

/* The same for stacks that are not whole: how many are, and the largest reasons. */
void losses_comment_stacks(struct profile_builder *builder);

/* What the profile counts: sample, span or object. */
const char *losses_noun(const struct profile *profile);

#endif
