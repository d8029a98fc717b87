/* SPDX-License-Identifier: BSD-2-Clause */
/* See unwind_space.h. */
#include "unwind_space.h"

/* ---- Arranging --------------------------------------------------------------------- */

static void insert(struct unwind_module *modules, uint32_t n, uint32_t at,
                   const struct unwind_module *module)
{
    for (uint32_t i = n; i > at; i--)
        modules[i] = modules[i - 1];
    modules[at] = *module;
}

static void delete (struct unwind_module *modules, uint32_t n, uint32_t at)
{
    for (uint32_t i = at; i + 1 < n; i++)
        modules[i] = modules[i + 1];
}

/* The first of `n` sorted modules that does not end at or below an address. */
static uint32_t find_place(const struct unwind_module *modules, uint32_t n,
                           uint64_t address)
{
    uint32_t low = 0;

    while (low < n) {
        uint32_t middle = low + (n - low) / 2;

        if (modules[middle].limit <= address)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

uint32_t unwind_space_replace(struct unwind_module *modules, uint32_t n,
                              uint32_t capacity, const struct unwind_module *module)
{
    struct unwind_module new_one = *module;
    uint32_t at = find_place(modules, n, new_one.start);

    if (new_one.limit <= new_one.start)
        return n;
    if (at < n && modules[at].start < new_one.start) {
        struct unwind_module above = modules[at];

        modules[at++].limit = new_one.start;
        above.start = new_one.limit;
        if (above.limit > new_one.limit && n < capacity)
            insert(modules, n++, at, &above);
    }
    while (at < n && modules[at].limit <= new_one.limit)
        delete (modules, n--, at);
    if (at < n && modules[at].start < new_one.limit)
        modules[at].start = new_one.limit;
    if (n < capacity)
        insert(modules, n++, at, &new_one);
    return n;
}

uint32_t unwind_space_arrange(struct unwind_module *modules, uint32_t n,
                              uint32_t capacity)
{
    uint32_t offset = capacity - n;
    uint32_t arranged = 0;

    if (capacity < n)
        return 0;
    for (uint32_t i = n; i > 0 && offset > 0; i--)
        modules[offset + i - 1] = modules[i - 1];
    for (uint32_t i = 0; i < n; i++)
        arranged =
            unwind_space_replace(modules, arranged, offset + i + 1, &modules[offset + i]);
    return arranged;
}

/* ---- Searching --------------------------------------------------------------------- */

const struct unwind_module *unwind_space_find(const struct unwind_space *space,
                                              uint64_t address)
{
    uint32_t at = find_place(space->modules, space->n_modules, address);

    if (at < space->n_modules && address >= space->modules[at].start)
        return &space->modules[at];
    return NULL;
}
