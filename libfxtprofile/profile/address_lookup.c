/* SPDX-License-Identifier: BSD-2-Clause */
/* See address_lookup.h. */
#include "address_lookup.h"

#include "libfxtprofile/symbols/build_id.h"
#include "libfxtprofile/symbols/demangle.h"

/* ---- Files ------------------------------------------------------------------------- */

/* Whether a mapping of the input is of a file that the user named: at the address that
 * the user gave, the build ids must not differ; without an address, they must be equal.
 */
static bool is_image_of(const struct map *map, const struct mapping *mapping,
                        const struct image *image)
{
    struct string build_id = modules_build_id(map->modules, mapping);
    bool is_there = mapping->start - mapping->vaddr == image->bias;

    switch (build_id_match(image->binary->build_id, build_id)) {
    case BUILD_ID_EQUAL:
        return is_there || !image->is_moved;
    case BUILD_ID_UNKNOWN:
    case BUILD_ID_MISSING:
        return is_there;
    case BUILD_ID_DIFFERENT:
        break;
    }
    if (is_there)
        debug_files_complain(&map->symbolizer->files, image->binary, build_id);
    return false;
}

/* Whether an image is for a process: the running kernel is for those of its boot. */
static bool is_image_for(const struct map *map, uint64_t process,
                         const struct image *image)
{
    const struct symbolizer *s = map->symbolizer;

    return (size_t)(image - s->images) < s->n - s->n_running ||
           boots_koid(map->modules->boots, process).boot == s->running_boot;
}

/* The code of a file that a mapping shows, if that is the mapping's file; or NULL. */
static const struct elf_code *code_of(const struct mapping *mapping,
                                      const struct binary *binary)
{
    return binary_code_in(binary, mapping->vaddr,
                          mapping->vaddr + (mapping->limit - mapping->start));
}

static struct binary *find_module(const struct map *map, uint64_t process,
                                  uint32_t number)
{
    const struct modules *modules = map->modules;
    const struct module *module = &modules->modules[number];

    if (modules->boots != NULL)
        process = boots_koid(modules->boots, process).koid;
    return symbolizer_find_module(
        map->symbolizer, number, process, string_table_get(&modules->names, module->name),
        string_table_get(&modules->build_ids, module->build_id));
}

/* The file that a mapping of the input shows: one answer for all of the mapping, whether
 * or not it is all code. */
static void find_binary(const struct map *map, uint64_t process,
                        struct address_info *info)
{
    const struct mapping *mapping = info->mapping;
    struct symbolizer *symbolizer = map->symbolizer;
    struct binary *found = NULL;

    for (size_t i = 0; i < symbolizer->n && found == NULL; i++) {
        const struct image *image = &symbolizer->images[i];

        if (!is_image_for(map, process, image) ||
            code_of(mapping, image->binary) == NULL || !is_image_of(map, mapping, image))
            continue;
        found = image->binary;
        info->image = (uint32_t)i;
    }
    if (found == NULL)
        found = find_module(map, process, mapping->module);
    if (found == NULL || code_of(mapping, found) == NULL)
        return;
    info->binary = found;
    info->bias = mapping->start - mapping->vaddr;
    info->code = code_of(mapping, found);
}

/* The input's mappings of the process come before the user's files, which are for all. */
struct address_info address_find(const struct map *map, uint64_t process,
                                 uint64_t address)
{
    struct address_info info = {
        .mapping = modules_find(map->modules, process, map->epoch, address),
        .function = modules_find_function(map->modules, process, map->epoch, address),
        .image = (uint32_t)map->symbolizer->n,
    };
    const struct image *image;

    if (info.mapping != NULL) {
        if (!map->symbolizer->ignores_lines)
            info.lines = modules_find_lines(map->modules, process, info.mapping, address);
        find_binary(map, process, &info);
        return info;
    }
    image = symbolizer_find(map->symbolizer, address);
    if (image == NULL || !is_image_for(map, process, image))
        return info;
    info.binary = image->binary;
    info.bias = image->bias;
    info.code = elf_image_find_code(&image->binary->elf.image, address - image->bias);
    info.image = (uint32_t)(image - map->symbolizer->images);
    return info;
}

