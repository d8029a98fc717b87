/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merges mappings that show the same part of the same file, in several processes or at
 * several addresses, as pprof does where it merges profiles.
 *
 * The same part is one of the same size in pages and the same file offset; the same file
 * has the same build id or, if it has none, the same name. An address in a merged mapping
 * is moved to where its own mapping would have it.
 */
#ifndef FXTPROFILE_PROFILE_MERGE_MAPPINGS_H
#define FXTPROFILE_PROFILE_MERGE_MAPPINGS_H

#include "profile_builder.h"

/* When all mappings and locations are known. Locations that become equal are merged, too;
 * samples may become equal. */
void profile_merge_mappings(struct profile_builder *builder);

#endif
