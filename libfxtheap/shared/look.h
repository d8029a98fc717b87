/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares reads of a slot, and of what a stack has, as layout.h specifies. */
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

/* What a stack had at the last peak: `live` was read first, and `saved` after that. */
static inline uint64_t look_at_peak(uint64_t live, uint64_t saved, uint64_t last)
{
    return heap_peak_number(saved) == heap_peak_number(last) ? heap_peak_amount(saved)
                                                             : live;
}

#endif
