/* SPDX-License-Identifier: BSD-2-Clause */
/* See locate_order.h. */
#include "locate_order.h"

#include <string.h>

#include "common/base/sort.h"

/* A mapping with its names, and its number before sorting. */
struct mapping_row {
    struct profile_mapping mapping;
    struct string file;
    struct string build_id;
    uint32_t number;
};

/* A location, its number, and what it is called. */
struct location_row {
    uint32_t number;
    bool symbolized;
    struct string function;
};

SORT_ORDER(order_mappings, struct mapping_row,
           BY(mapping.rank) || BY_ORDER(string_compare(a->file, b->file)) ||
               BY_ORDER(string_compare(a->build_id, b->build_id)) || BY(mapping.start) ||
               BY(mapping.limit) || BY(mapping.file_offset) || BY(mapping.vaddr));

SORT_ORDER(order_locations, struct location_row,
           BY(symbolized) || BY_ORDER(string_compare(a->function, b->function)) ||
               BY(number));

/* Sorts the mappings. Returns the new number of each, for the caller to free. */
static uint32_t *sort_mappings(struct profile *p)
{
    uint32_t *numbers = (uint32_t *)memory_allocate(p->n_mappings * sizeof(*numbers));
    struct mapping_row *rows =
        (struct mapping_row *)memory_allocate(p->n_mappings * sizeof(*rows));

    for (size_t i = 0; i < p->n_mappings; i++)
        rows[i] = (struct mapping_row){
            p->mappings[i], string_table_get(&p->files, p->mappings[i].file),
            string_table_get(&p->build_ids, p->mappings[i].build_id), (uint32_t)i};
    SORT(rows, p->n_mappings, order_mappings);
    for (size_t i = 0; i < p->n_mappings; i++) {
        p->mappings[i] = rows[i].mapping;
        numbers[rows[i].number] = (uint32_t)i;
    }
    memory_release(rows);
    return numbers;
}

static bool same_place(const struct profile *p, uint32_t a, uint32_t b)
{
    return p->locations[a].address == p->locations[b].address &&
           p->locations[a].mapping == p->locations[b].mapping;
}

/* Sorts the numbers of locations that are at one place by what these are. */
static void sort_place(const struct profile *p, uint32_t *numbers, size_t n)
{
    struct location_row *rows = (struct location_row *)memory_allocate(n * sizeof(*rows));

    for (size_t i = 0; i < n; i++) {
        const struct profile_location *location = &p->locations[numbers[i]];

        rows[i] = (struct location_row){numbers[i], location->symbolized,
                                        profile_line_name(p, location->first_line)};
    }
    SORT(rows, n, order_locations);
    for (size_t i = 0; i < n; i++)
        numbers[i] = rows[i].number;
    memory_release(rows);
}

/* Locations are sorted by their mappings and then by their addresses. */
static bool next_address(const void *context, struct sort_row *rows, size_t n_rows,
                         uint64_t n)
{
    const struct profile *p = (const struct profile *)context;

    for (size_t i = 0; i < n_rows; i++)
        rows[i].key = n == 0 ? p->locations[rows[i].item].address : 0;
    return n == 0;
}

uint32_t *profile_sort_locations(const struct profile *p)
{
    uint32_t *numbers = (uint32_t *)memory_allocate(p->n_locations * sizeof(*numbers));
    struct sort_row *rows =
        (struct sort_row *)memory_reserve(p->n_locations * sizeof(*rows));

    for (uint32_t i = 0; i < p->n_locations; i++)
        rows[i] = (struct sort_row){p->locations[i].mapping, 0, i};
    sort_rows(1, rows, p->n_locations, next_address, p);
    for (size_t i = 0; i < p->n_locations; i++)
        numbers[i] = rows[i].item;
    for (size_t i = 0, first = 0; i < p->n_locations; i++) {
        if (i + 1 < p->n_locations && same_place(p, numbers[first], numbers[i + 1]))
            continue;
        if (i > first)
            sort_place(p, numbers + first, i + 1 - first);
        first = i + 1;
    }
    memory_release(rows);
    return numbers;
}

void profile_order_lines(struct profile_builder *b)
{
    struct profile *p = &b->profile;
    struct profile_line *lines;
    uint32_t n = 0;

    for (size_t i = 0; i < p->n_locations; i++)
        n += p->locations[i].n_lines;
    lines = (struct profile_line *)memory_allocate(n * sizeof(*lines));
    n = 0;
    for (size_t i = 0; i < p->n_locations; i++) {
        struct profile_location *location = &p->locations[i];

        memcpy(lines + n, p->lines + location->first_line,
               location->n_lines * sizeof(*lines));
        location->first_line = n;
        n += location->n_lines;
    }
    memory_release(p->lines);
    p->lines = lines;
    p->n_lines = n;
}

void profile_order_mappings(struct profile_builder *b)
{
    struct profile *p = &b->profile;
    uint32_t *numbers = sort_mappings(p);

    for (size_t i = 0; i < p->n_locations; i++) {
        if (p->locations[i].mapping != PROFILE_NO_MAPPING)
            p->locations[i].mapping = numbers[p->locations[i].mapping];
    }
    if (b->main_mapping != PROFILE_NO_MAPPING)
        b->main_mapping = numbers[b->main_mapping];
    memory_release(numbers);
}
