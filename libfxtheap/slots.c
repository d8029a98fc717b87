/* SPDX-License-Identifier: BSD-2-Clause */
/* See slots.h, and layout.h for the order of the stores. */
#include "slots.h"
#include "table.h"

#include <fxt/compiler.h>

/* A test of all orders in which a reader can see the stores has its own. */
#ifndef SLOT_STORE
#define SLOT_STORE(at, value) __atomic_store_n(at, value, __ATOMIC_RELAXED)
#define SLOT_PUBLISH(at, value) __atomic_store_n(at, value, __ATOMIC_RELEASE)
#endif

/* ---- Free slots -------------------------------------------------------------------- */

/*
 * Slots are used from the first on. Those that were freed are in lists, each for some of
 * the threads: a list is the number of its first slot and one, and a count of changes
 * (upper half), so that a slot that left the list and came back is detected. The next one
 * is in the size of a free slot, which readers do not look at.
 */
static uint32_t pop_slot(struct table *t, uint64_t *list)
{
    uint64_t head = __atomic_load_n(list, __ATOMIC_ACQUIRE);

    while ((uint32_t)head != 0) {
        uint32_t number = (uint32_t)head - 1;
        uint64_t next = __atomic_load_n(&t->slots[number].size, __ATOMIC_RELAXED);
        uint64_t changed = ((head >> 32) + 1) << 32 | (uint32_t)next;

        if (__atomic_compare_exchange_n(list, &head, changed, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return number;
    }
    return TABLE_NO_SLOT;
}

static void push_slot(struct table *t, uint32_t number, uint64_t *list)
{
    uint64_t head = __atomic_load_n(list, __ATOMIC_RELAXED);
    uint64_t changed;

    /* A reader that sees the next one in place of the size also sees that the block is
     * gone. */
    __atomic_thread_fence(__ATOMIC_RELEASE);
    do {
        SLOT_STORE(&t->slots[number].size, (uint32_t)head);
        changed = ((head >> 32) + 1) << 32 | (number + 1);
    } while (!__atomic_compare_exchange_n(list, &head, changed, false, __ATOMIC_RELEASE,
                                          __ATOMIC_RELAXED));
}

/* One that was never used. */
static uint32_t add_slot(struct table *t)
{
    uint64_t n = __atomic_load_n(&t->slots_used, __ATOMIC_RELAXED);

    do {
        if (n == t->n_slots || !table_grant(t, &t->slots[n]))
            return TABLE_NO_SLOT;
    } while (!__atomic_compare_exchange_n(&t->slots_used, &n, n + 1, false,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return (uint32_t)n;
}

static uint64_t *list_of(struct table *t, uint32_t thread)
{
    return &t->free_slots[thread % TABLE_LISTS].head;
}

static uint32_t find_free_slot(struct table *t, uint32_t thread)
{
    for (uint32_t i = 0; i < TABLE_LISTS; i++) {
        uint32_t number = pop_slot(t, list_of(t, thread + i));

        if (number != TABLE_NO_SLOT)
            return number;
    }
    return add_slot(t);
}

/* ---- Insert ------------------------------------------------------------------------ */

/* Returns the key of a slot that no other thread uses, which is being filled. */
static uint64_t take_slot(struct heap_slot_v1 *slot)
{
    uint64_t key = __atomic_load_n(&slot->key, __ATOMIC_RELAXED);
    uint64_t filling = ((key + HEAP_KEY_USE_ONE) & HEAP_KEY_USE) | HEAP_KEY_FILLING;

    SLOT_STORE(&slot->key, filling);
    return filling;
}

static void fill_slot(struct heap_slot_v1 *slot, uint64_t filling,
                      const struct block *block)
{
    /* A reader that sees one of these words also sees that the slot was taken. */
    __atomic_thread_fence(__ATOMIC_RELEASE);
    SLOT_STORE(&slot->time_ns, block->time_ns);
    SLOT_STORE(&slot->size, block->size);
    SLOT_STORE(&slot->owner, (uint64_t)block->thread << 32 | block->stack);
    SLOT_PUBLISH(&slot->key, (block->address / HEAP_ADDRESS_UNIT)
                                     << HEAP_KEY_ADDRESS_SHIFT |
                                 (filling & HEAP_KEY_USE));
}

static bool may_be_there(uint64_t address)
{
    return address != 0 && address < HEAP_ADDRESS_END && address % HEAP_ADDRESS_UNIT == 0;
}

bool slots_insert(struct table *t, const struct block *block)
{
    uint32_t number;

    if (!may_be_there(block->address))
        return false;
    number = find_free_slot(t, block->thread);
    if (number == TABLE_NO_SLOT)
        return false;
    if (!block_index_add(&t->blocks, block->address, number)) {
        push_slot(t, number, list_of(t, block->thread));
        return false;
    }
    fill_slot(&t->slots[number], take_slot(&t->slots[number]), block);
    if (FXT_UNLIKELY(t->peak != NULL))
        peak_add(t, block->stack, block->size);
    return true;
}

/* ---- The rest ---------------------------------------------------------------------- */

static uint64_t key_of(uint64_t address)
{
    return (address / HEAP_ADDRESS_UNIT) << HEAP_KEY_ADDRESS_SHIFT;
}

struct heap_slot_v1 *slots_find(struct table *t, uint64_t address)
{
    uint32_t number;

    if (!may_be_there(address))
        return NULL;
    number = block_index_find(&t->blocks, address, t->slots, key_of(address));
    return number != BLOCK_INDEX_NONE ? &t->slots[number] : NULL;
}

/* A program that frees a block twice at a time does not come here twice, since a word
 * leaves the index once. */
static uint32_t release_slot(struct table *t, uint32_t number, uint32_t thread)
{
    struct heap_slot_v1 *slot = &t->slots[number];
    uint64_t key = __atomic_load_n(&slot->key, __ATOMIC_RELAXED);
    uint32_t stack = (uint32_t)slot->owner;

    if (FXT_UNLIKELY(t->peak != NULL))
        peak_remove(t, stack, slot->size);
    SLOT_PUBLISH(&slot->key, key & HEAP_KEY_USE);
    push_slot(t, number, list_of(t, thread));
    return stack;
}

uint32_t slots_free(struct table *t, uint64_t address, uint32_t thread)
{
    uint32_t number;

    if (!may_be_there(address))
        return SLOTS_NO_BLOCK;
    number = block_index_take(&t->blocks, address, t->slots, key_of(address));
    return number != BLOCK_INDEX_NONE ? release_slot(t, number, thread) : SLOTS_NO_BLOCK;
}

uint32_t slots_remove(struct table *t, struct heap_slot_v1 *slot, uint32_t thread)
{
    uint64_t key = __atomic_load_n(&slot->key, __ATOMIC_RELAXED);
    uint64_t number = (uint64_t)(slot - t->slots);

    /* A child of fork that goes on with its parent's realloc has a slot of its parent. */
    if (number < t->n_slots &&
        block_index_remove(&t->blocks, heap_key_address(key), (uint32_t)number))
        return release_slot(t, (uint32_t)number, thread);
    return SLOTS_NO_BLOCK;
}

void slots_resize(struct heap_slot_v1 *slot, uint64_t size)
{
    SLOT_STORE(&slot->size, size);
}

void slots_begin_move(struct heap_slot_v1 *slot)
{
    uint64_t key = __atomic_load_n(&slot->key, __ATOMIC_RELAXED);

    SLOT_PUBLISH(&slot->key, key | HEAP_KEY_MOVING);
}

void slots_end_move(struct heap_slot_v1 *slot)
{
    uint64_t key = __atomic_load_n(&slot->key, __ATOMIC_RELAXED);

    SLOT_PUBLISH(&slot->key, key & ~HEAP_KEY_MOVING);
}
