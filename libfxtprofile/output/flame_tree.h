/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Folded stacks as the frames of a flame graph: stacks with the same beginning share the
 * frames of it, and a frame is as wide as the stacks that go through it are many.
 *
 * The samples are laid side by side in the order of their stacks' names, and a frame is
 * the stretch of them, from `start` on, that have it at the same depth under the same
 * frames. So frames next to each other are in the order of their names' bytes, and
 * nothing depends on the order of the input. Stacks that are not merged stay in the order
 * of time instead.
 */
#ifndef FXTPROFILE_OUTPUT_FLAME_TREE_H
#define FXTPROFILE_OUTPUT_FLAME_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fold.h"

struct flame_frame {
    /* A number in the fold's names; FLAME_ALL in the frame below all others. */
    uint32_t name;
    uint32_t depth;
    uint64_t start;
    uint64_t count;
};

#define FLAME_ALL UINT32_MAX

/* All zero is an empty one. */
struct flame_tree {
    /* Each after its parent, and before its parent's next child; the first is FLAME_ALL,
     * at depth 0. */
    struct flame_frame *frames;
    size_t n_frames;
    size_t frame_capacity;
    /* Frames that were too narrow. */
    uint64_t n_left_out;
    /* One more than the depth of the frame that is farthest up. */
    uint32_t n_levels;
};

/* The sum of all stacks' counts, which goes no further than UINT64_MAX. */
uint64_t flame_total(const struct fold *fold);

/* Makes the frames of all stacks that count at least `min_count`, but FLAME_ALL in any
 * case; with `reverse` the stacks stand on their leaves. What it keeps in memory for each
 * frame of a stack is four bytes, and more only for the frames that it makes. */
void flame_tree_build(struct flame_tree *tree, const struct fold *fold, bool reverse,
                      uint64_t min_count);

void flame_tree_free(struct flame_tree *tree);

#endif
