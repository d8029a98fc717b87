/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What functions are declared in: namespaces, classes, and functions with classes in
 * them.
 *
 * A DIE does not refer to its parent, so the extents of scopes are recorded while a unit
 * is read, and searched.
 */
#ifndef FXTPROFILE_SYMBOLS_DWARF_DEBUG_SCOPES_H
#define FXTPROFILE_SYMBOLS_DWARF_DEBUG_SCOPES_H

#include "common/base/table.h"
#include "debug_dwarf.h"

struct debug_scope_list;

/* The DIEs from `start` up to `end` in the section are inside this one. */
struct debug_scope {
    /* Of its unit. */
    const struct debug_scope_list *list;
    uint64_t start;
    uint64_t end;
    int tag;
    /* How deep it is, and the scope that it is in, by its number, or DEBUG_NO_SCOPE. */
    uint32_t depth;
    uint32_t parent;
    /* The prefix of names in this scope, or NULL until it is computed. */
    char *prefix;
};

#define DEBUG_NO_SCOPE UINT32_MAX

/* The scopes of a unit. */
struct debug_scope_list {
    Dwarf_CU *unit;
    const struct debug_dwarf *file;
    bool is_in_types;
    struct debug_scope *items;
    size_t n;
    size_t capacity;
    /* While it is read: the innermost scope that has not ended. */
    uint32_t open;
};

/* All zero, but for the files, has no units. */
struct debug_scopes {
    const struct debug_dwarf *files;
    struct debug_scope_list **lists;
    size_t n;
    size_t capacity;
    struct table table;
};

/* The list of a unit that is about to be read, by a walk. */
struct debug_scope_list *debug_scopes_start(struct debug_scopes *scopes, Dwarf_Die *unit,
                                            struct debug_tree **walk);

/* Notes the DIE where a walk is. */
void debug_scopes_take(struct debug_scope_list *list, const struct debug_tree *tree);

/* The prefix of a function's qualified name, as in "std::vector<int>::"; or NULL. Valid
 * until the scopes are freed. */
const char *debug_scopes_find(struct debug_scopes *scopes, const Dwarf_Die *function,
                              const char *name);

#endif
