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

#include "libfxt/memory.h"

/* One index and what it means. */
struct interned {
    uint32_t hash;
    /* The last record that used it. */
    uint32_t record;
    /* Its neighbours among those of similar hash, or 0. */
    uint16_t next;
    uint16_t previous;
    /* It means something, and is in a chain. */
    bool linked;
    /* Referenced since the CLOCK hand last passed: entries that were used only once are
     * evicted first. */
    bool used;
    union {
        struct {
            /* Memory of `capacity` bytes, which is kept when the entry is evicted. */
            char *data;
            uint32_t size;
            uint32_t capacity;
        } string;
        struct {
            uint64_t process;
            uint64_t thread;
        } thread;
    };
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

/* Notes that a record uses an index. */
static inline void intern_table_use(struct intern_table *t, uint32_t index,
                                    uint32_t record)
{
    t->slots[index].record = record;
    t->slots[index].used = true;
}

/* Allocates an index for a new entry, evicting one if necessary; the caller fills in its
 * slot. 0 if there is none. The indices that this record uses are not evicted. */
uint32_t intern_table_take(struct intern_table *t, struct memory *memory,
                           uint32_t record);

/* Makes an index that was taken findable. */
void intern_table_keep(struct intern_table *t, uint32_t index, uint32_t hash,
                       uint32_t record);

/* Takes back an index that was taken; of several, the one that was taken last first. */
void intern_table_give_back(struct intern_table *t, uint32_t index);

/* Forgets everything but keeps the memory. */
void intern_table_clear(struct intern_table *t);

/* Frees the table, but not what its slots point to. */
void intern_table_free(struct intern_table *t, struct memory *memory);

#endif
