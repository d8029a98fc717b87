/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_scopes.h. */
#include "debug_scopes.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "common/base/search.h"

/* How many scopes a function may be in, and how many references to other DIEs are
 * followed. */
enum { SCOPES_MAX = 64, REFERENCES_MAX = 16 };

/* ---- Reading ----------------------------------------------------------------------- */

struct debug_scope_list *debug_scopes_start(struct debug_scopes *s, Dwarf_Die *unit,
                                            struct debug_tree **walk)
{
    struct debug_scope_list *list = memory_allocate(sizeof(*list));
    struct debug_place place;

    list->unit = unit->cu;
    list->file = debug_dwarf_of(s->files, unit->cu);
    list->open = DEBUG_NO_SCOPE;
    table_add(&s->table, hash_word(hash_start(), (uintptr_t)unit->cu), s->n);
    MEMORY_ADD(s->lists, s->n, s->capacity, list);
    place = debug_dwarf_place(list->file, unit);
    list->is_in_types = place.is_in_types;
    *walk = debug_tree_start(place);
    return list;
}

static bool is_class(int tag)
{
    return tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
           tag == DW_TAG_union_type || tag == DW_TAG_interface_type;
}

static bool is_scope(int tag)
{
    return is_class(tag) || tag == DW_TAG_namespace || tag == DW_TAG_module;
}

static void add_scope(struct debug_scope_list *list, const struct debug_tree *tree,
                      size_t depth)
{
    struct debug_node node = tree->nodes[depth];

    MEMORY_ADD(list->items, list->n, list->capacity,
               (struct debug_scope){
                   .list = list,
                   .start = node.at,
                   .end = UINT64_MAX,
                   .tag = node.tag,
                   .depth = (uint32_t)depth,
                   .parent = list->open,
               });
    list->open = (uint32_t)list->n - 1;
}

/* A function is a scope if it contains a class, and is added with the first one. */
void debug_scopes_take(struct debug_scope_list *list, const struct debug_tree *tree)
{
    struct debug_node node = tree->nodes[tree->depth];
    size_t above = 0;

    while (list->open != DEBUG_NO_SCOPE && list->items[list->open].depth >= tree->depth) {
        list->items[list->open].end = node.at;
        list->open = list->items[list->open].parent;
    }
    if (!is_scope(node.tag) || !tree->has_children)
        return;
    if (list->open != DEBUG_NO_SCOPE)
        above = list->items[list->open].depth;
    for (size_t i = above + 1; i < tree->depth; i++) {
        if (tree->nodes[i].tag == DW_TAG_subprogram)
            add_scope(list, tree, i);
    }
    add_scope(list, tree, tree->depth);
}

/* The scopes of a unit, which is read if it was not: what several units share is in a
 * separate unit. */
static struct debug_scope_list *find_list(struct debug_scopes *s, Dwarf_Die *die)
{
    struct table_probe probe =
        table_probe(&s->table, hash_word(hash_start(), (uintptr_t)die->cu));
    struct debug_scope_list *list;
    struct debug_tree *tree;
    Dwarf_Die unit = *die;
    uint32_t number;

    while (table_next(&s->table, &probe, &number)) {
        if (s->lists[number]->unit == die->cu)
            return s->lists[number];
    }
    dwarf_diecu(die, &unit, NULL, NULL);
    list = debug_scopes_start(s, &unit, &tree);
    while (debug_tree_next(tree))
        debug_scopes_take(list, tree);
    debug_tree_free(tree);
    return list;
}

/* ---- Looking up -------------------------------------------------------------------- */

static Dwarf_Die die_of(const struct debug_scope *scope)
{
    return debug_dwarf_die(scope->list->file, scope->list->is_in_types, scope->start);
}

/* The DIE where a function or a class is declared, or a namespace is opened first. */
static Dwarf_Die declaration_of(const Dwarf_Die *of)
{
    static const unsigned references[] = {DW_AT_abstract_origin, DW_AT_specification,
                                          DW_AT_extension};
    Dwarf_Die die = *of;
    bool found = true;

    for (int n = 0; n < REFERENCES_MAX && found; n++) {
        found = false;
        for (size_t i = 0; i < 3 && !found; i++) {
            Dwarf_Attribute storage;
            Dwarf_Die next;

            found = dwarf_formref_die(dwarf_attr(&die, references[i], &storage), &next) !=
                    NULL;
            if (found)
                die = next;
        }
    }
    return die;
}

