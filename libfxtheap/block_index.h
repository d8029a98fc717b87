/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the slot of a block by its address. Only the process itself has it: readers look
 * at all slots. May be used from any thread, and from signal handlers that interrupt any
 * of these functions.
 *
 * It is a number of hash tables (levels), together twice as large with each further one.
 * A word of a table is a part of the hash (upper half) and the number of a slot and one
 * (lower half), or 0. A word is in one of four buckets, each a line of the processor's
 * cache; the first one is that of all blocks nearby. New blocks go to the first bucket of
 * the last level, where most are that will be freed soon, or of the two before it, or
 * else to another bucket of these levels; nothing is ever moved.
 */
#ifndef LIBFXTHEAP_BLOCK_INDEX_H
#define LIBFXTHEAP_BLOCK_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "libfxtheap/shared/layout.h"

enum { BLOCK_INDEX_LEVELS = 20 };

/* All zero is an empty one. */
struct block_index {
    uint64_t *levels[BLOCK_INDEX_LEVELS];
    uint32_t n_levels;
};

#define BLOCK_INDEX_NONE UINT32_MAX

/* Returns false if there is no memory for it. */
bool block_index_add(struct block_index *index, uint64_t address, uint32_t number);

/* The number of the slot whose key, but for the uses, is `key`; or none. */
uint32_t block_index_find(const struct block_index *index, uint64_t address,
                          const struct heap_slot_v1 *slots, uint64_t key);

/* The same, and removes it. */
uint32_t block_index_take(struct block_index *index, uint64_t address,
                          const struct heap_slot_v1 *slots, uint64_t key);

/* Returns false if it is not there: another thread has removed it. */
bool block_index_remove(struct block_index *index, uint64_t address, uint32_t number);

/* How many bytes of memory it has. */
uint64_t block_index_size(const struct block_index *index);

void block_index_free(struct block_index *index);

/* In a child of fork: unmaps what is left of its parent's, which is zeros there. */
void block_index_unmap_parents(void);

#endif
