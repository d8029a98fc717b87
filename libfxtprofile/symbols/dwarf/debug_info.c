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
    /* The file, and the one with its shared DWARF, if there is one. */
    const struct debug_source *source;
    struct debug_dwarf files[2];
    Elf *handles[2];
    struct debug_wanted wanted;

    struct debug_unit *units;
    size_t n_units;
    size_t capacity;
    unsigned n_touched;
    /* The addresses of the units. */
    struct ranges ranges;
    struct debug_scopes scopes;
    struct debug_line_tables line_tables;
};

bool debug_info_is_there(void)
{
    return true;
}

/* ---- Memory ------------------------------------------------------------------------ */

/* After this many units the pages of the files are removed from memory: those of a unit
 * are seldom used again once it was listed or read, and the kernel maps those around
 * them, too. */
enum { UNITS_KEPT = 16 };

static void count_unit(struct debug_info *info)
{
    if (++info->n_touched % UNITS_KEPT != 0)
        return;
    file_unload(info->source->file);
    if (info->source->shared != NULL)
        file_unload(info->source->shared);
}

/* ---- Opening ----------------------------------------------------------------------- */

static void add_unit(struct debug_info *info, Dwarf_Die die)
{
    uint64_t entry;

    debug_add_ranges(&info->ranges, &info->wanted, &die, (uint32_t)info->n_units, &entry);
    MEMORY_ADD(info->units, info->n_units, info->capacity,
               (struct debug_unit){.die = die,
                                   .scopes = &info->scopes,
                                   .line_tables = &info->line_tables});
}

static void list_units(struct debug_info *info)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;

    while (dwarf_get_units(info->files[0].dwarf, unit, &unit, NULL, NULL, &die, NULL) ==
           0) {
        add_unit(info, die);
        count_unit(info);
    }
    ranges_finish(&info->ranges);
}

/* Where the file is not mapped, whole sections are copied. */
static enum debug_end open_file(struct debug_info *info, size_t i, struct file *file)
{
    void *map = file_map(file);
    struct debug_dwarf *to = &info->files[i];

    info->handles[i] = map != NULL ? elf_memory((char *)map, (size_t)file_size(file))
                                   : elf_begin(file_descriptor(file), ELF_C_READ, NULL);
    to->dwarf = dwarf_begin_elf(info->handles[i], DWARF_C_READ, NULL);
    if (to->dwarf == NULL)
        return DEBUG_END_UNUSABLE;
    dwarf_new_oom_handler(to->dwarf, isolate_fail);
    return debug_dwarf_take(to, info->handles[i]) ? DEBUG_END_GOOD
                                                  : DEBUG_END_UNTERMINATED;
}

/* What is in the shared file is missing if libdw cannot read it. */
static enum debug_end open_info(struct debug_info *info)
{
    struct file *shared = info->source->shared;
    enum debug_end end;

    info->scopes.files = info->files;
    info->line_tables.files = info->files;
    if (elf_version(EV_CURRENT) == EV_NONE)
        return DEBUG_END_UNUSABLE;
    end = open_file(info, 0, info->source->file);
    if (end == DEBUG_END_GOOD && shared != NULL &&
        open_file(info, 1, shared) == DEBUG_END_UNTERMINATED)
        end = DEBUG_END_UNTERMINATED;
    if (end != DEBUG_END_GOOD)
        return end;
    if (info->files[1].dwarf != NULL)
        dwarf_setalt(info->files[0].dwarf, info->files[1].dwarf);
    list_units(info);
    return DEBUG_END_GOOD;
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
        count_unit(info);
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
        .source = source,
        .wanted = {.elf = source->elf,
                   .addresses = addresses,
                   .n_addresses = n_addresses,
                   .n_ranges_left = file_size(source->file)},
    };
    enum debug_end end = open_info(&info);

    for (size_t i = 0; i < n_addresses && end == DEBUG_END_GOOD && !w.is_stopped; i++)
        answer_one(&info, addresses[i], &w);
    debug_writer_end(&w, end);
}
