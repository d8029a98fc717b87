/* SPDX-License-Identifier: BSD-2-Clause */
/* See mapping_set.h. */
#include "mapping_set.h"

#include "common/base/memory.h"
#include "mapping.h"

bool mapping_set_add(struct mapping_set *set, struct mapping mapping, uint64_t length)
{
    if (length == 0 || set->n == UINT32_MAX)
        return false;
    if (length > UINT64_MAX - mapping.start)
        length = UINT64_MAX - mapping.start;
    mapping.limit = mapping.start + length;
    mapping.sequence = (uint32_t)set->n;
    MEMORY_ADD(set->all, set->n, set->capacity, mapping);
    return true;
}

void mapping_set_finish(struct mapping_set *set)
{
    struct mapping *flat;
    size_t n;

    mapping_times_build(&set->times, set->all, set->n);
    overlaps_resolve(set->all, set->n, &flat, &n);
    memory_release(set->all);
    set->all = flat;
    set->n = n;
    set->capacity = n;
}

static bool starts_after(const struct mapping *mapping, uint64_t process,
                         uint64_t address)
{
    if (mapping->process != process)
        return mapping->process > process;
    return mapping->start > address;
}

/* How many mappings do not start after an address. */
static size_t count_starts(const struct mapping_set *set, uint64_t process,
                           uint64_t address)
{
    size_t low = 0;
    size_t high = set->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (starts_after(&set->all[middle], process, address))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

const struct mapping *mapping_set_find(const struct mapping_set *set, uint64_t process,
                                       uint64_t address)
{
    size_t n = count_starts(set, process, address);

    if (n == 0 || set->all[n - 1].process != process || set->all[n - 1].limit <= address)
        return NULL;
    return &set->all[n - 1];
}

const struct mapping *mapping_set_find_at(const struct mapping_set *set, uint64_t process,
                                          uint64_t time_ns, uint64_t address)
{
    return mapping_times_has(&set->times, process)
               ? mapping_times_find(&set->times, process, time_ns, address)
               : mapping_set_find(set, process, address);
}

void mapping_set_find_gap(const struct mapping_set *set, uint64_t process,
                          uint64_t address, uint64_t *start, uint64_t *limit)
{
    size_t n = count_starts(set, process, address);

    if (n > 0 && set->all[n - 1].process == process && set->all[n - 1].limit > *start)
        *start = set->all[n - 1].limit;
    if (n < set->n && set->all[n].process == process && set->all[n].start < *limit)
        *limit = set->all[n].start;
}

/* How many mappings are of lower processes, or start below an address. */
static size_t count_before(const struct mapping_set *set, uint64_t process,
                           uint64_t address)
{
    if (address > 0)
        return count_starts(set, process, address - 1);
    return process > 0 ? count_starts(set, process - 1, UINT64_MAX) : 0;
}

void mapping_set_find_span(const struct mapping_set *set, uint64_t process,
                           uint64_t *start, uint64_t *limit)
{
    size_t first = count_before(set, process, *start);
    size_t end = count_before(set, process, *limit);

    if (first >= end)
        return;
    *start = set->all[first].start;
    if (set->all[end - 1].limit < *limit)
        *limit = set->all[end - 1].limit;
}

void mapping_set_free(struct mapping_set *set)
{
    memory_release(set->all);
    mapping_times_free(&set->times);
}
