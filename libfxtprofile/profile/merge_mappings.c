/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See prune.h: the same part of a file is one of the same size in pages and the same file
 * offset; the same file has the same build id or, if it has none, the same name. An
 * address in a merged mapping is moved to where its own mapping would have it.
 */
#include "prune.h"

#include <string.h>

#include "common/base/sort.h"

/* ---- Mappings ---------------------------------------------------------------------- */

/* A mapping, what it has to have in common with others, and the number it had. */
struct part {
    struct profile_mapping mapping;
    uint64_t n_pages;
    struct string file;
    struct string build_id;
    uint32_t number;
};

static uint64_t count_pages(const struct profile_mapping *mapping)
{
    enum { PAGE_BITS = 12 };
    uint64_t size = mapping->limit - mapping->start;

    return (size >> PAGE_BITS) + ((size & ((1 << PAGE_BITS) - 1)) != 0);
}

static struct string file_key(const struct part *part)
{
    return part->build_id.size > 0 ? part->build_id : part->file;
}

/* By the part of the file. What is in the kernel's half of the addresses stays there, by
 * which it is known to be the kernel's. */
static int order_keys(const struct part *a, const struct part *b)
{
    int order = order_numbers(profile_is_in_kernel(a->mapping.start),
                              profile_is_in_kernel(b->mapping.start));

    if (order == 0)
        order = order_numbers(a->n_pages, b->n_pages);
    if (order == 0)
        order = order_numbers(a->mapping.file_offset, b->mapping.file_offset);
    return order != 0 ? order : string_compare(file_key(a), file_key(b));
}

/* Of equal parts the one that is kept comes first: that of the process with the lowest
 * number. */
SORT_ORDER(order_parts, struct part,
           BY_ORDER(order_keys(a, b)) || BY(mapping.process) || BY(mapping.start) ||
               BY(mapping.limit) || BY(mapping.vaddr) || BY(mapping.rank) ||
               BY_ORDER(string_compare(a->file, b->file)));

static struct part *sort_parts(const struct profile *p)
{
    struct part *parts = (struct part *)memory_allocate(p->n_mappings * sizeof(*parts));

    for (size_t i = 0; i < p->n_mappings; i++)
        parts[i] = (struct part){
            .mapping = p->mappings[i],
            .n_pages = count_pages(&p->mappings[i]),
            .file = string_table_get(&p->files, p->mappings[i].file),
            .build_id = string_table_get(&p->build_ids, p->mappings[i].build_id),
            .number = (uint32_t)i,
        };
    SORT(parts, p->n_mappings, order_parts);
    return parts;
}

/* Makes room in a mapping for all of another one. Returns false if there is none. */
static bool widen_mapping(struct profile_mapping *mapping,
                          const struct profile_mapping *other)
{
    uint64_t size = other->limit - other->start;

    if (size > UINT64_MAX - mapping->start)
        return false;
    if (size > mapping->limit - mapping->start)
        mapping->limit = mapping->start + size;
    mapping->rank = other->rank < mapping->rank ? other->rank : mapping->rank;
    mapping->is_of_process |= other->is_of_process;
    return true;
}

/* Keeps one of each, and moves the locations to it. Returns false if all are kept. */
static bool merge_mappings(struct profile_builder *b)
{
    struct profile *p = &b->profile;
    struct part *parts = sort_parts(p);
    uint32_t *numbers = (uint32_t *)memory_allocate(p->n_mappings * sizeof(*numbers));
    uint64_t *moves = (uint64_t *)memory_allocate(p->n_mappings * sizeof(*moves));
    size_t n = 0;

    for (size_t i = 0; i < p->n_mappings; i++) {
        const struct part *part = &parts[i];

        if (i == 0 || order_keys(&parts[i - 1], part) != 0 ||
            !widen_mapping(&p->mappings[n - 1], &part->mapping))
            p->mappings[n++] = part->mapping;
        numbers[part->number] = (uint32_t)n - 1;
        moves[part->number] = p->mappings[n - 1].start - part->mapping.start;
    }
    for (size_t i = 0; i < p->n_locations; i++) {
        struct profile_location *location = &p->locations[i];

        if (location->mapping == PROFILE_NO_MAPPING)
            continue;
        location->address += moves[location->mapping];
        location->mapping = numbers[location->mapping];
    }
    if (b->main_mapping != PROFILE_NO_MAPPING)
        b->main_mapping = numbers[b->main_mapping];
    memory_release(parts);
    memory_release(numbers);
    memory_release(moves);
    if (n == p->n_mappings)
        return false;
    p->n_mappings = n;
    return true;
}

/* ---- Locations --------------------------------------------------------------------- */

static bool same_location(const struct profile *p, const struct profile_location *a,
                          const struct profile_location *b)
{
    return a->address == b->address && a->mapping == b->mapping &&
           a->n_lines == b->n_lines &&
           memcmp(p->lines + a->first_line, p->lines + b->first_line,
                  a->n_lines * sizeof(*p->lines)) == 0;
}

/* The number of a location among the `n` that are kept; `n` if it is not there. */
static uint32_t find_location(const struct profile *p, struct table *table, size_t n,
                              const struct profile_location *location)
{
    uint64_t hash =
        hash_word(hash_word(hash_start(), location->address), location->mapping);
    struct table_probe probe = table_probe(table, hash);
    uint32_t number;

    while (table_next(table, &probe, &number)) {
        if (same_location(p, &p->locations[number], location))
            return number;
    }
    table_add(table, hash, n);
    return (uint32_t)n;
}

static void merge_locations(struct profile_builder *b)
{
    struct profile *p = &b->profile;
    uint32_t *numbers = (uint32_t *)memory_allocate(p->n_locations * sizeof(*numbers));
    struct table table = {.n_used = 0};
    size_t n = 0;

    for (size_t i = 0; i < p->n_locations; i++) {
        numbers[i] = find_location(p, &table, n, &p->locations[i]);
        if (numbers[i] == n)
            p->locations[n++] = p->locations[i];
    }
    for (size_t i = 0; i < p->n_stacks && n < p->n_locations; i++) {
        for (uint32_t j = 0; j < p->stacks[i].n; j++)
            p->stacks[i].frames[j] = numbers[p->stacks[i].frames[j]];
    }
    b->may_have_equals |= n < p->n_locations;
    p->n_locations = n;
    table_free(&table);
    memory_release(numbers);
}

void profile_merge_mappings(struct profile_builder *b)
{
    if (b->profile.n_mappings > 1 && merge_mappings(b))
        merge_locations(b);
}
