/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hash table of numbers: it finds the indices of items in an array that is kept
 * elsewhere. The table holds hashes only; the caller of a lookup compares the items.
 *
 *     struct table_probe probe = table_probe(&table, hash);
 *     uint32_t number;
 *
 *     while (table_next(&table, &probe, &number)) {
 *         if (things[number] is the one)
 *             return number;
 *     }
 *     table_add(&table, hash, n_things);
 *
 * Open addressing, eight bytes a slot, so that a look-up is one cache line in the table
 * and one in the array.
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/compiler.h>

struct table_slot {
    uint32_t hash;
    /* The number and one; 0 in a free slot. */
    uint32_t entry;
};

/* All zero is an empty table. */
struct table {
    struct table_slot *slots;
    /* A power of two, or 0. */
    size_t n_slots;
    size_t n_used;
};

/* The largest number that a table takes. */
#define TABLE_MAX (UINT32_MAX - 1)

struct table_probe {
    uint32_t hash;
    size_t at;
};

/* The table's part of a hash. Its upper half: a product's lower bits know only the lower
 * bits of its factors. */
static inline uint32_t table_hash(uint64_t hash)
{
    return (uint32_t)(hash >> 32);
}

static inline struct table_probe table_probe(const struct table *table, uint64_t hash)
{
    uint32_t h = table_hash(hash);

    return (struct table_probe){h, table->n_slots > 0 ? h & (table->n_slots - 1) : 0};
}

/* Prefetches for a probe with this hash. */
static FXT_ALWAYS_INLINE void table_prefetch(const struct table *table, uint64_t hash)
{
    if (table->n_slots > 0)
        FXT_PREFETCH(&table->slots[table_hash(hash) & (table->n_slots - 1)]);
}

/* Stores the next candidate number; false if there is none left. */
static inline bool table_next(const struct table *table, struct table_probe *probe,
                              uint32_t *number)
{
    while (table->n_slots > 0) {
        struct table_slot slot = table->slots[probe->at];

        if (slot.entry == 0)
            return false;
        probe->at = (probe->at + 1) & (table->n_slots - 1);
        if (slot.hash == probe->hash) {
            *number = slot.entry - 1;
            return true;
        }
    }
    return false;
}

/* Ends the program: all numbers are in use. */
void table_too_many(void);

/* Adds a number that is not in the table. */
void table_add(struct table *table, uint64_t hash, uint64_t number);

void table_free(struct table *table);

/* ---- Hashes ---- */

/* The seed of the hashes of an input's words: a different number in each run. If it were
 * known, an input could be made whose hashes all collide. */
uint64_t hash_start(void);

/* One more word of what is being hashed: the halves of a product, one over the other, so
 * that words that differ in their upper bits only differ in all of it. */
static inline uint64_t hash_word(uint64_t hash, uint64_t word)
{
#if defined(__SIZEOF_INT128__)
    __extension__ unsigned __int128 product =
        (unsigned __int128)(hash ^ word) * 0x9e3779b97f4a7c15;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93;
    return hash ^ hash >> 32;
#endif
}

/* Of any bytes, from the start on. */
uint64_t hash_bytes(const void *data, size_t size);

#endif
