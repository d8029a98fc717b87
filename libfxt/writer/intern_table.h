/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Indices, and what they mean: an array of slots by index, with chains through it by
 * hash. When all indices are given away, one that has not been used lately is given
 * again.
 *
 * Lookups are bounded: if an attacker makes entries collide, so that chains get long,
 * entries far down a chain are not found.
 */
#ifndef LIBFXT_WRITER_INTERN_TABLE_H
#define LIBFXT_WRITER_INTERN_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "intern_key.h"
#include "libfxt/memory.h"

/* One index and what it means. */
struct interned {
    uint32_t hash;
    /* The last record that used it. */
    uint32_t record;
    /* Its neighbours among those of similar hash, or 0. */
    uint16_t next;
    uint16_t previous;
    uint16_t size;
    /* It means something, and is in a chain. */
    bool linked;
    /* Referenced since the CLOCK hand last passed: entries that were used only once are
     * evicted first. */
    bool used;
    uint64_t words[2];
    /* The bytes of a long string, in memory that is kept when the entry is evicted; its
     * size is a power of two, or 0. */
    char *data;
    uint32_t capacity;
};

/* Indices from 1 on. */
struct intern_table {
    struct interned *slots;
    /* The first index of each chain, or 0: INTERN_CHAINS for each slot. */
    uint16_t *chains;
    /* How many slots there are, slot 0 not being used: a power of two, or 0. */
    uint32_t n_slots;
    uint32_t max_slots;
    /* Indices up to this one have been given. */
    uint32_t n;
    /* The CLOCK hand: where the search for an entry to evict continues. */
    uint32_t hand;
};

/* How far a chain is followed; and how many chains there are for each slot: with four,
 * most have one entry at most, and processors predict where a lookup ends. */
enum { INTERN_CHAIN_STEPS = 16, INTERN_CHAINS = 4 };

/* The number of the chain that has this hash, whose lowest bit is not significant. */
static inline uint32_t intern_table_chain(const struct intern_table *t, uint32_t hash)
{
    return hash >> 1 & (INTERN_CHAINS * t->n_slots - 1);
}

/* The first index of the chain that has this hash, or 0. */
static inline uint32_t intern_table_first(const struct intern_table *t, uint32_t hash)
{
    return t->n_slots > 0 ? t->chains[intern_table_chain(t, hash)] : 0;
}

/* Whether all bytes of a long string are these, beside its first and its last eight. */
static inline bool intern_table_has_middle(const struct interned *slot,
                                           const struct intern_key *key)
{
    for (uint32_t at = 8; at + 8u < key->size; at += 8) {
        if (intern_load_8_(slot->data + at) != intern_load_8_(key->data + at))
            return false;
    }
    return true;
}

static inline bool intern_table_means(const struct interned *slot,
                                      const struct intern_key *key)
{
    return slot->hash == key->hash && slot->words[0] == key->words[0] &&
           slot->words[1] == key->words[1] && slot->size == key->size &&
           intern_table_has_middle(slot, key);
}

/* The index that means this, which a record then uses, or 0. */
static inline uint32_t intern_table_find(struct intern_table *t,
                                         const struct intern_key *key, uint32_t record)
{
    uint32_t index = intern_table_first(t, key->hash);

    for (int i = 0; index != 0 && i < INTERN_CHAIN_STEPS; i++) {
        if (intern_table_means(&t->slots[index], key)) {
            t->slots[index].record = record;
            t->slots[index].used = true;
            return index;
        }
        index = t->slots[index].next;
    }
    return 0;
}

/* Allocates an index for a new entry, evicting one if necessary. 0 if there is none. The
 * indices that this record uses are not evicted. */
uint32_t intern_table_take(struct intern_table *t, struct memory *memory,
                           uint32_t record);

/* Makes an index that was taken findable; the bytes of a long string are in its slot. */
void intern_table_keep(struct intern_table *t, uint32_t index,
                       const struct intern_key *key, uint32_t record);

/* Takes back an index that was taken; of several, the one that was taken last first. */
void intern_table_give_back(struct intern_table *t, uint32_t index);

/* Forgets everything but keeps the memory. */
void intern_table_clear(struct intern_table *t);

/* Frees the table, but not what its slots point to. */
void intern_table_free(struct intern_table *t, struct memory *memory);

#endif
