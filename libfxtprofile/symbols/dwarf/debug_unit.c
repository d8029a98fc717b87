/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_unit.h. */
#include "debug_unit.h"

#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "debug_answers.h"

enum debug_code debug_add_ranges(struct ranges *ranges, struct debug_wanted *wanted,
                                 Dwarf_Die *die, uint32_t item, uint64_t *entry)
{
    enum debug_code code = DEBUG_NO_CODE;
    Dwarf_Addr base;
    Dwarf_Addr start;
    Dwarf_Addr limit;
    ptrdiff_t next = 0;

    while (wanted->n_ranges_left > 0 &&
           (next = dwarf_ranges(die, next, &base, &start, &limit)) > 0) {
        wanted->n_ranges_left--;
        /* Linkers set the ranges of sections that they dropped to 0 or near it. */
        if (start >= limit || elf_image_find_code(&wanted->elf->image, start) == NULL)
            continue;
        if (code == DEBUG_NO_CODE) {
            *entry = start;
            code = DEBUG_OTHER_CODE;
        }
        if (debug_wanted_from(wanted, start) < limit) {
            ranges_add(ranges, start, limit, item);
            code = DEBUG_WANTED_CODE;
        }
    }
    return code;
}

/* ---- The tree ---------------------------------------------------------------------- */

/* In place of a function's number: one without an address to look up. */
#define OTHER_FUNCTION (DEBUG_NO_FUNCTION - 1)

/* What reading a unit needs: the innermost function that each of the DIEs of a walk is in
 * or is. */
struct unit_reader {
    struct debug_unit *unit;
    struct debug_wanted *wanted;
    const struct debug_scope_list *scopes;
    uint32_t functions[DEBUG_DEPTH_MAX];
};

static uint32_t add_function(struct debug_unit *u, const Dwarf_Die *die, uint32_t parent,
                             uint64_t entry)
{
    MEMORY_ADD(u->functions, u->n_functions, u->capacity,
               (struct debug_function){.die = *die, .parent = parent, .entry = entry});
    return (uint32_t)u->n_functions - 1;
}

/* The innermost function from this DIE on. A function without code is an abstract
 * instance, and code inside it is in no function. */
static uint32_t take_function(struct unit_reader *r, const struct debug_tree *tree,
                              uint32_t parent)
{
    struct debug_unit *u = r->unit;
    uint64_t entry;
    Dwarf_Die die;

    if (!tree->has_code)
        return parent;
    die = debug_dwarf_die(r->scopes->file, r->scopes->is_in_types,
                          tree->nodes[tree->depth].at);
    switch (
        debug_add_ranges(&u->ranges, r->wanted, &die, (uint32_t)u->n_functions, &entry)) {
    case DEBUG_NO_CODE:
        break;
    case DEBUG_OTHER_CODE:
        return OTHER_FUNCTION;
    case DEBUG_WANTED_CODE:
        return add_function(u, &die, parent, entry);
    }
    return parent;
}

/* What is inlined into a function has no other addresses than the function: in most units
 * of C++, this skips half of the DIEs. */
static uint32_t take_die(struct unit_reader *r, struct debug_tree *tree, uint32_t parent)
{
    int tag = tree->nodes[tree->depth].tag;

    if (tag == DW_TAG_subprogram)
        return take_function(r, tree, DEBUG_NO_FUNCTION);
    if (tag != DW_TAG_inlined_subroutine)
        return parent;
    tree->skips_children = parent == OTHER_FUNCTION;
    return tree->skips_children ? parent : take_function(r, tree, parent);
}

