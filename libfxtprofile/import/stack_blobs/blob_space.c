/* SPDX-License-Identifier: BSD-2-Clause */
/* See blob_space.h. */
#include "blob_space.h"

#include <string.h>

#include "common/elf/vdso.h"
#include "common/base/memory.h"
#include "common/base/search.h"
#include "common/base/sort.h"
#include "common/base/table_items.h"
#include "common/unwind/unwind_file.h"

/* ---- Files ------------------------------------------------------------------------- */

static struct file *open_binary(const struct binary *binary)
{
    struct text why = {NULL, 0, 0};
    struct file *file =
        strcmp(binary->name, "[vdso]") == 0 ? vdso_open() : file_open(binary->name, &why);

    text_free(&why);
    return file;
}

/* A file that cannot be read has no rows. */
static void read_table(struct unwind_table *table, const struct binary *binary)
{
    struct file *file = open_binary(binary);

    if (file == NULL)
        return;
    unwind_file_read(table, file, &unwind_base_allocator, NULL);
    file_close(file);
}

/* The file for debuggers may have what was stripped. */
static void read_tables(struct blob_file *file)
{
    read_table(file->table, file->binary);
    if (file->table->n_rows > 0 || file->binary->debug == NULL)
        return;
    unwind_table_free(file->table);
    read_table(file->table, file->binary->debug);
}

/* The number of a binary's table, which is made unless it was. */
static uint32_t find_file(struct blob_space *s, const struct binary *binary)
{
    struct blob_file file = {binary, NULL};
    uint32_t number =
        TABLE_PUT(&s->file_table, s->files, s->n_files, s->file_capacity, &file, binary);

    if (s->files[number].table == NULL) {
        s->files[number].table = memory_allocate(sizeof(struct unwind_table));
        read_tables(&s->files[number]);
    }
    return number;
}

/* ---- Ranges ------------------------------------------------------------------------ */

static void add_range(struct blob_space *s, uint64_t start, uint64_t limit, uint64_t bias)
{
    if (start >= limit)
        return;
    MEMORY_ADD(s->ranges, s->n_ranges, s->range_capacity,
               (struct unwind_module){.start = start, .limit = limit, .bias = bias});
}

/* Files that the user named, which are for all processes. */
static void add_images(struct blob_space *s)
{
    for (size_t i = 0; i < s->symbolizer->n_files; i++) {
        const struct image *image = &s->symbolizer->images[i];

        for (size_t j = 0; j < image->binary->elf.image.n_code; j++) {
            const struct elf_code *code = &image->binary->elf.image.code[j];

            add_range(s, code->vaddr + image->bias, code->limit + image->bias,
                      image->bias);
        }
    }
}

/* Whether there may be code. What a flag means differs between writers (1 is read or
 * execute, 4 the other one), so that only what may be written is surely none, unless it
 * has both. */
static bool may_be_code(const struct mapping *mapping)
{
    const uint32_t both = FXT_MAPPING_EXECUTE | FXT_MAPPING_READ;

    return (mapping->flags & FXT_MAPPING_WRITE) == 0 || (mapping->flags & both) == both;
}

static void add_mapping(struct blob_space *s, const struct mapping *mapping,
                        uint64_t start, uint64_t limit)
{
    if (may_be_code(mapping))
        add_range(s, start, limit, mapping->start - mapping->vaddr);
}

/* The state after all mappings. */
static void add_last_mappings(struct blob_space *s)
{
    const struct mapping_set *set = &s->modules->mapped;
    size_t i = search_below(set->all, set->n, sizeof(*set->all), 0, s->process);

    for (; i < set->n && set->all[i].process == s->process; i++)
        add_mapping(s, &set->all[i], set->all[i].start, set->all[i].limit);
}

/* The state in an epoch: what is mapped changes only where some mapping starts or ends.
 */
static void add_mappings_in_epoch(struct blob_space *s)
{
    const struct mapping_times *times = &s->modules->mapped.times;
    size_t first = search_below(times->mappings, times->n_mappings,
                                sizeof(*times->mappings), 0, s->process);
    size_t limit = first;
    uint64_t *bounds;
    size_t n = 0;

    while (limit < times->n_mappings && times->mappings[limit].process == s->process)
        limit++;
    bounds = memory_allocate(2 * (limit - first) * sizeof(*bounds));
    for (size_t i = first; i < limit; i++) {
        bounds[n++] = times->mappings[i].start;
        bounds[n++] = times->mappings[i].limit;
    }
    sort_numbers(bounds, n);
    for (size_t i = 0; i + 1 < n; i++) {
        const struct mapping *mapping;

        if (bounds[i] == bounds[i + 1])
            continue;
        mapping = modules_find(s->modules, s->process, s->epoch, bounds[i]);
        if (mapping != NULL)
            add_mapping(s, mapping, bounds[i], bounds[i + 1]);
    }
    s->n_made += n;
    memory_release(bounds);
}

/* ---- The space --------------------------------------------------------------------- */

