/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A walk over the DIEs of a unit, each before those inside it.
 *
 * The structure of the tree is not trusted: a walk only moves forward in the file, so
 * that it ends.
 */
#ifndef FXTPROFILE_SYMBOLS_DWARF_DEBUG_TREE_H
#define FXTPROFILE_SYMBOLS_DWARF_DEBUG_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include <elfutils/libdw.h>

#include "debug_answers.h"

/* The DIEs from the unit's to the one where the walk is, with their tags. */
struct debug_tree {
    Dwarf_Die dies[DEBUG_DEPTH_MAX];
    int tags[DEBUG_DEPTH_MAX];
    size_t depth;
    Dwarf_Off at;
    /* The caller sets it to go past what is inside the DIE where the walk is. */
    bool skips_children;
};

/* A walk that is at a unit's DIE; the caller's to release. */
struct debug_tree *debug_tree_start(const Dwarf_Die *unit);

/* Goes to the next DIE: the first child, or the next sibling of it or of what it is in.
 * Returns false at the end. */
bool debug_tree_next(struct debug_tree *tree);

#endif
