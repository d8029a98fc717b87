/* SPDX-License-Identifier: BSD-2-Clause */
/* See locate_mapping.h. */
#include "locate_mapping.h"

#include <string.h>

/* Whether this is a library, which readers must not take for the main program. */
static bool is_library(struct string name)
{
    for (size_t i = 0; i + 3 <= name.size; i++) {
        if (memcmp(name.data + i, ".so", 3) == 0 &&
            (i + 3 == name.size || name.data[i + 3] == '.'))
            return true;
    }
    return name.size == 0 || name.data[0] == '[';
}

/* Files that the user named come first. kallsyms can be given with any recording, so its
 * images are the main program only if there is no other. */
static uint32_t rank_of_image(const struct symbolizer *symbolizer,
                              struct address_info info)
{
    if (info.image < symbolizer->n_files)
        return info.image;
    return (uint32_t)symbolizer->n + 2 + info.image;
}

/* Where in its file a mapping of the input starts. Its record does not say; the file's
 * own headers do. */
static uint64_t offset_of(const struct mapping *mapping, const struct elf_code *code)
{
    uint64_t ahead = code->vaddr - mapping->vaddr;

    if (mapping->vaddr >= code->vaddr)
        return code->offset + (mapping->vaddr - code->vaddr);
    return ahead <= code->offset ? code->offset - ahead : 0;
}

static struct profile_mapping from_image(struct mapping_list *list, const struct map *map,
                                         struct address_info info)
{
    struct profile *p = &list->builder->profile;
    const struct binary *binary = info.binary;

    return (struct profile_mapping){
        .start = info.code->vaddr + info.bias,
        .limit = info.code->limit + info.bias,
        .file_offset = binary->elf.has_code ? info.code->offset : info.code->vaddr,
        .vaddr = info.code->vaddr,
        .file = string_table_add(&p->files, binary->name, strlen(binary->name)),
        .build_id =
            string_table_add(&p->build_ids, binary->build_id, strlen(binary->build_id)),
        .rank = rank_of_image(map->symbolizer, info),
        .process = UINT64_MAX,
    };
}

static struct profile_mapping from_module(struct mapping_list *list,
                                          const struct map *map,
                                          const struct mapping *mapping)
{
    struct profile *p = &list->builder->profile;
    struct string name = modules_name(map->modules, mapping);
    struct string build_id = modules_build_id(map->modules, mapping);
    uint32_t file = string_table_add(&p->files, name.data, name.size);

    return (struct profile_mapping){
        .start = mapping->start,
        .limit = mapping->limit,
        .file_offset = mapping->vaddr,
        .vaddr = mapping->vaddr,
        .file = file,
        .recorded_file = file,
        .build_id = string_table_add(&p->build_ids, build_id.data, build_id.size),
        .rank = (uint32_t)map->symbolizer->n + (is_library(name) ? 1 : 0),
        .is_missing = map->symbolizer->finds_modules,
        .is_of_process = true,
        .process = mapping->process,
    };
}

/* A mapping of the input whose file was found. If the user named the file, it has the
 * user's name. */
static struct profile_mapping from_both(struct mapping_list *list, const struct map *map,
                                        struct address_info info)
{
    struct profile_mapping both = from_module(list, map, info.mapping);
    struct profile_mapping image = from_image(list, map, info);

    both.is_missing = false;
    both.is_stripped =
        map->symbolizer->finds_modules && !binary_has_full_table(info.binary);
    if (info.binary->elf.has_code)
        both.file_offset = offset_of(info.mapping, info.code);
    both.is_id_of_file = modules_build_id(map->modules, info.mapping).size == 0;
    if (info.binary->build_id[0] != '\0')
        both.build_id = image.build_id;
    if (info.image < map->symbolizer->n ||
        string_table_get(&list->builder->profile.files, both.file).size == 0)
        both.file = image.file;
    if (info.image < map->symbolizer->n)
        both.rank = image.rank;
    return both;
}

/* Where a record of symbols has a function in no file. */
static struct profile_mapping from_function(struct mapping_list *list,
                                            const struct map *map,
                                            struct address_info info, uint64_t address)
{
    struct profile *p = &list->builder->profile;
    struct string name = modules_source_name(map->modules, info.function);
    struct profile_mapping mapping = {
        .file = string_table_add(&p->files, name.data, name.size),
        .build_id = string_table_add(&p->build_ids, "", 0),
        .rank = (uint32_t)map->symbolizer->n + 1,
        .is_of_process = true,
        .process = info.function->process,
        .is_jit = true,
    };

    modules_function_range(map->modules, info.function, address, &mapping.start,
                           &mapping.limit);
    mapping.vaddr = mapping.start;
    /* What is at other addresses is not the same part of a file. */
    mapping.file_offset = mapping.start;
    return mapping;
}

static bool same_mapping(const struct profile_mapping *a, const struct profile_mapping *b)
{
    return a->start == b->start && a->limit == b->limit &&
           a->file_offset == b->file_offset && a->vaddr == b->vaddr &&
           a->file == b->file && a->build_id == b->build_id && a->rank == b->rank &&
           a->is_of_process == b->is_of_process;
}

