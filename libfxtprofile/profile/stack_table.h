/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hash table of stacks, by their fingerprints. A slot also has the first sample with
 * that stack, which mostly is the only one, so that counting a sample again takes one
 * cache miss.
 */
#ifndef FXTPROFILE_PROFILE_STACK_TABLE_H
#define FXTPROFILE_PROFILE_STACK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/compiler.h>

#include "fingerprint.h"

/* The most that the short numbers of a slot can be. */
enum { STACK_SLOT_MAX = UINT16_MAX };

struct stack_slot {
    struct fingerprint print;
    /* The first sample with the stack, and one; 0 in a free slot. */
    uint32_t entry;
    /* Its labels, or STACK_SLOT_MAX for all that are not less. */
    uint16_t labels;
    /* How many times one is still to be added to the sample's first value. */
    uint16_t count;
};

/* All zero is an empty table. */
struct stack_table {
    struct stack_slot *slots;
    /* A power of two, or 0. */
    size_t n_slots;
    size_t n_used;
};

/* Prefetches the slot for a look-up of this stack. */
static FXT_ALWAYS_INLINE void stack_table_prefetch(const struct stack_table *table,
                                                   struct fingerprint print)
{
    const struct stack_slot *slot;

    if (table->n_slots == 0)
        return;
    slot = &table->slots[print.low & (table->n_slots - 1)];
    FXT_PREFETCH(slot);
    /* The look-up reads the next one, too, which may be in another cache line. */
    FXT_PREFETCH(&slot[1].count);
}

static inline bool stack_table_is_other(const struct stack_slot *slot, uint64_t low)
{
    return (slot->entry != 0) & (slot->print.low != low);
}

/* The stack's slot, or the free one where it belongs; in a table with room for one more.
 * Mostly it is the first or the second slot, unpredictably: so there is no branch between
 * these. Fingerprints that are equal in one half only are not expected. */
static inline struct stack_slot *stack_table_find(const struct stack_table *table,
                                                  struct fingerprint print)
{
    size_t mask = table->n_slots - 1;
    size_t at = print.low & mask;

    at = (at + stack_table_is_other(&table->slots[at], print.low)) & mask;
    while (stack_table_is_other(&table->slots[at], print.low) ||
           FXT_UNLIKELY(table->slots[at].print.high != print.high &&
                        table->slots[at].entry != 0))
        at = (at + 1) & mask;
    return &table->slots[at];
}

void stack_table_grow(struct stack_table *table);

/* Makes room for one more stack; slots may move. */
static inline void stack_table_make_room(struct stack_table *table)
{
    if (FXT_UNLIKELY(table->n_used >= table->n_slots / 8 * 5))
        stack_table_grow(table);
}

void stack_table_free(struct stack_table *table);

#endif
