/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The places of names in folded stacks among all names, so that stacks can be compared by
 * numbers instead of text: as a name is followed by a semicolon or, at the end of a
 * stack, by a space and a count.
 */
#ifndef FXTPROFILE_OUTPUT_NAME_RANKS_H
#define FXTPROFILE_OUTPUT_NAME_RANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/string_table.h"

/* By the number of a name: its place if something follows it, and if nothing does; from 1
 * on, all different. */
struct name_ranks {
    uint32_t *inner;
    uint32_t *last;
};

/* No name has a semicolon or a zero, or ends in a space. Returns false if places are not
 * enough for the order of stacks, and only say what is the same: some name goes on as
 * another one and a count would, as "a 12" does where "a" is a name too. */
bool name_ranks_make(struct name_ranks *ranks, const struct string_table *names);

void name_ranks_free(struct name_ranks *ranks);

#endif
