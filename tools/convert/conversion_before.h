/* SPDX-License-Identifier: BSD-2-Clause */
/* The earlier recording, with which a tool compares the one that it shows. */
#ifndef CONVERT_CONVERSION_BEFORE_H
#define CONVERT_CONVERSION_BEFORE_H

#include "conversion.h"

/* Makes a profile of a file with the options of `now`, which must stay in place, as must
 * `before` and `file`. Returns an exit status; with EXIT_UNUSABLE, which was reported,
 * there may be no profile. */
int conversion_read_before(struct conversion *before, const struct conversion *now,
                           struct fxt_profile_file *file);

/* Whether the profiles are of the same kind, and the values that are shown of the same
 * type; if not, that is reported. */
bool conversion_is_comparable(const struct conversion *now,
                              const struct conversion *before);

#endif
