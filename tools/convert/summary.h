/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a profile holds and what it lacks, in words: for whoever makes it, on standard
 * error, and what it lacks also for whoever reads it later.
 */
#ifndef CONVERT_SUMMARY_H
#define CONVERT_SUMMARY_H

#include <stdint.h>

#include "libfxtprofile/import/collect.h"
#include "libfxtprofile/profile/profile.h"

/* Adds a comment for everything that became of samples and is not in the profile.
 * `n_errors` is how many errors were found in the input. */
void summary_comment(struct profile *profile, const struct tally *tally,
                     uint64_t n_errors);

/* Prints how much there is, and the profile's comments from `first_comment` on. */
void summary_print(const char *program, const struct profile *profile,
                   const struct tally *tally, size_t first_comment);

/* Prints what the sampler dropped on each CPU. */
void summary_print_drops(const char *program, const struct tally *tally);

#endif
