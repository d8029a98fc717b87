/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_tree.h. */
#include "debug_tree.h"

struct debug_tree *debug_tree_start(const Dwarf_Die *unit)
{
    struct debug_tree *t = memory_allocate(sizeof(*t));

    t->dies[0] = *unit;
    t->tags[0] = dwarf_tag(&t->dies[0]);
    t->at = dwarf_dieoffset(&t->dies[0]);
    return t;
}

/* Pushes the DIE that was stored after the last one; false if it does not follow it in
 * the file. */
static bool enter_die(struct debug_tree *t)
{
    Dwarf_Die *die = &t->dies[t->depth];
    Dwarf_Off at = dwarf_dieoffset(die);

    if (at == (Dwarf_Off)-1 || at <= t->at)
        return false;
    t->at = at;
    t->skips_children = false;
    t->tags[t->depth] = dwarf_tag(die);
    return true;
}

bool debug_tree_next(struct debug_tree *t)
{
    Dwarf_Die *die = &t->dies[t->depth];

    if (!t->skips_children && t->depth + 1 < DEBUG_DEPTH_MAX &&
        dwarf_child(die, die + 1) == 0) {
        t->depth++;
        return enter_die(t);
    }
    for (; t->depth > 0; t->depth--) {
        if (dwarf_siblingof(&t->dies[t->depth], &t->dies[t->depth]) == 0)
            return enter_die(t);
    }
    return false;
}
