/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_info.h. */
#include "debug_info.h"

#include <stdlib.h>

#include "debug_unit.h"

struct debug_info {
    /* What libdw reads from, as long as it likes. */
    struct file *file;
    Elf *handle;
    Dwarf *dwarf;
    const struct elf *elf;

    struct debug_unit *units;
    size_t n_units;
    size_t capacity;
    /* The addresses of the units. */
    struct ranges ranges;
    /* How many ranges may still be read. */
    uint64_t n_left;
};

static void add_unit(struct debug_info *info, Dwarf_Die die)
{
    info->units = (struct debug_unit *)memory_grow(info->units, info->n_units,
                                                   &info->capacity, sizeof(*info->units));
    info->units[info->n_units] = (struct debug_unit){.die = die};
    debug_add_ranges(&info->ranges, info->elf, &die, (uint32_t)info->n_units,
                     &info->n_left);
    info->n_units++;
}

static void list_units(struct debug_info *info)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;

    while (dwarf_get_units(info->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
        add_unit(info, die);
    ranges_finish(&info->ranges);
}

/* The file is read, and not mapped, as all files are. */
struct debug_info *debug_info_open(const char *name, const struct elf *elf)
{
    struct debug_info *info;
    struct text why = {NULL, 0, 0};
    struct file *file;

    if (!elf->has_debug_info || elf_version(EV_CURRENT) == EV_NONE)
        return NULL;
    file = file_open(name, &why);
    text_free(&why);
    if (file == NULL)
        return NULL;
    info = (struct debug_info *)memory_allocate(sizeof(*info));
    *info = (struct debug_info){.file = file, .elf = elf, .n_left = file_size(file)};
    info->handle = elf_begin(file_descriptor(file), ELF_C_READ, NULL);
    info->dwarf = dwarf_begin_elf(info->handle, DWARF_C_READ, NULL);
    if (info->dwarf == NULL) {
        debug_info_close(info);
        return NULL;
    }
    list_units(info);
    return info;
}

void debug_info_find(struct debug_info *info, uint64_t address,
                     struct source_lines *lines)
{
    uint32_t unit = ranges_find(&info->ranges, address);

    if (unit != RANGES_NONE)
        debug_unit_find(&info->units[unit], info->elf, address, &info->n_left, lines);
}

void debug_info_close(struct debug_info *info)
{
    if (info == NULL)
        return;
    for (size_t i = 0; i < info->n_units; i++)
        debug_unit_free(&info->units[i]);
    memory_release(info->units);
    ranges_free(&info->ranges);
    dwarf_end(info->dwarf);
    elf_end(info->handle);
    file_close(info->file);
    memory_release(info);
}
