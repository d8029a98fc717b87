/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_line_tables.h. */
#include "debug_line_tables.h"

#include <string.h>

#include <dwarf.h>

#include "common/base/memory.h"

/* ---- Tables ------------------------------------------------------------------------ */

static const char *find_directory(Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;

    return dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
}

static bool is_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

struct debug_line_table *debug_line_tables_of(struct debug_line_tables *t, Dwarf_CU *unit,
                                              Dwarf_Die *user)
{
    const struct debug_sections *sections = &debug_dwarf_of(t->files, unit)->sections;
    struct debug_line_table *item;
    const char *directory;
    Dwarf_Attribute attribute;
    struct table_probe probe;
    Dwarf_Word offset;
    Dwarf_Die die;
    uint64_t hash;
    uint32_t number;

    if (dwarf_cu_info(unit, NULL, NULL, &die, NULL, NULL, NULL, NULL) != 0 ||
        dwarf_formudata(dwarf_attr(&die, DW_AT_stmt_list, &attribute), &offset) != 0)
        return NULL;
    directory = find_directory(&die);
    if (directory == NULL)
        directory = find_directory(user);
    hash = hash_word(hash_start(), offset);
    probe = table_probe(&t->table, hash);
    while (table_next(&t->table, &probe, &number)) {
        item = t->items[number];
        if (item->offset == offset && item->sections == sections &&
            is_same(item->compiled_in, directory))
            return item;
    }
    item = memory_allocate(sizeof(*item));
    debug_line_table_read(item, sections, offset, directory);
    table_add(&t->table, hash, t->n);
    MEMORY_ADD(t->items, t->n, t->capacity, item);
    return item;
}
