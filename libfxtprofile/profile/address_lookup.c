/* SPDX-License-Identifier: BSD-2-Clause */
/* See address_lookup.h. */
#include "address_lookup.h"

#include <string.h>

/* ---- Files ------------------------------------------------------------------------- */

static struct string build_id_of(const struct binary *binary)
{
    return (struct string){binary->build_id, strlen(binary->build_id)};
}

/* Whether a mapping of the input is of a file that the user named: at the address that
 * the user gave, the build ids must not differ; without an address, they must be equal.
 */
static bool is_of(const struct map *map, const struct mapping *mapping,
                  const struct image *image)
{
    struct string build_id = modules_build_id(map->modules, mapping);
    bool is_there = mapping->start - mapping->vaddr == image->bias;
    bool is_same = build_id.size > 0 &&
                   binary_has_build_id(image->binary, build_id.data, build_id.size);

    if (is_same)
        return is_there || !image->is_moved;
    if (!is_there)
        return false;
    if (build_id.size == 0 || build_id_of(image->binary).size == 0)
        return true;
    debug_files_complain(&map->symbolizer->files, image->binary, build_id);
    return false;
}

/* The code of a file that a mapping shows, if that is the mapping's file; or NULL. */
static const struct elf_code *code_of(const struct mapping *mapping,
                                      const struct binary *binary)
{
    return binary_code_in(binary, mapping->vaddr,
                          mapping->vaddr + (mapping->limit - mapping->start));
}

static struct binary *find_module(const struct map *map, uint32_t number)
{
    const struct modules *modules = map->modules;
    const struct module *module = &modules->modules[number];

    return symbolizer_find_module(
        map->symbolizer, number, string_table_get(&modules->names, module->name),
        string_table_get(&modules->build_ids, module->build_id));
}

/* The file that a mapping of the input shows: one answer for all of the mapping, whether
 * or not it is all code. */
static void find_binary(const struct map *map, struct address_info *info)
{
    const struct mapping *mapping = info->mapping;
    struct symbolizer *symbolizer = map->symbolizer;
    struct binary *found = NULL;

    for (size_t i = 0; i < symbolizer->n && found == NULL; i++) {
        const struct image *image = &symbolizer->images[i];

        if (code_of(mapping, image->binary) == NULL || !is_of(map, mapping, image))
            continue;
        found = image->binary;
        info->image = (uint32_t)i;
    }
    if (found == NULL)
        found = find_module(map, mapping->module);
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
        .mapping = modules_find_in(map->modules, process, map->epoch, address),
        .image = (uint32_t)map->symbolizer->n,
    };
    const struct image *image;

    if (info.mapping != NULL) {
        find_binary(map, &info);
        return info;
    }
    image = symbolizer_find(map->symbolizer, address);
    if (image == NULL)
        return info;
    info.binary = image->binary;
    info.bias = image->bias;
    info.code = elf_image_find_code(&image->binary->elf.image, address - image->bias);
    info.image = (uint32_t)(image - map->symbolizer->images);
    return info;
}

bool address_is_known(struct address_info info)
{
    return info.mapping != NULL || info.binary != NULL;
}

/* ---- Names ------------------------------------------------------------------------- */

static const char *symbol_at(struct address_info info, uint64_t address)
{
    return info.binary != NULL ? binary_symbol(info.binary, address - info.bias) : NULL;
}

void address_announce(struct address_info info, uint64_t address)
{
    if (info.binary != NULL)
        binary_want(info.binary, address - info.bias);
}

void address_lines(const struct map *map, struct address_info info, uint64_t address,
                   struct source_lines *lines)
{
    lines->n = 0;
    if (info.binary == NULL)
        return;
    binary_lines(info.binary, address - info.bias, lines);
    if (map->symbolizer->no_inlines && lines->n > 1) {
        lines->items[0] = lines->items[lines->n - 1];
        lines->n = 1;
    }
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
    if (symbol_at(here, pc) != NULL && symbol_at(before, pc - 1) == NULL)
        return pc;
    return pc - 1;
}