/* Processes that have the same file at the same address share its mapping. */
static uint32_t add_mapping(struct mapping_list *list,
                            const struct profile_mapping *mapping)
{
    struct profile *p = &list->builder->profile;
    uint64_t hash = hash_word(hash_word(hash_start(), mapping->start), mapping->file);
    struct table_probe probe = table_probe(&list->table, hash);
    uint32_t number;

    while (table_next(&list->table, &probe, &number)) {
        if (!same_mapping(&p->mappings[number], mapping))
            continue;
        if (mapping->process < p->mappings[number].process)
            p->mappings[number].process = mapping->process;
        return number;
    }
    table_add(&list->table, hash, p->n_mappings);
    MEMORY_ADD(p->mappings, p->n_mappings, list->capacity, *mapping);
    return (uint32_t)(p->n_mappings - 1);
}

/* Readers take a mapping in the kernel's half of the addresses that says it starts at
 * offset 0 for a kernel's code, wherever that starts in its file, and no other. */
uint32_t mapping_list_find(struct mapping_list *list, const struct map *map,
                           struct address_info info, uint64_t address)
{
    struct profile_mapping mapping;

    if (!address_is_known(info))
        return PROFILE_NO_MAPPING;
    if (info.mapping == NULL && info.binary == NULL) {
        mapping = from_function(list, map, info, address);
        return add_mapping(list, &mapping);
    }
    if (info.mapping == NULL)
        mapping = from_image(list, map, info);
    else if (info.binary == NULL)
        mapping = from_module(list, map, info.mapping);
    else
        mapping = from_both(list, map, info);
    if (profile_is_in_kernel(mapping.start))
        mapping.file_offset = 0;
    else if (info.binary == NULL || !info.binary->elf.has_code)
        list->lacks_offsets = true;
    return add_mapping(list, &mapping);
}

uint32_t mapping_list_find_file(struct mapping_list *list, struct string name,
                                struct string build_id)
{
    struct profile *p = &list->builder->profile;
    struct profile_mapping mapping = {.rank = is_library(name), .process = UINT64_MAX};

    if (name.size == 0 && build_id.size == 0)
        return PROFILE_NO_MAPPING;
    mapping.file = string_table_add(&p->files, name.data, name.size);
    mapping.recorded_file = mapping.file;
    mapping.build_id = string_table_add(&p->build_ids, build_id.data, build_id.size);
    return add_mapping(list, &mapping);
}

/* The process of all samples; 0 if there are several. */
static uint64_t only_process(const struct profile *p)
{
    uint64_t process = p->n_samples > 0 ? p->labels[p->samples[0].labels].process : 0;

    for (size_t i = 1; i < p->n_samples; i++) {
        if (p->labels[p->samples[i].labels].process != process)
            return 0;
    }
    return process;
}

/* The first mapping of a process that is not a library; or NULL. */
static const struct mapping *find_main(const struct modules *modules, uint64_t process)
{
    const struct mapping *first = NULL;

    for (size_t i = 0; i < modules->mapped.n; i++) {
        const struct mapping *mapping = &modules->mapped.all[i];

        if (mapping->process == process && !is_library(modules_name(modules, mapping)) &&
            (first == NULL || mapping->sequence < first->sequence))
            first = mapping;
    }
    return first;
}

void mapping_list_add_main(struct mapping_list *list, const struct map *map)
{
    struct profile *p = &list->builder->profile;
    const struct mapping *first;

    for (size_t i = 0; i < p->n_mappings; i++) {
        if (p->mappings[i].rank <= map->symbolizer->n)
            return;
    }
    if (p->n_mappings == 0 || list->builder->has_epochs)
        return;
    first = find_main(map->modules, only_process(p));
    if (first == NULL)
        return;
    list->builder->main_mapping = mapping_list_find(
        list, map, address_find(map, first->process, first->start), first->start);
}

/* Sets the flags by which readers know that a mapping is already symbolized. */
static void set_flags(struct profile *p, const struct profile_location *location)
{
    struct profile_mapping *mapping = &p->mappings[location->mapping];

    mapping->has_functions = true;
    mapping->has_inline_frames |= location->n_lines > 1;
    for (uint32_t i = 0; i < location->n_lines; i++) {
        const struct profile_line *line = &p->lines[location->first_line + i];
        uint32_t file = p->functions[line->function].file;

        mapping->has_filenames |= string_table_get(&p->files, file).size > 0;
        mapping->has_line_numbers |= line->line > 0;
    }
}

void profile_flag_mappings(struct profile_builder *b)
{
    struct profile *p = &b->profile;

    for (size_t i = 0; i < p->n_mappings; i++) {
        p->mappings[i].has_functions = false;
        p->mappings[i].has_filenames = false;
        p->mappings[i].has_line_numbers = false;
        p->mappings[i].has_inline_frames = false;
    }
    for (size_t i = 0; i < p->n_locations; i++) {
        if (p->locations[i].symbolized && p->locations[i].mapping != PROFILE_NO_MAPPING)
            set_flags(p, &p->locations[i]);
    }
}
