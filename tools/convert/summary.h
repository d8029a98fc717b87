/* SPDX-License-Identifier: BSD-2-Clause */
/* What a profile holds and what it lacks, on standard error. */
#ifndef CONVERT_SUMMARY_H
#define CONVERT_SUMMARY_H

#include <fxt/profile.h>

/* Prints how much there is, and what the profile lacks. */
void summary_print(const char *program, const struct fxt_profile *profile);

/* Prints what the sampler dropped on each CPU. */
void summary_print_drops(const char *program, const struct fxt_profile *profile);

#endif
