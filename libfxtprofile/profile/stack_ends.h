/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the stacks of a profile ended, if their sampler says: as counts, and as root frames
 * such as "[cut: no unwind table]" that keep stacks that are not whole apart from those
 * that are.
 */
#ifndef FXTPROFILE_PROFILE_STACK_ENDS_H
#define FXTPROFILE_PROFILE_STACK_ENDS_H

#include "function_list.h"
#include "profile_builder.h"

/* Sets the file in which each stack ended. Stacks have locations. */
void stack_ends_find_files(struct profile_builder *builder);

/* Adds to each stack that is not whole a root frame that says why, if that is requested;
 * and gives samples of time without samples (FXT_STACK_END_NOT_SAMPLED) their only frame.
 * After stack_ends_find_files. */
void stack_ends_show(struct profile_builder *builder, struct function_list *functions);

/* Counts the samples of the profile by how their stacks ended. Those of threads without a
 * stack, in exec or exit, are not counted. */
void stack_ends_count(struct profile_builder *builder);

#endif
