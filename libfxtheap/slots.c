/* SPDX-License-Identifier: BSD-2-Clause */
/* See slots.h, and layout.h for the order of the stores. */
#include "slots.h"

#include <assert.h>

/* A test of all orders in which a reader can see the stores has its own. */
#ifndef SLOT_STORE
#define SLOT_STORE(at, value) __atomic_store_n(at, value, __ATOMIC_RELAXED)
#define SLOT_PUBLISH(at, value) __atomic_store_n(at, value, __ATOMIC_RELEASE)
#define SLOT_TAKE(at, old, new)                                                          \
    __atomic_compare_exchange_n(at, old, new, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)
#endif

/* ---- Where ------------------------------------------------------------------------- */

enum { WINDOW_BITS = 10 };

static_assert(HEAP_WINDOW_SLOTS == 1 << WINDOW_BITS, "places are bits of an address");

/* Where a block may be: the next window is `step` further. */
struct probe {
    uint64_t window;
    uint64_t step;
    uint64_t place;
};

/* Windows are asked for one after the other, so that the hash of a granule is all that
 * there is to know. The place in the window is turned by it, too. */
static struct probe start_probe(const struct table *t, uint64_t address)
{
    uint64_t hash = (address >> t->granule_bits) * 0x9e3779b97f4a7c15;

    hash ^= hash >> 32;
    hash *= 0xd6e8feb86659fd93;
    return (struct probe){hash >> 32, hash >> 8 | 1,
                          (address >> (t->granule_bits - WINDOW_BITS)) + (hash >> 20)};
}

/* The place is another one in each window: blocks at the beginnings of pages have few. */
static struct heap_slot_v1 *slot_at(const struct table *t, struct probe *probe)
{
    uint64_t window = probe->window & t->window_mask;
    uint64_t place = probe->place % HEAP_WINDOW_SLOTS;

    probe->window += probe->step;
    probe->place += probe->step >> WINDOW_BITS;
    return &t->slots[window * HEAP_WINDOW_SLOTS + place];
}

/* ---- Insert ------------------------------------------------------------------------ */

static bool is_free(uint64_t key)
{
    return (key & ~HEAP_KEY_USE) == 0;
}

/* Takes a free slot: returns its key, or 0. */
static uint64_t take(struct heap_slot_v1 *slot)
{
    uint64_t key = __atomic_load_n(&slot->key, __ATOMIC_RELAXED);

    while (is_free(key)) {
        uint64_t filling = ((key + HEAP_KEY_USE_ONE) & HEAP_KEY_USE) | HEAP_KEY_FILLING;

        if (SLOT_TAKE(&slot->key, &key, filling))
            return filling;
    }
    return 0;
}

static void fill(struct heap_slot_v1 *slot, uint64_t filling, const struct block *block)
{
    /* Whoever sees one of these words sees that the slot was taken. */
    __atomic_thread_fence(__ATOMIC_RELEASE);
    SLOT_STORE(&slot->time_ns, block->time_ns);
    SLOT_STORE(&slot->size, block->size);
    SLOT_STORE(&slot->owner, (uint64_t)block->thread << 32 | block->stack);
    SLOT_PUBLISH(&slot->key, (block->address / HEAP_ADDRESS_UNIT)
                                     << HEAP_KEY_ADDRESS_SHIFT |
                                 (filling & HEAP_KEY_USE));
}

static void note_depth(struct table *t, uint32_t depth)
{
    uint32_t deepest = __atomic_load_n(&t->deepest, __ATOMIC_RELAXED);

    while (depth > deepest &&
           !__atomic_compare_exchange_n(&t->deepest, &deepest, depth, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}

bool slots_insert(struct table *t, const struct block *block)
{
    struct probe probe = start_probe(t, block->address);

    if (block->address >= HEAP_ADDRESS_END || block->address % HEAP_ADDRESS_UNIT != 0)
        return false;
    for (uint32_t i = 0; i < HEAP_PROBES; i++) {
        struct heap_slot_v1 *slot = slot_at(t, &probe);
        uint64_t filling;

        if (!table_grant(t, slot))
            continue;
        filling = take(slot);
        if (filling == 0)
            continue;
        note_depth(t, i);
        fill(slot, filling, block);
        return true;
    }
    return false;
}

/* ---- The rest ---------------------------------------------------------------------- */

struct heap_slot_v1 *slots_find(struct table *t, uint64_t address)
{
    const uint64_t wanted = (address / HEAP_ADDRESS_UNIT) << HEAP_KEY_ADDRESS_SHIFT;
    uint32_t deepest = __atomic_load_n(&t->deepest, __ATOMIC_RELAXED);
    struct probe probe = start_probe(t, address);

    if (address == 0 || address >= HEAP_ADDRESS_END || address % HEAP_ADDRESS_UNIT != 0)
        return NULL;
    for (uint32_t i = 0; i <= deepest; i++) {
        struct heap_slot_v1 *slot = slot_at(t, &probe);

        if (table_is_granted(t, slot) &&
            (__atomic_load_n(&slot->key, __ATOMIC_RELAXED) & ~HEAP_KEY_USE) == wanted)
            return slot;
    }
    return NULL;
}

void slots_remove(struct heap_slot_v1 *slot)
{
    uint64_t key = __atomic_load_n(&slot->key, __ATOMIC_RELAXED);

    SLOT_PUBLISH(&slot->key, key & HEAP_KEY_USE);
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
