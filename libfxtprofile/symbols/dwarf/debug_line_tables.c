/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_line_tables.h. */
#include "debug_line_tables.h"

#include <string.h>

#include <dwarf.h>

#include "common/base/memory.h"

/* ---- Sections ---------------------------------------------------------------------- */

/* Where a section of DWARF belongs; NULL for others. Compressed by older tools its name
 * begins with .zdebug_, and libdw has decompressed it. */
static struct unwind_bytes *find_place(struct debug_line_sections *s, const char *name)
{
    if (strncmp(name, ".debug_", 7) == 0)
        name += 7;
    else if (strncmp(name, ".zdebug_", 8) == 0)
        name += 8;
    else
        return NULL;
    if (strcmp(name, "line") == 0)
        return &s->lines;
    if (strcmp(name, "str") == 0)
        return &s->strings;
    return strcmp(name, "line_str") == 0 ? &s->line_strings : NULL;
}

static bool is_terminated(const struct unwind_bytes *strings)
{
    return strings->size == 0 || strings->bytes[strings->size - 1] == '\0';
}

bool debug_line_sections_take(struct debug_line_sections *s, Elf *handle)
{
    Elf_Scn *section = NULL;
    const char *ident = elf_getident(handle, NULL);
    size_t names;

    if (ident == NULL || elf_getshdrstrndx(handle, &names) != 0)
        return false;
    s->is_big_endian = ident[EI_DATA] == ELFDATA2MSB;
    while ((section = elf_nextscn(handle, section)) != NULL) {
        struct unwind_bytes *place = NULL;
        const Elf_Data *data = NULL;
        const char *name = NULL;
        GElf_Shdr header;

        if (gelf_getshdr(section, &header) != NULL)
            name = elf_strptr(handle, names, header.sh_name);
        if (name != NULL)
            place = find_place(s, name);
        if (place != NULL)
            data = elf_rawdata(section, NULL);
        if (data == NULL || data->d_buf == NULL)
            continue;
        *place =
            (struct unwind_bytes){(const unsigned char *)data->d_buf, data->d_size, 0};
        if (place != &s->lines && !is_terminated(place))
            return false;
    }
    return true;
}

/* ---- Tables ------------------------------------------------------------------------ */

static const char *find_directory(Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;

    return dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
}

struct debug_line_table *debug_line_tables_of(struct debug_line_tables *t, Dwarf_CU *unit)
{
    bool is_shared = t->shared != NULL && dwarf_cu_getdwarf(unit) == t->shared;
    const struct debug_line_sections *sections = &t->sections[is_shared];
    struct debug_line_table *item;
    Dwarf_Attribute attribute;
    struct table_probe probe;
    Dwarf_Word offset;
    Dwarf_Die die;
    uint64_t hash;
    uint32_t number;

    if (dwarf_cu_info(unit, NULL, NULL, &die, NULL, NULL, NULL, NULL) != 0 ||
        dwarf_formudata(dwarf_attr(&die, DW_AT_stmt_list, &attribute), &offset) != 0)
        return NULL;
    hash = hash_word(hash_word(hash_start(), is_shared), offset);
    probe = table_probe(&t->table, hash);
    while (table_next(&t->table, &probe, &number)) {
        if (t->items[number]->offset == offset && t->items[number]->sections == sections)
            return t->items[number];
    }
    item = memory_allocate(sizeof(*item));
    debug_line_table_read(item, sections, offset, find_directory(&die));
    table_add(&t->table, hash, t->n);
    MEMORY_ADD(t->items, t->n, t->capacity, item);
    return item;
}

void debug_line_tables_free(struct debug_line_tables *t)
{
    for (size_t i = 0; i < t->n; i++) {
        debug_line_table_free(t->items[i]);
        memory_release(t->items[i]);
    }
    memory_release((void *)t->items);
    table_free(&t->table);
}