/* What a walk finds is different from now on. */
static void publish_modules(struct blob_space *s)
{
    s->space.generation++;
    s->space.modules = s->ranges;
    s->space.n_modules = (uint32_t)s->n_ranges;
}

static void arrange_ranges(struct blob_space *s)
{
    size_t n = s->n_ranges;

    if (s->range_capacity < 2 * n) {
        s->ranges = memory_reallocate(s->ranges, 2 * n * sizeof(*s->ranges));
        s->range_capacity = 2 * n;
    }
    s->n_ranges =
        unwind_space_arrange(s->ranges, (uint32_t)n, (uint32_t)s->range_capacity);
    if (s->state_capacity < s->n_ranges) {
        s->states = memory_reallocate(s->states, s->n_ranges * sizeof(*s->states));
        s->state_capacity = s->n_ranges;
    }
    for (size_t i = 0; i < s->n_ranges; i++) {
        s->ranges[i].id = (uint32_t)i;
        s->states[i] = (struct blob_module){.state = BLOB_MODULE_NEW};
    }
}

bool blob_space_enter(struct blob_space *s, uint64_t process, uint32_t epoch,
                      enum unwind_machine machine)
{
    if (s->is_set && s->process == process && s->epoch == epoch &&
        s->space.machine == machine)
        return true;
    s->is_set = false;
    if (s->n_made >= BLOB_RANGES_MAX)
        return false;
    s->process = process;
    s->epoch = epoch;
    s->space.machine = machine;
    s->n_ranges = 0;
    add_images(s);
    if (epoch == 0)
        add_last_mappings(s);
    else
        add_mappings_in_epoch(s);
    s->n_made += s->n_ranges;
    arrange_ranges(s);
    publish_modules(s);
    s->is_set = true;
    return true;
}

/* ---- Modules ----------------------------------------------------------------------- */

enum blob_module_state blob_space_state(const struct blob_space *s,
                                        const struct unwind_module *module)
{
    return s->states[module->id].state;
}

/* Whether the file of a mapping was found, which then has no code there. */
static bool is_data(const struct blob_space *s, const struct mapping *mapping)
{
    return mapping != NULL &&
           symbolizer_find_module(s->symbolizer, mapping->module, 0,
                                  modules_name(s->modules, mapping),
                                  modules_build_id(s->modules, mapping)) != NULL;
}

static void remove_range(struct blob_space *s, struct unwind_module *range)
{
    size_t n_after = s->n_ranges - (size_t)(range - s->ranges) - 1;

    memmove(range, range + 1, n_after * sizeof(*range));
    s->n_ranges--;
}

/* A file without any rows was compiled to be unwound by frame records, as Go is. */
static void take_table(const struct blob_space *s, struct unwind_module *range,
                       const struct unwind_table *table)
{
    if (table->n_rows > 0 && table->machine == s->space.machine)
        range->table = table;
    else
        range->flags = UNWIND_KEEPS_FRAMES;
}

void blob_space_resolve(struct blob_space *s, size_t index)
{
    struct map map = {s->modules, s->symbolizer, s->epoch};
    struct unwind_module *range = &s->ranges[index];
    struct blob_module *state = &s->states[range->id];
    struct address_info info = address_find(&map, s->process, range->start);

    if (info.binary != NULL) {
        state->state = BLOB_MODULE_FOUND;
        state->file = find_file(s, info.binary);
        take_table(s, range, s->files[state->file].table);
    } else {
        state->state = BLOB_MODULE_MISSING;
        /* Else there may be frame records, but none that ends the stack. */
        if (is_data(s, info.mapping))
            remove_range(s, range);
    }
    publish_modules(s);
}

/* ---- Code -------------------------------------------------------------------------- */

static struct file *reopen_file(struct blob_space *s, const struct binary *binary)
{
    if (s->open_binary == binary)
        return s->open_file;
    if (s->open_file != NULL)
        file_close(s->open_file);
    s->open_binary = binary;
    s->open_file = open_binary(binary);
    return s->open_file;
}

bool blob_space_read_code(struct blob_space *s, const struct unwind_module *module,
                          uint64_t address, unsigned char *bytes, size_t n)
{
    const struct blob_module *state = &s->states[module->id];
    uint64_t vaddr = address - module->bias;
    const struct binary *binary;
    const struct elf_code *code;
    struct file *file;

    if (state->state != BLOB_MODULE_FOUND)
        return false;
    binary = s->files[state->file].binary;
    code = elf_image_find_code(&binary->elf.image, vaddr);
    if (!binary->elf.has_code || code == NULL || n > code->limit - vaddr)
        return false;
    file = reopen_file(s, binary);
    return file != NULL &&
           file_read(file, code->offset + (vaddr - code->vaddr), bytes, n);
}

void blob_space_free(struct blob_space *s)
{
    for (size_t i = 0; i < s->n_files; i++) {
        unwind_table_free(s->files[i].table);
        memory_release(s->files[i].table);
    }
    if (s->open_file != NULL)
        file_close(s->open_file);
    memory_release(s->files);
    table_free(&s->file_table);
    memory_release(s->ranges);
    memory_release(s->states);
}
