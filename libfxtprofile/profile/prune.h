/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Putting a profile in order after samples and frames were taken out of it.
 */
#ifndef FXTPROFILE_PROFILE_PRUNE_H
#define FXTPROFILE_PROFILE_PRUNE_H

#include "profile.h"

/* Drops locations, lines, functions and mappings that no sample has, keeps the order of
 * the others, and counts the frames anew. */
void profile_prune(struct profile *profile);

/* Sorts the samples by labels and frames, merges equal ones, and drops those that cancel
 * each other out in a difference, with all that only they have. */
void profile_merge(struct profile *profile);

#endif
