/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Removes what no sample uses and merges equal samples, after samples and frames of a
 * profile were removed or changed; and merges mappings.
 */
#ifndef FXTPROFILE_PROFILE_PRUNE_H
#define FXTPROFILE_PROFILE_PRUNE_H

#include "profile_builder.h"

/* Drops locations, lines, functions and mappings that no sample uses, keeps the order of
 * the others, and recounts the frames. */
void profile_prune(struct profile_builder *builder);

/* Sorts the samples by labels and frames, merges equal ones, and drops those that cancel
 * each other out in a difference, with all that only they use. */
void profile_merge_samples(struct profile_builder *builder);

/* Merges mappings that show the same part of the same file, in several processes or at
 * several addresses, as pprof does where it merges profiles. When all mappings and
 * locations are known. Locations that become equal are merged, too;
 * samples may become equal. */
void profile_merge_mappings(struct profile_builder *builder);

#endif
