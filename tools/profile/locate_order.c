/* SPDX-License-Identifier: BSD-2-Clause */
/* See locate_order.h. */
#include "locate_order.h"

#include <stdlib.h>
#include <string.h>

#include "number_sort.h"

/* What is sorted, with its names at hand, and the number it had before. */
struct mapping_row {
    struct profile_mapping mapping;
    struct string file;
    struct string build_id;
    uint32_t number;
};

struct location_row {
    const struct profile_location *location;
    struct string function;
    uint32_t number;
};

static int order_mappings(const void *left, const void *right)
{
    const struct mapping_row *a = (const struct mapping_row *)left;
    const struct mapping_row *b = (const struct mapping_row *)right;
    int order = order_numbers(a->mapping.rank, b->mapping.rank);

    if (order == 0)
        order = string_compare(a->file, b->file);
    if (order == 0)
        order = string_compare(a->build_id, b->build_id);
    if (order == 0)
        order = order_numbers(a->mapping.start, b->mapping.start);
    if (order == 0)
        order = order_numbers(a->mapping.limit, b->mapping.limit);
    if (order == 0)
        order = order_numbers(a->mapping.file_offset, b->mapping.file_offset);
    return order != 0 ? order : order_numbers(a->mapping.vaddr, b->mapping.vaddr);
}

static int order_locations(const void *left, const void *right)
{
    const struct location_row *a = (const struct location_row *)left;
    const struct location_row *b = (const struct location_row *)right;
    int order = order_numbers(a->location->mapping, b->location->mapping);

    if (order == 0)
        order = order_numbers(a->location->address, b->location->address);
    if (order == 0)
        order = order_numbers(a->location->symbolized, b->location->symbolized);
    return order != 0 ? order : string_compare(a->function, b->function);
}

/* Sorts the mappings. Returns the new number of each, for the caller to free. */
static uint32_t *sort_mappings(struct profile *p)
{
    uint32_t *numbers = (uint32_t *)must_allocate(p->n_mappings * sizeof(*numbers));
    struct mapping_row *rows =
        (struct mapping_row *)must_allocate(p->n_mappings * sizeof(*rows));

    for (size_t i = 0; i < p->n_mappings; i++)
        rows[i] = (struct mapping_row){
            p->mappings[i], strings_get(&p->files, p->mappings[i].file),
            strings_get(&p->build_ids, p->mappings[i].build_id), (uint32_t)i};
    qsort(rows, p->n_mappings, sizeof(*rows), order_mappings);
    for (size_t i = 0; i < p->n_mappings; i++) {
        p->mappings[i] = rows[i].mapping;
        numbers[rows[i].number] = (uint32_t)i;
    }
    free(rows);
    return numbers;
}

uint32_t *profile_sort_locations(const struct profile *p)
{
    uint32_t *numbers = (uint32_t *)must_allocate(p->n_locations * sizeof(*numbers));
    struct location_row *rows =
        (struct location_row *)must_allocate(p->n_locations * sizeof(*rows));

    for (size_t i = 0; i < p->n_locations; i++)
        rows[i] = (struct location_row){&p->locations[i],
                                        profile_line_name(p, p->locations[i].first_line),
                                        (uint32_t)i};
    qsort(rows, p->n_locations, sizeof(*rows), order_locations);
    for (size_t i = 0; i < p->n_locations; i++)
        numbers[i] = rows[i].number;
    free(rows);
    return numbers;
}

void profile_order_lines(struct profile *p)
{
    struct profile_line *lines;
    uint32_t n = 0;

    for (size_t i = 0; i < p->n_locations; i++)
        n += p->locations[i].n_lines;
    lines = (struct profile_line *)must_allocate(n * sizeof(*lines));
    n = 0;
    for (size_t i = 0; i < p->n_locations; i++) {
        struct profile_location *location = &p->locations[i];

        memcpy(lines + n, p->lines + location->first_line,
               location->n_lines * sizeof(*lines));
        location->first_line = n;
        n += location->n_lines;
    }
    free(p->lines);
    p->lines = lines;
    p->n_lines = n;
}

void profile_order_mappings(struct profile *p)
{
    uint32_t *numbers = sort_mappings(p);

    for (size_t i = 0; i < p->n_locations; i++) {
        if (p->locations[i].mapping != PROFILE_NO_MAPPING)
            p->locations[i].mapping = numbers[p->locations[i].mapping];
    }
    free(numbers);
}
