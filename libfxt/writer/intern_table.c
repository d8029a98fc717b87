/* SPDX-License-Identifier: BSD-2-Clause */
/* See intern_table.h. */
#include "intern_table.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

enum { SMALLEST_TABLE = 32 };

static size_t chains_size(uint32_t n_slots)
{
    return (size_t)INTERN_CHAINS * n_slots * sizeof(uint16_t);
}

static uint16_t *chain_for(const struct intern_table *t, uint32_t hash)
{
    return &t->chains[intern_table_chain(t, hash)];
}

static void link_slot(struct intern_table *t, uint32_t index)
{
    struct interned *slot = &t->slots[index];
    uint16_t *chain = chain_for(t, slot->hash);

    slot->next = *chain;
    slot->previous = 0;
    slot->linked = true;
    t->slots[*chain].previous = (uint16_t)index;
    *chain = (uint16_t)index;
}

static void unlink_slot(struct intern_table *t, uint32_t index)
{
    struct interned *slot = &t->slots[index];

    if (!slot->linked)
        return;
    if (slot->previous != 0)
        t->slots[slot->previous].next = slot->next;
    else
        *chain_for(t, slot->hash) = slot->next;
    t->slots[slot->next].previous = slot->previous;
    slot->linked = false;
}

/* Makes a table twice as large. Returns false where that cannot be. */
static bool grow_table(struct intern_table *t, struct memory *memory)
{
    uint32_t n_old = t->n_slots;
    uint32_t n_new = n_old == 0 ? SMALLEST_TABLE : n_old * 2;
    uint16_t *chains;
    struct interned *slots;

    if (n_new > t->max_slots)
        return false;
    chains = (uint16_t *)memory_zeroed(memory, chains_size(n_new));
    if (chains == NULL)
        return false;
    slots = (struct interned *)memory_resize(memory, t->slots, n_old * sizeof(*slots),
                                             n_new * sizeof(*slots));
    if (slots == NULL) {
        memory_free(memory, chains, chains_size(n_new));
        return false;
    }
    memset(slots + n_old, 0, (n_new - n_old) * sizeof(*slots));
    memory_free(memory, t->chains, chains_size(n_old));
    t->slots = slots;
    t->chains = chains;
    t->n_slots = n_new;
    for (uint32_t i = 1; i <= t->n; i++) {
        if (t->slots[i].linked)
            link_slot(t, i);
    }
    return true;
}

/* The index of the entry to evict: the CLOCK hand moves to the first one not referenced
 * since the hand last passed. Returns 0 if this record uses them all. */
static uint32_t recycle_index(struct intern_table *t, uint32_t record)
{
    for (uint32_t i = 0; i < 2 * t->n; i++) {
        struct interned *slot;

        t->hand = t->hand % t->n + 1;
        slot = &t->slots[t->hand];
        if (slot->linked && slot->record == record)
            continue;
        if (!slot->linked || !slot->used)
            return t->hand;
        slot->used = false;
    }
    return 0;
}

uint32_t intern_table_take(struct intern_table *t, struct memory *memory, uint32_t record)
{
    uint32_t index;

    if (t->n + 1 < t->n_slots || grow_table(t, memory))
        return ++t->n;
    index = recycle_index(t, record);
    if (index != 0)
        unlink_slot(t, index);
    return index;
}

void intern_table_keep(struct intern_table *t, uint32_t index,
                       const struct intern_key *key, uint32_t record)
{
    struct interned *slot = &t->slots[index];

    assert(index > 0 && index <= t->n && !slot->linked);
    slot->hash = key->hash;
    slot->words[0] = key->words[0];
    slot->words[1] = key->words[1];
    slot->size = key->size;
    slot->record = record;
    slot->used = false;
    link_slot(t, index);
}

void intern_table_give_back(struct intern_table *t, uint32_t index)
{
    assert(index > 0 && index <= t->n);
    unlink_slot(t, index);
    if (index == t->n)
        t->n--;
}

void intern_table_clear(struct intern_table *t)
{
    for (uint32_t i = 1; i <= t->n; i++)
        t->slots[i].linked = false;
    if (t->n_slots > 0)
        memset(t->chains, 0, chains_size(t->n_slots));
    t->n = 0;
    t->hand = 0;
}

void intern_table_free(struct intern_table *t, struct memory *memory)
{
    memory_free(memory, t->slots, t->n_slots * sizeof(*t->slots));
    memory_free(memory, t->chains, chains_size(t->n_slots));
}
