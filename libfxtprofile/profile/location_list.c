/* SPDX-License-Identifier: BSD-2-Clause */
/* See location_list.h. */
#include "location_list.h"

#include <string.h>

void location_list_add_line(struct location_list *list, struct profile_line line)
{
    struct profile *p = &list->builder->profile;

    MEMORY_ADD(p->lines, p->n_lines, list->line_capacity, line);
}

static bool same_location(const struct profile *p, const struct profile_location *a,
                          const struct profile_location *b)
{
    return a->address == b->address && a->mapping == b->mapping &&
           a->symbolized == b->symbolized && a->n_lines == b->n_lines &&
           memcmp(p->lines + a->first_line, p->lines + b->first_line,
                  a->n_lines * sizeof(*p->lines)) == 0;
}

uint32_t location_list_add(struct location_list *list,
                           const struct profile_location *location)
{
    struct profile *p = &list->builder->profile;
    uint32_t function = p->lines[location->first_line].function;
    uint64_t hash = hash_word(hash_word(hash_start(), location->address), function);
    struct table_probe probe = table_probe(&list->table, hash);
    uint32_t number;

    while (table_next(&list->table, &probe, &number)) {
        if (same_location(p, &p->locations[number], location)) {
            p->n_lines = location->first_line;
            return number;
        }
    }
    table_add(&list->table, hash, p->n_locations);
    MEMORY_ADD(p->locations, p->n_locations, list->capacity, *location);
    return (uint32_t)(p->n_locations - 1);
}
