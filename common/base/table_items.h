/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays of items that a table finds by their first members, up to the one that is named
 * `last` below: there must be no padding among these.
 *
 *     number = TABLE_PUT(&table, things, n_things, capacity, &thing, last);
 *     number = TABLE_FIND(&table, things, &thing, last);
 *     TABLE_REFILL(&table, things, n_things, last);
 */
#ifndef BASE_TABLE_ITEMS_H
#define BASE_TABLE_ITEMS_H

#include <string.h>

#include "memory.h"
#include "table.h"

/* No item has this number. */
#define TABLE_NONE UINT32_MAX

/* The number of the item that begins as `*item` does, or TABLE_NONE. */
#define TABLE_FIND(table, items, item, last)                                             \
    table_find_item_((table), (items), sizeof(*(items)), (item),                         \
                     table_hash_key_((item), TABLE_KEY_SIZE_(item, last)),               \
                     TABLE_KEY_SIZE_(item, last))

/* The same; if there is none, a copy of `*item` is added to the array. All arguments are
 * evaluated several times. */
#define TABLE_PUT(table, items, n_items, capacity, item, last)                           \
    ((items) = memory_grow((items), (n_items), &(capacity), sizeof(*(items))),           \
     table_put_item_((table), (items), &(n_items), sizeof(*(items)), (item),             \
                     TABLE_KEY_SIZE_(item, last)))

/* After items were removed from the array: the table finds those that are left. */
#define TABLE_REFILL(table, items, n_items, last)                                        \
    table_refill_((table), (items), (n_items), sizeof(*(items)),                         \
                  TABLE_KEY_SIZE_(items, last))

#define TABLE_KEY_SIZE_(item, last)                                                      \
    ((size_t)((const char *)&(item)->last - (const char *)(item)) + sizeof((item)->last))

/* These are inline, as the sizes are constants. */
static FXT_ALWAYS_INLINE uint64_t table_hash_key_(const void *key, size_t size)
{
    const char *bytes = key;
    uint64_t hash = hash_start();
    uint64_t word;

    for (; size >= sizeof(word); size -= sizeof(word), bytes += sizeof(word)) {
        memcpy(&word, bytes, sizeof(word));
        hash = hash_word(hash, word);
    }
    word = 0;
    memcpy(&word, bytes, size);
    return size > 0 ? hash_word(hash, word) : hash;
}

static FXT_ALWAYS_INLINE uint32_t table_find_item_(const struct table *table,
                                                   const void *items, size_t item_size,
                                                   const void *item, uint64_t hash,
                                                   size_t key_size)
{
    struct table_probe probe = table_probe(table, hash);
    uint32_t number;

    while (table_next(table, &probe, &number)) {
        if (memcmp((const char *)items + number * item_size, item, key_size) == 0)
            return number;
    }
    return TABLE_NONE;
}

static FXT_ALWAYS_INLINE uint32_t table_put_item_(struct table *table, void *items,
                                                  size_t *n_items, size_t item_size,
                                                  const void *item, size_t key_size)
{
    uint64_t hash = table_hash_key_(item, key_size);
    uint32_t number = table_find_item_(table, items, item_size, item, hash, key_size);

    if (number != TABLE_NONE)
        return number;
    table_add(table, hash, *n_items);
    memcpy((char *)items + *n_items * item_size, item, item_size);
    return (uint32_t)(*n_items)++;
}

static FXT_ALWAYS_INLINE void table_refill_(struct table *table, const void *items,
                                            size_t n_items, size_t item_size,
                                            size_t key_size)
{
    table_free(table);
    for (size_t i = 0; i < n_items; i++)
        table_add(table, table_hash_key_((const char *)items + i * item_size, key_size),
                  i);
}

#endif
