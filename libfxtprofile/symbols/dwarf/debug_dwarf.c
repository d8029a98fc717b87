/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_dwarf.h. */
#include "debug_dwarf.h"

#include <string.h>

#include <dwarf.h>

/* Where a section of DWARF belongs; NULL for others. Compressed by older tools its name
 * begins with .zdebug_, and libdw has decompressed it. */
static struct unwind_bytes *find_place(struct debug_sections *s, const char *name)
{
    if (strncmp(name, ".debug_", 7) == 0)
        name += 7;
    else if (strncmp(name, ".zdebug_", 8) == 0)
        name += 8;
    else
        return NULL;
    if (strcmp(name, "info") == 0)
        return &s->info;
    if (strcmp(name, "types") == 0)
        return &s->types;
    if (strcmp(name, "abbrev") == 0)
        return &s->abbreviations;
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

bool debug_dwarf_take(struct debug_dwarf *file, Elf *handle)
{
    struct debug_sections *s = &file->sections;
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
    }
    return is_terminated(&s->strings) && is_terminated(&s->line_strings);
}

const struct debug_dwarf *debug_dwarf_of(const struct debug_dwarf files[2],
                                         Dwarf_CU *unit)
{
    return &files[files[1].dwarf != NULL && dwarf_cu_getdwarf(unit) == files[1].dwarf];
}

struct debug_place debug_dwarf_place(const struct debug_dwarf *file, Dwarf_Die *unit)
{
    struct debug_place place = {.sections = &file->sections,
                                .die = dwarf_dieoffset(unit)};
    Dwarf_Half version = 0;
    uint8_t type = 0;

    place.header = place.die - dwarf_cuoffset(unit);
    dwarf_cu_info(unit->cu, &version, &type, NULL, NULL, NULL, NULL, NULL);
    place.is_in_types = version == 4 && type == DW_UT_type;
    return place;
}

/* It cannot fail: the walk read a DIE there. */
Dwarf_Die debug_dwarf_die(const struct debug_dwarf *file, bool is_in_types, uint64_t at)
{
    Dwarf_Die die = {.addr = NULL};

    if (is_in_types)
        dwarf_offdie_types(file->dwarf, at, &die);
    else
        dwarf_offdie(file->dwarf, at, &die);
    return die;
}
