/* SPDX-License-Identifier: BSD-2-Clause */
/* See mapping_list.h. */
#include "mapping_list.h"

#include <stddef.h>
#include <string.h>

#include "filter.h"
#include "threads.h"

static uint64_t end_of(const struct block *mapping)
{
    return mapping->address + mapping->size;
}

/* The first that ends after an address. */
static uint32_t find_place(const struct mapping_list *list, uint64_t address)
{
    uint32_t low = 0;
    uint32_t high = list->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (end_of(&list->all[middle]) > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static bool overlaps(const struct mapping_list *list, uint32_t i,
                     struct mapping_range range)
{
    return i < list->n && list->all[i].address < range.end;
}

static void count_lost(struct table *t, uint64_t bytes)
{
    __atomic_fetch_add(&t->header->lost_blocks, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&t->header->lost_bytes, bytes, __ATOMIC_RELAXED);
}

static const void *address_of(const struct block *mapping)
{
    const void *at;
    uintptr_t address = (uintptr_t)mapping->address;

    memcpy(&at, &address, sizeof(at));
    return at;
}

void mapping_list_hide(struct mapping_list *list, struct table *t,
                       struct mapping_range *range)
{
    struct mapping_range asked = *range;

    for (uint32_t i = find_place(list, asked.start); overlaps(list, i, asked); i++) {
        const struct block *one = &list->all[i];

        if (slots_free(t, one->address, thread_self.id) != SLOTS_NO_BLOCK)
            filter_count(address_of(one), -1);
        if (one->address < range->start)
            range->start = one->address;
        if (end_of(one) > range->end)
            range->end = end_of(one);
    }
}

void mapping_list_show(struct mapping_list *list, struct table *t,
                       struct mapping_range range)
{
    for (uint32_t i = find_place(list, range.start); overlaps(list, i, range); i++) {
        const struct block *one = &list->all[i];

        if (slots_free(t, one->address, thread_self.id) != SLOTS_NO_BLOCK)
            filter_count(address_of(one), -1);
        filter_count(address_of(one), 1);
        if (slots_insert(t, one))
            continue;
        filter_count(address_of(one), -1);
        count_lost(t, one->size);
    }
}

static void insert_at(struct mapping_list *list, struct table *t, uint32_t i,
                      const struct block *mapping)
{
    if (list->n == MAPPING_LIST_MAX) {
        count_lost(t, mapping->size);
        return;
    }
    memmove(&list->all[i + 1], &list->all[i], (list->n - i) * sizeof(list->all[0]));
    list->all[i] = *mapping;
    list->n++;
}

void mapping_list_cut(struct mapping_list *list, struct table *t,
                      struct mapping_range range)
{
    uint32_t first = find_place(list, range.start);
    uint32_t next = first;
    struct block rest = {0};

    if (!overlaps(list, first, range))
        return;
    while (overlaps(list, next, range))
        next++;
    if (end_of(&list->all[next - 1]) > range.end) {
        rest = list->all[next - 1];
        rest.size = end_of(&rest) - range.end;
        rest.address = range.end;
    }
    if (list->all[first].address < range.start) {
        list->all[first].size = range.start - list->all[first].address;
        first++;
    }
    memmove(&list->all[first], &list->all[next], (list->n - next) * sizeof(list->all[0]));
    list->n -= next - first;
    if (rest.size > 0)
        insert_at(list, t, first, &rest);
}

void mapping_list_add(struct mapping_list *list, struct table *t,
                      const struct block *mapping)
{
    insert_at(list, t, find_place(list, mapping->address), mapping);
}

const struct block *mapping_list_find(const struct mapping_list *list,
                                      struct mapping_range range)
{
    uint32_t i = find_place(list, range.start);

    return overlaps(list, i, range) ? &list->all[i] : NULL;
}
