/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ranks of names in folded stacks, so that stacks can be compared by numbers instead
 * of text: one rank of a name as followed by a semicolon, and one as followed, at the end
 * of a stack, by a space and a count.
 */
#ifndef FXTPROFILE_OUTPUT_NAME_RANKS_H
#define FXTPROFILE_OUTPUT_NAME_RANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/string_table.h"

/* By the number of a name: its rank if another name follows it, and if it is the last;
 * from 1 on, all different. */
struct name_ranks {
    uint32_t *inner;
    uint32_t *last;
};

/* No name may have a semicolon or a zero, or end in a space. Returns false if the ranks
 * are sufficient for equality but not for the order of stacks, since some name looks like
 * another one with a count, as "a 12" does if "a" is a name too. */
bool name_ranks_make(struct name_ranks *ranks, const struct string_table *names);

#endif
