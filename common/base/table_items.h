/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays of items that a table finds by their first members, which are named last below:
 * by one to six numbers, or members of structs that are numbers.
 *
 *     number = TABLE_PUT(&table, things, n_things, capacity, &thing, first, second);
 *     number = TABLE_FIND(&table, things, &thing, first, second);
 *     TABLE_REFILL(&table, things, n_things, first, second);
 *
 * Their bytes are compared, and bytes between members have any value: it does not compile
 * if there are some, or if a member is left out.
 */
#ifndef BASE_TABLE_ITEMS_H
#define BASE_TABLE_ITEMS_H

#include <stddef.h>
#include <string.h>

#include "memory.h"
#include "table.h"

/* No item has this number. */
#define TABLE_NONE UINT32_MAX

/* The number of the item that begins as `*item` does, or TABLE_NONE. */
#define TABLE_FIND(table, items, item, ...)                                              \
    table_find_item_((table), (items), sizeof(*(items)), (item),                         \
                     table_hash_key_((item), TABLE_KEY_SIZE_(item, __VA_ARGS__)),        \
                     TABLE_KEY_SIZE_(item, __VA_ARGS__))

/* The same; if there is none, a copy of `*item` is added to the array, which may move:
 * the number is to be stored before the array is looked at, and &things[TABLE_PUT(...)]
 * is an error. All arguments are evaluated several times. */
#define TABLE_PUT(table, items, n_items, capacity, item, ...)                            \
    ((items) = memory_grow((items), (n_items), &(capacity), sizeof(*(items))),           \
     table_put_item_((table), (items), &(n_items), sizeof(*(items)), (item),             \
                     TABLE_KEY_SIZE_(item, __VA_ARGS__)))

/* The same for an array of numbers; `number` is a variable of their type. */
#define TABLE_PUT_NUMBER(table, numbers, n_numbers, capacity, number)                    \
    ((numbers) = memory_grow((numbers), (n_numbers), &(capacity), sizeof(*(numbers))),   \
     table_put_item_((table), (numbers), &(n_numbers), sizeof(*(numbers)), &(number),    \
                     sizeof(*(numbers)) + 0 * sizeof(&(number) == (numbers))))

/* After items were removed from the array: the table finds those that are left. */
#define TABLE_REFILL(table, items, n_items, ...)                                         \
    table_refill_((table), (items), (n_items), sizeof(*(items)),                         \
                  TABLE_KEY_SIZE_(items, __VA_ARGS__))

/* Where the last member ends, which is the sum of all sizes. */
#define TABLE_KEY_SIZE_(item, ...)                                                       \
    (TABLE_PICK_(__VA_ARGS__, TABLE_END_6_, TABLE_END_5_, TABLE_END_4_, TABLE_END_3_,    \
                 TABLE_END_2_, TABLE_END_1_, )(item, __VA_ARGS__) +                      \
     0 * sizeof(struct {                                                                 \
         _Static_assert(TABLE_PICK_(__VA_ARGS__, TABLE_END_6_, TABLE_END_5_,             \
                                    TABLE_END_4_, TABLE_END_3_, TABLE_END_2_,            \
                                    TABLE_END_1_, )(item, __VA_ARGS__) ==                \
                            TABLE_PICK_(__VA_ARGS__, TABLE_SUM_6_, TABLE_SUM_5_,         \
                                        TABLE_SUM_4_, TABLE_SUM_3_, TABLE_SUM_2_,        \
                                        TABLE_SUM_1_, )(item, __VA_ARGS__),              \
                        "padding, or other members, before the end of the key");         \
         char unused;                                                                    \
     }))

#define TABLE_PICK_(a, b, c, d, e, f, name, ...) name

#define TABLE_END_1_(item, a) (offsetof(__typeof__(*(item)), a) + sizeof((item)->a))
#define TABLE_END_2_(item, a, b) TABLE_END_1_(item, b)
#define TABLE_END_3_(item, a, b, c) TABLE_END_1_(item, c)
#define TABLE_END_4_(item, a, b, c, d) TABLE_END_1_(item, d)
#define TABLE_END_5_(item, a, b, c, d, e) TABLE_END_1_(item, e)
#define TABLE_END_6_(item, a, b, c, d, e, f) TABLE_END_1_(item, f)

/* Structs have no `!`, and may have padding inside. */
#define TABLE_SUM_1_(item, a) (sizeof((item)->a) + 0 * sizeof(!(item)->a))
#define TABLE_SUM_2_(item, a, ...)                                                       \
    (TABLE_SUM_1_(item, a) + TABLE_SUM_1_(item, __VA_ARGS__))
#define TABLE_SUM_3_(item, a, ...)                                                       \
    (TABLE_SUM_1_(item, a) + TABLE_SUM_2_(item, __VA_ARGS__))
#define TABLE_SUM_4_(item, a, ...)                                                       \
    (TABLE_SUM_1_(item, a) + TABLE_SUM_3_(item, __VA_ARGS__))
#define TABLE_SUM_5_(item, a, ...)                                                       \
    (TABLE_SUM_1_(item, a) + TABLE_SUM_4_(item, __VA_ARGS__))
#define TABLE_SUM_6_(item, a, ...)                                                       \
    (TABLE_SUM_1_(item, a) + TABLE_SUM_5_(item, __VA_ARGS__))

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
