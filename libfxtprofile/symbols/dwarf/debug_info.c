/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See debug_info.h.
 *
 * The units of a file are listed at first; a unit's functions and lines are read when the
 * first address in it is looked up, and put in order, so that looking something up is a
 * search in sorted arrays.
 */
#include "debug_info.h"

#include "debug_unit.h"
#include "debug_writer.h"
#include "isolate.h"

struct debug_info {
    Elf *handle;
    Dwarf *dwarf;
    Elf *shared_handle;
    Dwarf *shared;
    struct debug_wanted wanted;

    struct debug_unit *units;
    size_t n_units;
    size_t capacity;
    /* The addresses of the units. */
    struct ranges ranges;
    struct debug_scopes scopes;
    struct debug_line_tables line_tables;
};

bool debug_info_is_there(void)
{
    return true;
}

/* ---- Opening ----------------------------------------------------------------------- */

static void add_unit(struct debug_info *info, Dwarf_Die die)
{
    uint64_t entry;

    info->units = (struct debug_unit *)memory_grow(info->units, info->n_units,
                                                   &info->capacity, sizeof(*info->units));
    info->units[info->n_units] = (struct debug_unit){
        .die = die, .scopes = &info->scopes, .line_tables = &info->line_tables};
    debug_add_ranges(&info->ranges, &info->wanted, &die, (uint32_t)info->n_units, &entry);
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

/* Where the file is not mapped, whole sections are copied. */
static Dwarf *begin_dwarf(const struct debug_source *source, struct file *file,
                          Elf **handle)
{
    void *map = source->is_isolated ? file_map(file) : NULL;
    Dwarf *dwarf;

    *handle = map != NULL ? elf_memory((char *)map, (size_t)file_size(file))
                          : elf_begin(file_descriptor(file), ELF_C_READ, NULL);
    dwarf = dwarf_begin_elf(*handle, DWARF_C_READ, NULL);
    if (dwarf != NULL && source->is_isolated)
        dwarf_new_oom_handler(dwarf, isolate_fail);
    return dwarf;
}

static enum debug_end open_info(struct debug_info *info,
                                const struct debug_source *source)
{
    if (elf_version(EV_CURRENT) == EV_NONE)
        return DEBUG_END_UNUSABLE;
    info->dwarf = begin_dwarf(source, source->file, &info->handle);
    if (info->dwarf == NULL)
        return DEBUG_END_UNUSABLE;
    if (!debug_line_sections_take(&info->line_tables.sections[0], info->handle))
        return DEBUG_END_UNTERMINATED;
    if (source->shared != NULL)
        info->shared = begin_dwarf(source, source->shared, &info->shared_handle);
    if (info->shared != NULL) {
        if (!debug_line_sections_take(&info->line_tables.sections[1],
                                      info->shared_handle))
            return DEBUG_END_UNTERMINATED;
        info->line_tables.shared = info->shared;
        dwarf_setalt(info->dwarf, info->shared);
    }
    list_units(info);
    return DEBUG_END_GOOD;
}

static void close_info(struct debug_info *info)
{
    for (size_t i = 0; i < info->n_units; i++)
        debug_unit_free(&info->units[i]);
    memory_release(info->units);
    ranges_free(&info->ranges);
    debug_scopes_free(&info->scopes);
    debug_line_tables_free(&info->line_tables);
    dwarf_end(info->dwarf);
    elf_end(info->handle);
    dwarf_end(info->shared);
    elf_end(info->shared_handle);
}

/* ---- Looking up -------------------------------------------------------------------- */

/* Reading a unit may crash this process, so what is known is written first. */
static void answer_one(struct debug_info *info, uint64_t address, struct debug_writer *w)
{
    static const struct debug_spot nothing = {.function = DEBUG_NO_FUNCTION};
    uint32_t number = ranges_find(&info->ranges, address);
    struct debug_unit *unit;

    if (number == RANGES_NONE) {
        debug_writer_answer(w, NULL, nothing);
        return;
    }
    unit = &info->units[number];
    if (!unit->is_read) {
        debug_writer_split(w, debug_unit_split(unit));
        debug_writer_flush(w);
    }
    debug_writer_answer(w, unit, debug_unit_find(unit, &info->wanted, address));
}

void debug_info_read(const struct debug_source *source, const uint64_t *addresses,
                     size_t n_addresses, debug_take_fn *take, void *context)
{
    struct debug_writer w = {.take = take, .context = context};
    struct debug_info info = {
        .wanted = {.elf = source->elf,
                   .addresses = addresses,
                   .n_addresses = n_addresses,
                   .n_ranges_left = file_size(source->file)},
    };
    enum debug_end end = open_info(&info, source);

    for (size_t i = 0; i < n_addresses && end == DEBUG_END_GOOD && !w.is_stopped; i++)
        answer_one(&info, addresses[i], &w);
    debug_writer_end(&w, end);
    debug_writer_free(&w);
    close_info(&info);
}