bool address_is_known(struct address_info info)
{
    return info.mapping != NULL || info.binary != NULL || info.function != NULL;
}

/* ---- Names ------------------------------------------------------------------------- */

static bool has_symbol(struct address_info info, uint64_t address)
{
    return info.function != NULL || info.lines != NULL ||
           (info.binary != NULL &&
            binary_symbol(info.binary, address - info.bias) != NULL);
}

/* Whether the lines of a record count, whatever the file has. */
static bool needs_no_file(struct address_info info)
{
    return info.lines != NULL && info.lines->has_source;
}

static bool has_source(const struct source_lines *lines)
{
    for (size_t i = 0; i < lines->n; i++) {
        if (lines->items[i].file != NULL)
            return true;
    }
    return false;
}

/* The lines that a record has. */
static void take_lines(const struct map *map, struct address_info info,
                       struct source_lines *lines)
{
    const struct file_lines *all = &map->modules->lines;

    lines->n = 0;
    for (uint32_t i = 0; i < info.lines->n; i++) {
        const struct file_line *from = &all->lines[info.lines->first + i];
        const char *file = file_lines_text(all, from->source_file);
        const char *home = file_lines_text(all, from->home);

        source_lines_add(lines,
                         (struct source_line){.name = file_lines_text(all, from->name),
                                              .home = home[0] != '\0' ? home : NULL,
                                              .is_vague = from->is_vague,
                                              .file = file[0] != '\0' ? file : NULL,
                                              .line = from->line,
                                              .start_line = from->start_line});
    }
}

/* The function that a record of symbols has in no file. */
static void take_function(const struct map *map, struct address_info info,
                          struct source_lines *lines)
{
    const char *name = modules_function_name(map->modules, info.function);
    const char *home = modules_function_home(map->modules, info.function);

    source_lines_add(lines, (struct source_line){.name = name,
                                                 .home = home[0] != '\0' ? home : NULL,
                                                 .is_vague = demangle_is_copy(name)});
}

bool address_fetch(const struct map *map, struct address_info info)
{
    struct symbolizer *s = map->symbolizer;
    const struct module *module;

    if (!s->files.servers.is_on || info.function != NULL || needs_no_file(info))
        return false;
    if (info.image < s->n)
        return symbolizer_fetch_image(s, info.image);
    if (info.mapping == NULL)
        return false;
    module = &map->modules->modules[info.mapping->module];
    return symbolizer_fetch_module(
        s, info.mapping->module, string_table_get(&map->modules->names, module->name),
        string_table_get(&map->modules->build_ids, module->build_id));
}

void address_announce(struct address_info info, uint64_t address)
{
    if (info.binary != NULL && !needs_no_file(info))
        binary_want(info.binary, address - info.bias);
}

bool address_lines(const struct map *map, struct address_info info, uint64_t address,
                   struct source_lines *lines)
{
    bool is_of_record;
    bool is_of_file;

    lines->n = 0;
    if (info.binary != NULL && !needs_no_file(info))
        binary_lines(info.binary, address - info.bias, lines);
    is_of_record = info.lines != NULL && !has_source(lines);
    if (is_of_record)
        take_lines(map, info, lines);
    is_of_file = lines->n > 0 && info.mapping != NULL && !is_of_record;
    if (lines->n == 0 && info.function != NULL)
        take_function(map, info, lines);
    if (map->symbolizer->no_inlines && lines->n > 1) {
        lines->items[0] = lines->items[lines->n - 1];
        lines->n = 1;
    }
    return is_of_file;
}

bool address_function(struct address_info info, uint64_t address, uint64_t *start)
{
    if (info.binary == NULL || !binary_function(info.binary, address - info.bias, start))
        return false;
    *start += info.bias;
    return true;
}

uint64_t address_of_call(const struct map *map, uint64_t process, uint64_t pc)
{
    struct address_info here = address_find(map, process, pc);
    struct address_info before;

    if (pc == 0)
        return pc;
    before = address_find(map, process, pc - 1);
    if (address_is_known(here) &&
        (here.mapping != before.mapping || here.code != before.code))
        return pc;
    if (has_symbol(here, pc) && !has_symbol(before, pc - 1))
        return pc;
    return pc - 1;
}
