/* SPDX-License-Identifier: BSD-2-Clause */
/* What a tree is made of: see tree.h. */
#ifndef FXTREPORT_TREE_LINES_H
#define FXTREPORT_TREE_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/memory.h"
#include "weights.h"

/* A function where it was called from one place in the tree; or several branches that
 * were cut off there. In a tree of callers, `self` is what had no caller. */
struct tree_line {
    /* The number of its caller's line, TREE_NONE for a root; and how many callers. */
    uint32_t parent;
    uint32_t depth;
    /* The row of the measure; TREE_NONE for branches that were cut off. */
    uint32_t row;
    /* How many branches these are. */
    uint32_t n_cut;
    /* How many lines follow whose parent this is. */
    uint32_t n_children;
    struct weight self;
    struct weight total;
};

#define TREE_NONE UINT32_MAX

/* Lines follow their callers' at once: each is a pre-order. */
struct tree {
    struct tree_line *lines;
    size_t n;
    size_t capacity;
};

/* Adds a line to the end. */
static inline void tree_add_line(struct tree *tree, const struct tree_line *line)
{
    MEMORY_ADD(tree->lines, tree->n, tree->capacity, *line);
}

#endif
