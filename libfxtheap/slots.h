/* SPDX-License-Identifier: BSD-2-Clause */
/* The slots of live blocks, as specified in layout.h: may be used from any thread,
 * and from signal handlers that interrupt any of these functions. */
#ifndef LIBFXTHEAP_SLOTS_H
#define LIBFXTHEAP_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "table.h"

struct block {
    uint64_t address;
    uint64_t size;
    uint64_t time_ns;
    uint32_t stack;
    uint32_t thread;
};

/* Returns false if there is no slot for it. */
bool slots_insert(struct table *table, const struct block *block);

/* The slot of a block; NULL if there is none. */
struct heap_slot_v1 *slots_find(struct table *table, uint64_t address);

#define SLOTS_NO_BLOCK UINT32_MAX

/* Whether a slot is one of the table's. */
static inline bool slots_has(const struct table *table, const struct heap_slot_v1 *slot)
{
    return slot >= table->slots && slot < table->slots + table->n_slots;
}

/* Remove a block, if it is there, by its address; or, for its owner, by its slot.
 * `thread` is the one that calls. Return its stack, or SLOTS_NO_BLOCK. */
uint32_t slots_free(struct table *table, uint64_t address, uint32_t thread);
uint32_t slots_remove(struct table *table, struct heap_slot_v1 *slot, uint32_t thread);

/* For the owner of the block. */
void slots_resize(struct heap_slot_v1 *slot, uint64_t size);

/* A realloc begins; it ends with the same address, or else the block is removed. */
void slots_begin_move(struct heap_slot_v1 *slot);
void slots_end_move(struct heap_slot_v1 *slot);

#endif