/* The innermost scope that a DIE is in, or NULL. */
static struct debug_scope *find_scope(struct debug_scopes *s, Dwarf_Die *die)
{
    struct debug_scope_list *list = find_list(s, die);
    Dwarf_Off at = dwarf_dieoffset(die);
    size_t n = search_below(list->items, list->n, sizeof(*list->items),
                            offsetof(struct debug_scope, start), at);
    uint32_t i = n > 0 ? (uint32_t)n - 1 : DEBUG_NO_SCOPE;

    while (i != DEBUG_NO_SCOPE && list->items[i].end <= at)
        i = list->items[i].parent;
    return i != DEBUG_NO_SCOPE ? &list->items[i] : NULL;
}

/* A part of a prefix. A class without a name has a number instead, and is a lambda's if
 * the next part, or what the prefix is for, is its operator(). */
struct prefix_part {
    const char *name;
    int tag;
    uint32_t number;
    bool is_lambda;
};

/* The number of an unnamed class among those that are directly in the same scope. */
static uint32_t number_unnamed(const struct debug_scope *scope)
{
    const struct debug_scope_list *list = scope->list;
    uint32_t i = scope->parent == DEBUG_NO_SCOPE ? 0 : scope->parent + 1;
    uint32_t number = 1;

    for (; &list->items[i] < scope; i++) {
        const struct debug_scope *other = &list->items[i];
        Dwarf_Die die;

        if (other->parent != scope->parent || !is_class(other->tag))
            continue;
        die = die_of(other);
        number += dwarf_diename(&die) == NULL;
    }
    return number;
}

/* For a namespace or a class this is its first declaration, which has the name. */
static struct prefix_part make_part(const struct debug_scope *scope,
                                    Dwarf_Die *declaration, const char *inner)
{
    struct prefix_part part = {
        .name = dwarf_diename(declaration),
        .tag = scope->tag,
        .is_lambda = inner != NULL && strcmp(inner, "operator()") == 0,
    };

    if (part.name == NULL && is_class(scope->tag))
        part.number = number_unnamed(scope);
    return part;
}

/* Some versions of GCC call the class of a lambda <lambda(int)>. */
static void add_part(struct text *prefix, struct prefix_part part)
{
    size_t size = part.name != NULL ? strlen(part.name) : 0;

    if (part.name == NULL && is_class(part.tag))
        text_printf(prefix, part.is_lambda ? "{lambda#%u}" : "{unnamed type#%u}",
                    (unsigned)part.number);
    else if (part.name == NULL)
        text_str(prefix, part.tag == DW_TAG_namespace ? "(anonymous namespace)" : "?");
    else if (strncmp(part.name, "<lambda", 7) == 0 && part.name[size - 1] == '>')
        text_printf(prefix, "{%.*s}", (int)(size - 2), part.name + 1);
    else
        text_add(prefix, part.name, size);
    text_str(prefix, "::");
}

/* Concatenates the names of a scope and of all enclosing ones; if they are too many, of
 * the inner ones. */
static char *make_prefix(struct debug_scopes *s, struct debug_scope *scope,
                         const char *function)
{
    struct text parts[SCOPES_MAX] = {{NULL, 0, 0}};
    struct text prefix = {NULL, 0, 0};
    const char *inner = function;
    size_t size = 0;
    size_t n = 0;

    while (scope != NULL && n < SCOPES_MAX && size <= DEBUG_SCOPE_MAX) {
        Dwarf_Die die = die_of(scope);
        Dwarf_Die declaration = declaration_of(&die);
        struct prefix_part part = make_part(scope, &declaration, inner);

        add_part(&parts[n], part);
        size += parts[n++].size;
        inner = part.name;
        scope = find_scope(s, &declaration);
    }
    for (size_t i = n; i > 0; i--) {
        if (i < n || size <= DEBUG_SCOPE_MAX)
            text_add(&prefix, parts[i - 1].data, parts[i - 1].size);
        text_free(&parts[i - 1]);
    }
    text_char(&prefix, '\0');
    return prefix.data;
}

/* A function that is declared in another function, and not in a class there, does not
 * have that one as a prefix. */
const char *debug_scopes_find(struct debug_scopes *s, const Dwarf_Die *function,
                              const char *name)
{
    Dwarf_Die declaration = declaration_of(function);
    struct debug_scope *scope = find_scope(s, &declaration);

    if (scope == NULL || scope->tag == DW_TAG_subprogram)
        return NULL;
    if (scope->prefix == NULL)
        scope->prefix = make_prefix(s, scope, name);
    return scope->prefix;
}
