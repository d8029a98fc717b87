/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Folded stacks as the frames of a flame graph: stacks with a common prefix share its
 * frames, and the width of a frame is the total count of the stacks through it.
 *
 * The samples are laid out side by side, sorted by the names of their stacks. A frame
 * covers the run of samples, from `start` on, that have it at the same depth and on the
 * same callers. So adjacent frames are sorted by the bytes of their names, and the result
 * does not depend on the order of the input. Stacks that are not merged are in the order
 * of time instead.
 */
#ifndef FXTPROFILE_OUTPUT_FLAME_TREE_H
#define FXTPROFILE_OUTPUT_FLAME_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libfxtprofile/output/fold.h"

struct flame_frame {
    /* A number in the fold's names; FLAME_ALL in the frame below all others. */
    uint32_t name;
    uint32_t depth;
    uint64_t start;
    uint64_t count;
    /* Its count in the fold that is compared with. */
    uint64_t before;
};

#define FLAME_ALL UINT32_MAX

/* All zero is an empty one. */
struct flame_tree {
    /* In depth-first order; the first is FLAME_ALL, at depth 0. */
    struct flame_frame *frames;
    size_t n_frames;
    size_t frame_capacity;
    /* The number of frames that were too narrow. */
    uint64_t n_left_out;
    /* One more than the depth of the deepest frame. */
    uint32_t n_levels;
};

/* A fold that is compared with, and by the numbers of its names, those of the same names
 * in the other fold. */
struct flame_before {
    const struct fold *fold;
    const uint32_t *names;
};

/* The sum of all stacks' counts, which saturates. */
uint64_t flame_total(const struct fold *fold);

/* Makes the frames with a count of at least `min_count`, and FLAME_ALL in any case; with
 * `reverse` stacks begin with their leaves. `before` may be NULL; frames that only it has
 * are not made. The memory for each frame of a stack is four bytes, and more only for the
 * frames that it makes. */
void flame_tree_build(struct flame_tree *tree, const struct fold *fold,
                      const struct flame_before *before, bool reverse,
                      uint64_t min_count);

#endif
