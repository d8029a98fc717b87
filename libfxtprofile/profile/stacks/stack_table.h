/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks by their fingerprints. The entries are an array, in the order in which stacks
 * were added; a hash table of four bytes a slot has their numbers. An entry also has the
 * first sample with that stack, which mostly is the only one, so that counting a sample
 * again takes two cache misses, of which both can be prefetched.
 */
#ifndef FXTPROFILE_PROFILE_STACKS_STACK_TABLE_H
#define FXTPROFILE_PROFILE_STACKS_STACK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/compiler.h>

#include "common/base/memory.h"
#include "fingerprint.h"

/* The most that the short numbers of an entry can be. */
enum { STACK_ENTRY_MAX = UINT16_MAX };

/* Fewer entries than these are in a cache anyway. */
enum { STACK_TABLE_FEW = 1024 };

struct stack_entry {
    struct fingerprint print;
    /* The first sample with the stack. */
    uint32_t sample;
    /* Its labels, or STACK_ENTRY_MAX for all that are not less. */
    uint16_t labels;
    /* How many times one is still to be added to the sample's first value. */
    uint16_t count;
};

/* All zero is an empty table. */
struct stack_table {
    struct stack_entry *entries;
    size_t n;
    size_t capacity;
    /* A slot has the number of an entry, and one, in as many of its low bits as that may
     * need: those of the mask. The others are bits of the fingerprint. 0 is free. */
    uint32_t *slots;
    /* A power of two, or 0. */
    size_t n_slots;
};

/* Whether a slot is in use, and surely for another stack. */
static inline bool stack_table_is_other(uint32_t slot, uint32_t mask, uint32_t tag)
{
    return (slot != 0) & ((slot ^ tag) > mask);
}

/* The first slot for a stack that may be its own, of the two first ones. Mostly it is one
 * of these, unpredictably: so there is no branch between them. */
static FXT_ALWAYS_INLINE size_t stack_table_start(const struct stack_table *table,
                                                  struct fingerprint print)
{
    size_t mask = table->n_slots - 1;
    size_t at = print.low & mask;
    uint32_t tag = (uint32_t)print.high & ~(uint32_t)mask;

    return (at + stack_table_is_other(table->slots[at], (uint32_t)mask, tag)) & mask;
}

/* Prefetches for a look-up of this stack: first its slot; and, when that has arrived, its
 * entry. */
static FXT_ALWAYS_INLINE void stack_table_prefetch(const struct stack_table *table,
                                                   struct fingerprint print)
{
    if (table->n_slots > 0)
        FXT_PREFETCH(&table->slots[print.low & (table->n_slots - 1)]);
}

static FXT_ALWAYS_INLINE void stack_table_prefetch_entry(const struct stack_table *table,
                                                         struct fingerprint print)
{
    const struct stack_entry *entry;
    uint32_t number;

    if (table->n < STACK_TABLE_FEW)
        return;
    number =
        table->slots[stack_table_start(table, print)] & (uint32_t)(table->n_slots - 1);
    entry = &table->entries[number - (number > 0)];
    FXT_PREFETCH(&entry->print);
    FXT_PREFETCH(&entry->count);
}

/* Makes the table of slots larger. */
void stack_table_grow(struct stack_table *table);

/* The number of a stack, which is added if it is new: then it is the last, and the caller
 * stores the rest of its entry. Entries may move. */
static inline uint32_t stack_table_put(struct stack_table *table,
                                       struct fingerprint print)
{
    uint32_t mask;
    uint32_t tag;
    size_t at;

    if (FXT_UNLIKELY(table->n * 8 >= table->n_slots * 5))
        stack_table_grow(table);
    mask = (uint32_t)(table->n_slots - 1);
    tag = (uint32_t)print.high & ~mask;
    for (at = stack_table_start(table, print); table->slots[at] != 0;
         at = (at + 1) & (table->n_slots - 1)) {
        uint32_t number = (table->slots[at] & mask) - 1;
        const struct fingerprint *known = &table->entries[number].print;

        if (FXT_LIKELY(!stack_table_is_other(table->slots[at], mask, tag) &&
                       known->low == print.low && known->high == print.high))
            return number;
    }
    MEMORY_ADD(table->entries, table->n, table->capacity,
               (struct stack_entry){.print = print});
    table->slots[at] = tag | (uint32_t)table->n;
    return (uint32_t)(table->n - 1);
}

/* Frees the slots: no stack will be looked up any more. */
void stack_table_forget(struct stack_table *table);

void stack_table_free(struct stack_table *table);

#endif