static void read_unit(struct debug_unit *u, struct debug_wanted *wanted)
{
    struct debug_tree *tree;
    struct debug_scope_list *scopes = debug_scopes_start(u->scopes, &u->die, &tree);
    struct unit_reader r = {.unit = u, .wanted = wanted, .scopes = scopes};

    u->is_read = true;
    u->lines = debug_line_tables_of(u->line_tables, u->die.cu, &u->die);
    r.functions[0] = DEBUG_NO_FUNCTION;
    while (debug_tree_next(tree)) {
        size_t depth = tree->depth;

        r.functions[depth] = take_die(&r, tree, r.functions[depth - 1]);
        debug_scopes_take(scopes, tree);
    }
    debug_tree_free(tree);
    ranges_finish(&u->ranges);
}

/* ---- Functions --------------------------------------------------------------------- */

static const char *find_string(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute storage;

    return dwarf_formstring(dwarf_attr_integrate(die, attribute, &storage));
}

static uint32_t find_number(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute storage;
    Dwarf_Word value;

    if (dwarf_formudata(dwarf_attr(die, attribute, &storage), &value) != 0 ||
        value > UINT32_MAX)
        return 0;
    return (uint32_t)value;
}

/* A function whose name is not mangled has a linkage name only in glibc, where a prefix
 * marks names that only the library itself calls. */
static void name_function(struct debug_scopes *scopes, struct debug_function *f)
{
    f->name = find_string(&f->die, DW_AT_linkage_name);
    if (f->name == NULL)
        f->name = find_string(&f->die, DW_AT_MIPS_linkage_name);
    if (f->name != NULL && strncmp(f->name, "__GI_", 5) == 0)
        f->name = NULL;
    f->is_plain = f->name == NULL;
    if (!f->is_plain)
        return;
    f->name = dwarf_diename(&f->die);
    if (f->name != NULL)
        f->scope = debug_scopes_find(scopes, &f->die, f->name);
}

const char *debug_unit_split(struct debug_unit *u)
{
    const char *name = find_string(&u->die, DW_AT_dwo_name);

    if (name == NULL)
        name = find_string(&u->die, DW_AT_GNU_dwo_name);
    if (name != NULL && u->split == NULL)
        u->split = debug_path_join(
            (const char *const[3]){find_string(&u->die, DW_AT_comp_dir), name});
    return u->split;
}

/* The attribute may be of a declaration in another unit, which counts its own files. */
static const char *find_file(struct debug_unit *u, Dwarf_Attribute *attribute)
{
    struct debug_line_table *lines = u->lines;
    Dwarf_Word number;

    if (dwarf_formudata(attribute, &number) != 0)
        return NULL;
    if (attribute->cu != u->die.cu)
        lines = debug_line_tables_of(u->line_tables, attribute->cu, &u->die);
    return lines != NULL ? debug_line_table_file(lines, number) : NULL;
}

static void get_to_know(struct debug_unit *u, struct debug_function *f)
{
    Dwarf_Attribute attribute;
    int line;

    f->is_known = true;
    name_function(u->scopes, f);
    f->file = find_file(u, dwarf_attr_integrate(&f->die, DW_AT_decl_file, &attribute));
    if (dwarf_decl_line(&f->die, &line) == 0 && line > 0)
        f->start_line = (uint32_t)line;
    f->call_line = find_number(&f->die, DW_AT_call_line);
    f->call_file = find_file(u, dwarf_attr(&f->die, DW_AT_call_file, &attribute));
}

struct debug_function *debug_unit_function(struct debug_unit *u, uint32_t function)
{
    struct debug_function *f = &u->functions[function];

    if (!f->is_known)
        get_to_know(u, f);
    return f;
}

struct debug_spot debug_unit_find(struct debug_unit *u, struct debug_wanted *wanted,
                                  uint64_t address)
{
    struct debug_spot spot = {.file = NULL};
    struct debug_line row;

    if (!u->is_read)
        read_unit(u, wanted);
    if (u->lines != NULL && debug_line_table_find(u->lines, wanted, address, &row)) {
        spot.file = debug_line_table_file(u->lines, row.file);
        spot.line = row.line <= INT32_MAX ? row.line : 0;
    }
    spot.function = ranges_find(&u->ranges, address);
    return spot;
}
