/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stacks of a profile's samples as a tree, in which stacks share the frames that they
 * have in common from the root on.
 */
#ifndef FXTPROFILE_OUTPUT_STACK_TREE_H
#define FXTPROFILE_OUTPUT_STACK_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/table.h"
#include "libfxtprofile/profile/profile.h"

#define STACK_TREE_NONE UINT32_MAX

struct stack_node {
    /* STACK_TREE_NONE for a root. Its number is lower. */
    uint32_t prefix;
    uint32_t frame;
};

/* All zero is an empty one. */
struct stack_tree {
    struct stack_node *nodes;
    size_t n_nodes;
    size_t capacity;
    struct table table;
};

/* Adds the stacks of a profile. A frame is a line of the profile, by its number, or what
 * `frames`, if it is not NULL, has in its place. Returns, by number of the profile's
 * stacks, the node of its leaf, for the caller to free; STACK_TREE_NONE for those that no
 * sample has, and for empty ones. */
uint32_t *stack_tree_add(struct stack_tree *tree, const struct profile *profile,
                         const uint32_t *frames);

#endif
