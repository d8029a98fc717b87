/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A walk over the DIEs of a unit, each before those inside it.
 *
 * libdw would look up each DIE's abbreviation under a lock, and take its attributes one
 * by one. Here a DIE is a place in the section, of which libdw makes what it knows where
 * more than the tag is needed.
 */
#ifndef FXTPROFILE_SYMBOLS_DWARF_DEBUG_TREE_H
#define FXTPROFILE_SYMBOLS_DWARF_DEBUG_TREE_H

#include "debug_abbreviations.h"
#include "debug_answers.h"

/* A DIE: where it is in the section, and its tag. */
struct debug_node {
    uint64_t at;
    int tag;
};

/* Where a unit is in .debug_info or, of version 4, in .debug_types. */
struct debug_place {
    const struct debug_sections *sections;
    bool is_in_types;
    uint64_t header;
    uint64_t die;
};

struct debug_tree {
    struct debug_abbreviations abbreviations;
    struct unwind_cursor in;
    /* From the unit's DIE to the one where the walk is. */
    struct debug_node nodes[DEBUG_DEPTH_MAX];
    size_t depth;
    /* Of that DIE. */
    bool has_children;
    bool has_code;
    /* The caller sets it to go past what is inside the DIE where the walk is. */
    bool skips_children;
};

/* A walk that is at a unit's DIE; the caller's to free. */
struct debug_tree *debug_tree_start(struct debug_place unit);

/* Goes to the next DIE: the first child, or the next sibling of it or of what it is in.
 * Returns false at the end. */
bool debug_tree_next(struct debug_tree *tree);

void debug_tree_free(struct debug_tree *tree);

#endif
