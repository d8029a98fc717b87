/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_unit.h. */
#include "debug_unit.h"

#include <stdlib.h>
#include <string.h>

#include <dwarf.h>

#include "debug_answers.h"
#include "common/base/search.h"

static bool is_wanted(const struct debug_wanted *w, uint64_t start, uint64_t limit)
{
    size_t i =
        search_below(w->addresses, w->n_addresses, sizeof(*w->addresses), 0, start);

    return i < w->n_addresses && w->addresses[i] < limit;
}

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
        if (is_wanted(wanted, start, limit)) {
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
    uint32_t functions[DEBUG_DEPTH_MAX];
};

static uint32_t add_function(struct debug_unit *u, const Dwarf_Die *die, uint32_t parent,
                             uint64_t entry)
{
    u->functions = (struct debug_function *)memory_grow(
        u->functions, u->n_functions, &u->capacity, sizeof(*u->functions));
    u->functions[u->n_functions] =
        (struct debug_function){.die = *die, .parent = parent, .entry = entry};
    return (uint32_t)u->n_functions++;
}

/* The innermost function from this DIE on. A function without code is an abstract
 * instance, and code inside it is in no function. */
static uint32_t take_function(struct unit_reader *r, Dwarf_Die *die, uint32_t parent)
{
    struct debug_unit *u = r->unit;
    uint64_t entry;

    switch (
        debug_add_ranges(&u->ranges, r->wanted, die, (uint32_t)u->n_functions, &entry)) {
    case DEBUG_NO_CODE:
        break;
    case DEBUG_OTHER_CODE:
        return OTHER_FUNCTION;
    case DEBUG_WANTED_CODE:
        return add_function(u, die, parent, entry);
    }
    return parent;
}

/* What is inlined into a function has no other addresses than the function: in most units
 * of C++, this skips half of the DIEs. */
static uint32_t take_die(struct unit_reader *r, struct debug_tree *tree, uint32_t parent)
{
    Dwarf_Die *die = &tree->dies[tree->depth];
    int tag = tree->tags[tree->depth];

    if (tag == DW_TAG_subprogram)
        return take_function(r, die, DEBUG_NO_FUNCTION);
    if (tag != DW_TAG_inlined_subroutine)
        return parent;
    tree->skips_children = parent == OTHER_FUNCTION;
    return tree->skips_children ? parent : take_function(r, die, parent);
}

static void read_unit(struct debug_unit *u, struct debug_wanted *wanted)
{
    struct debug_scope_list *scopes = debug_scopes_start(u->scopes, u->die.cu);
    struct debug_tree *tree = debug_tree_start(&u->die);
    struct unit_reader r = {.unit = u, .wanted = wanted};

    u->is_read = true;
    r.functions[0] = DEBUG_NO_FUNCTION;
    while (debug_tree_next(tree)) {
        size_t depth = tree->depth;

        r.functions[depth] = take_die(&r, tree, r.functions[depth - 1]);
        debug_scopes_take(scopes, tree);
    }
    memory_release(tree);
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

/* A unit has few incomplete paths, if any. */
static const char *whole_path(struct debug_unit *u, const char *path)
{
    struct text whole = {NULL, 0, 0};
    const char *directory;

    if (path == NULL || path[0] == '/')
        return path;
    for (size_t i = 0; i < u->n_paths; i++) {
        if (u->paths[i].path == path)
            return u->paths[i].whole;
    }
    directory = find_string(&u->die, DW_AT_comp_dir);
    if (directory != NULL) {
        text_str(&whole, directory);
        text_char(&whole, '/');
    }
    text_str(&whole, path);
    text_char(&whole, '\0');
    u->paths = (struct debug_path *)memory_grow(u->paths, u->n_paths, &u->path_capacity,
                                                sizeof(*u->paths));
    u->paths[u->n_paths++] = (struct debug_path){path, whole.data};
    return whole.data;
}

const char *debug_unit_split(struct debug_unit *u)
{
    const char *name = find_string(&u->die, DW_AT_dwo_name);

    if (name == NULL)
        name = find_string(&u->die, DW_AT_GNU_dwo_name);
    return whole_path(u, name);
}

/* From version 5 on file 0 is the unit's own, which libdw takes for none. */
static const char *decl_file(struct debug_unit *u, Dwarf_Die *die)
{
    const char *file = dwarf_decl_file(die);
    Dwarf_Attribute attribute;
    Dwarf_Files *files;
    size_t n_files;
    Dwarf_Word number = 1;
    Dwarf_Half version = 0;

    if (file != NULL)
        return file;
    dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_file, &attribute), &number);
    dwarf_cu_info(u->die.cu, &version, NULL, NULL, NULL, NULL, NULL, NULL);
    if (number != 0 || attribute.cu != u->die.cu || version < 5 ||
        dwarf_getsrcfiles(&u->die, &files, &n_files) != 0 || n_files == 0)
        return NULL;
    return dwarf_filesrc(files, 0, NULL, NULL);
}

static void get_to_know(struct debug_unit *u, struct debug_function *f)
{
    uint32_t number = find_number(&f->die, DW_AT_call_file);
    Dwarf_Files *files;
    size_t n_files;
    int line;

    f->is_known = true;
    name_function(u->scopes, f);
    f->file = whole_path(u, decl_file(u, &f->die));
    if (dwarf_decl_line(&f->die, &line) == 0 && line > 0)
        f->start_line = (uint32_t)line;
    f->call_line = find_number(&f->die, DW_AT_call_line);
    if (dwarf_getsrcfiles(&u->die, &files, &n_files) == 0 && number < n_files)
        f->call_file = whole_path(u, dwarf_filesrc(files, number, NULL, NULL));
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
    Dwarf_Line *row = dwarf_getsrc_die(&u->die, address);
    struct debug_spot spot = {.file = whole_path(u, dwarf_linesrc(row, NULL, NULL))};
    int number;

    if (!u->is_read)
        read_unit(u, wanted);
    if (dwarf_lineno(row, &number) == 0 && number > 0)
        spot.line = (uint32_t)number;
    spot.function = ranges_find(&u->ranges, address);
    return spot;
}

void debug_unit_free(struct debug_unit *u)
{
    for (size_t i = 0; i < u->n_paths; i++)
        memory_release(u->paths[i].whole);
    memory_release(u->paths);
    memory_release(u->functions);
    ranges_free(&u->ranges);
}
