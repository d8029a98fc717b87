/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a flame graph shows of the profile that it is compared with: the colours of
 * frames, and the functions that are gone.
 */
#ifndef FXTPROFILE_OUTPUT_FLAME_DIFF_H
#define FXTPROFILE_OUTPUT_FLAME_DIFF_H

#include "flame_tree.h"

#include "common/base/share_change.h"

/* All zero where nothing is compared. */
struct flame_diff {
    struct fold before;
    /* By the numbers of its names, those of the other fold. */
    uint32_t *names;
    struct share_whole all_before;
    struct share_whole all_after;
    /* The largest change of a frame. */
    double largest;
};

/* Folds the other profile, whose names are added to those of `fold`. */
void flame_diff_start(struct flame_diff *diff, struct fold *fold,
                      const struct profile *before, struct output_settings *settings);

/* Finds the largest change, once the tree is built. */
void flame_diff_scale(struct flame_diff *diff, const struct flame_tree *tree);

/* Reddish for more, bluish for less, by how much; grey for noise. As 0xrrggbb. */
uint32_t flame_diff_color(const struct flame_diff *diff, const struct flame_frame *frame);

/* Adds "; before 10.00 %: +2.34 %". */
void flame_diff_describe(const struct flame_diff *diff, const struct flame_frame *frame,
                         struct text *text);

/* Adds what the colours mean. */
void flame_diff_explain(const struct flame_diff *diff, struct text *text);

/* Adds the functions that only the other profile has, those with most samples first: of
 * more than `max` only how many they are, and how many are too few to be judged. Adds
 * nothing if there are none. Names are as in the folds. */
void flame_diff_add_gone(const struct flame_diff *diff, const struct fold *fold,
                         size_t max, struct text *text);

#endif
