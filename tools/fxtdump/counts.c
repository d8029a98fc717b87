/* SPDX-License-Identifier: BSD-2-Clause */
/* See counts.h. */
#include "counts.h"

#include <string.h>

#include "common/base/sort.h"

static bool is_before(struct moment a, struct moment b)
{
    return a.past != b.past ? b.past : a.ns < b.ns;
}

void count_add(struct count *count, const struct count *more)
{
    count->records += more->records;
    count->bytes += more->bytes;
    count->times += more->times;
    if (!more->has_time)
        return;
    if (!count->has_time || is_before(more->first, count->first))
        count->first = more->first;
    if (!count->has_time || is_before(count->last, more->last))
        count->last = more->last;
    count->has_time = true;
}

/* ---- Keys -------------------------------------------------------------------------- */

static uint64_t mix_key(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
}

static uint64_t hash_string(uint64_t hash, const struct fxt_string *string)
{
    const char *data = string->data;
    size_t size = string->size;
    uint64_t word = 0;

    if (data == NULL)
        return mix_key(hash, UINT64_MAX - string->ref);
    for (; size >= sizeof(word); size -= sizeof(word)) {
        memcpy(&word, data, sizeof(word));
        hash = mix_key(hash, word);
        data += sizeof(word);
    }
    word = 0;
    memcpy(&word, data, size);
    return mix_key(mix_key(hash, word), string->size);
}

/* The hash is seeded with the table's address, so that a trace cannot be made whose names
 * all collide. */
static uint64_t hash_key(const struct counts *counts, const struct fxt_string *first,
                         const struct fxt_string *second)
{
    return hash_string(hash_string((uintptr_t)counts, first), second);
}

/* Sets the strings of an entry to the current address of their bytes. */
static void find_strings(const struct counts *counts, struct counts_entry *entry)
{
    const char *bytes = counts->keys.size > 0 ? counts->keys.data + entry->at : "";

    if (entry->first.data != NULL)
        entry->first.data = bytes;
    if (entry->second.data != NULL)
        entry->second.data = bytes + entry->first.size;
}

static bool same_string(const struct fxt_string *a, const struct fxt_string *b)
{
    if (a->data == NULL || b->data == NULL)
        return a->data == b->data && a->ref == b->ref;
    return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

/* ---- The table --------------------------------------------------------------------- */

/* The slot where the key is or would be. */
static uint32_t *find_slot(const struct counts *counts, uint64_t hash,
                           const struct fxt_string *first,
                           const struct fxt_string *second)
{
    size_t mask = counts->n_slots - 1;
    size_t at = (size_t)hash & mask;

    for (; counts->slots[at] != 0; at = (at + 1) & mask) {
        struct counts_entry *entry = &counts->entries[counts->slots[at] - 1];

        find_strings(counts, entry);
        if (entry->hash == hash && same_string(&entry->first, first) &&
            same_string(&entry->second, second))
            break;
    }
    return &counts->slots[at];
}

static void grow_slots(struct counts *counts)
{
    size_t n_slots = counts->n_slots > 0 ? counts->n_slots * 2 : 64;

    memory_release(counts->slots);
    counts->slots = memory_allocate(n_slots * sizeof(*counts->slots));
    counts->n_slots = n_slots;
    for (size_t i = 0; i < counts->n; i++) {
        size_t at = (size_t)counts->entries[i].hash & (n_slots - 1);

        while (counts->slots[at] != 0)
            at = (at + 1) & (n_slots - 1);
        counts->slots[at] = (uint32_t)(i + 1);
    }
}

static struct counts_entry *add_entry(struct counts *counts, uint64_t hash,
                                      const struct fxt_string *first,
                                      const struct fxt_string *second)
{
    struct counts_entry *entry;

    counts->entries = memory_grow(counts->entries, counts->n, &counts->capacity,
                                  sizeof(*counts->entries));
    entry = &counts->entries[counts->n++];
    *entry = (struct counts_entry){
        .first = *first,
        .second = *second,
        .hash = hash,
        .at = counts->keys.size,
    };
    if (first->data != NULL)
        text_add(&counts->keys, first->data, first->size);
    else
        entry->first.size = 0;
    if (second->data != NULL)
        text_add(&counts->keys, second->data, second->size);
    return entry;
}

struct count *counts_at(struct counts *counts, const struct fxt_string *first,
                        const struct fxt_string *second)
{
    uint64_t hash = hash_key(counts, first, second);
    uint32_t *slot;

    if (counts->n >= counts->n_slots / 2)
        grow_slots(counts);
    slot = find_slot(counts, hash, first, second);
    if (*slot > 0)
        return &counts->entries[*slot - 1].count;
    if (counts->n == counts->max_entries ||
        (size_t)first->size + second->size > counts->max_key_bytes - counts->keys.size)
        return &counts->others;
    *slot = (uint32_t)counts->n + 1;
    return &add_entry(counts, hash, first, second)->count;
}

uint32_t counts_index(const struct counts *counts, const struct count *count)
{
    const char *first = (const char *)&counts->entries->count;

    return (uint32_t)((size_t)((const char *)count - first) / sizeof(*counts->entries));
}

/* ---- The result -------------------------------------------------------------------- */

/* Unknown strings come last, by their refs. */
static int compare_strings(const struct fxt_string *a, const struct fxt_string *b)
{
    int order;

    if (a->data == NULL || b->data == NULL)
        return a->data != NULL ? -1 : b->data != NULL ? 1 : order_numbers(a->ref, b->ref);
    order = memcmp(a->data, b->data, a->size < b->size ? a->size : b->size);
    return order != 0 ? order : order_numbers(a->size, b->size);
}

SORT_ORDER(order_entries, struct counts_entry,
           BY_DESCENDING(count.bytes) || BY_DESCENDING(count.records) ||
               BY_ORDER(compare_strings(&a->first, &b->first)) ||
               BY_ORDER(compare_strings(&a->second, &b->second)));

void counts_sort(struct counts *counts)
{
    for (size_t i = 0; i < counts->n; i++)
        find_strings(counts, &counts->entries[i]);
    SORT(counts->entries, counts->n, order_entries);
}
