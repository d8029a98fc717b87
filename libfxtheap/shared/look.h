/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares three reads of a slot, as layout.h specifies. */
#ifndef LIBFXTHEAP_SHARED_LOOK_H
#define LIBFXTHEAP_SHARED_LOOK_H

#include "layout.h"

enum look {
    /* There is no block in it. */
    LOOK_NONE,
    /* There was one all the time. */
    LOOK_BLOCK,
    /* It was written in between. */
    LOOK_CHANGED,
};

/* The first copy was made before the second, and that before the third. Stores the block
 * in `*block`, if there is one. */
static inline enum look look_settle(const struct heap_slot_v1 *first,
                                    const struct heap_slot_v1 *second,
                                    const struct heap_slot_v1 *third,
                                    struct heap_slot_v1 *block)
{
    uint64_t key = first->key & ~HEAP_KEY_MOVING;

    if (key != (third->key & ~HEAP_KEY_MOVING))
        return LOOK_CHANGED;
    if (heap_key_address(key) == 0 || (key & HEAP_KEY_FILLING) != 0)
        return LOOK_NONE;
    if (first->time_ns != third->time_ns)
        return LOOK_CHANGED;
    *block = *second;
    block->key = third->key;
    block->time_ns = third->time_ns;
    return LOOK_BLOCK;
}

#endif
