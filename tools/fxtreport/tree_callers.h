/* SPDX-License-Identifier: BSD-2-Clause */
/* Trees of callers, made of a tree of calls. */
#ifndef FXTREPORT_TREE_CALLERS_H
#define FXTREPORT_TREE_CALLERS_H

#include <stdbool.h>

#include "measure.h"
#include "tree_lines.h"

/* A function below another node, whose number is lower. Node 0 is above all roots. */
struct tree_node {
    uint32_t parent;
    uint32_t row;
    uint32_t first_child;
    uint32_t next;
    struct weight self;
    struct weight total;
};

struct tree_nodes {
    const struct tree_node *nodes;
    size_t n;
};

/* Adds the callers of all functions that match, by the measure's rows. Branches below
 * `min` are cut off, but not the roots; and so is everything once the tree has
 * TREE_LINES_MAX lines. */
void tree_add_callers(struct tree *tree, const struct tree_nodes *nodes,
                      const struct measure *measure, const bool *matches, int64_t min);

/* A stack of n functions has n * n / 2 callers. */
enum { TREE_LINES_MAX = 1 << 22 };

#endif
