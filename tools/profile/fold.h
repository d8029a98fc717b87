/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The samples of a profile as stacks of names, root first: what folded stacks and flame
 * graphs have in common. Samples whose names are the same in the same order are one
 * stack, whatever their addresses were.
 *
 * A stack is kept as the numbers of its frames' names, which are unique; its text is
 * never put together here.
 */
#ifndef TOOLS_FOLD_H
#define TOOLS_FOLD_H

#include <stddef.h>
#include <stdint.h>

#include "outputs.h"
#include "profile.h"
#include "string_set.h"
#include "table.h"

struct fold;

/* One stack: frames[first] to frames[first + n - 1], root first. */
struct fold_stack {
    const struct fold *fold;
    size_t first;
    uint32_t n;
    uint64_t count;
};

struct fold {
    const struct profile *profile;
    /* Names as quote_frame writes them, and the name of each of the profile's functions.
     */
    struct strings names;
    uint32_t *function_names;

    uint32_t *frames;
    size_t n_frames;
    /* In the order of the profile's samples. */
    struct fold_stack *stacks;
    size_t n_stacks;

    /* The rest is fold.c's own. */
    size_t frame_capacity;
    size_t stack_capacity;
    struct table table;
    struct text text;
    struct text quoted;
};

/* Folds all samples by their first value, behind the roots that the settings ask for. The
 * fold must stay where it is. */
void fold_profile(struct fold *fold, const struct profile *profile,
                  const struct output_settings *settings);

void fold_free(struct fold *fold);

#endif
