/* SPDX-License-Identifier: BSD-2-Clause */
/* What a profile holds and what it lacks, on standard error. */
#ifndef CONVERT_SUMMARY_H
#define CONVERT_SUMMARY_H

#include <stdint.h>

#include "libfxtprofile/import/collect.h"
#include "libfxtprofile/profile/profile.h"

/* Prints how much there is, and the profile's comments from `first_comment` on. */
void summary_print(const char *program, const struct profile *profile,
                   const struct tally *tally, size_t first_comment);

/* Prints what the sampler dropped on each CPU. */
void summary_print_drops(const char *program, const struct tally *tally);

#endif
