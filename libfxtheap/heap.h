/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What becomes of each allocation: whether this process records, and what.
 *
 * All of it may be called from any thread and from signal handlers at any time; nothing
 * here allocates, takes a lock or waits. errno stays as it is.
 */
#ifndef LIBFXTHEAP_HEAP_H
#define LIBFXTHEAP_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "threads.h"

struct heap_slot_v1;

/*
 * Which blocks may be in the table: the counts of those that have a hash, where samples
 * are taken, so that freeing one of the many others needs no lookup in the table. A count
 * of 255 is never changed.
 */
enum { HEAP_FILTER_SIZE = 1 << 14, HEAP_FILTER_FULL = 255 };

/* NULL as long as all blocks must be looked up. */
extern unsigned char *heap_filter __attribute__((visibility("hidden")));

static inline size_t heap_filter_place(const void *block)
{
    return (size_t)(((uintptr_t)block >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 50);
}

/* Whether a block is not in the table, as far as that can be seen at a glance. */
static inline bool heap_is_unknown(const void *block)
{
    const unsigned char *filter = __atomic_load_n(&heap_filter, __ATOMIC_RELAXED);

    return filter != NULL &&
           __atomic_load_n(&filter[heap_filter_place(block)], __ATOMIC_RELAXED) == 0;
}

/* Whether to skip a block of that size, because the thread's next sample is further
 * away. */
static inline bool heap_passes(size_t size)
{
    uint64_t left = thread_self.bytes_left;

    if (size >= left)
        return false;
    thread_self.bytes_left = left - size - 1;
    return true;
}

/* A block that is in no table and was not the allocator's either is never passed over. */
void heap_mark_early(const void *block);

/* Where the frame of the current function ends: what the stack pointer of its caller is
 * when it returns. */
#define HEAP_FRAME __builtin_dwarf_cfa()

/* The allocator gave out a block, which heap_passes did not let pass. `frame` is the end
 * of the frame of the function that the program called. */
void heap_add(const void *block, size_t size, const void *frame);

/* The program frees a block: to be called before the allocator's free. */
void heap_remove(const void *block);

/*
 * A realloc: heap_begin_move before the allocator's realloc; it returns what the others
 * take; and then heap_keep if it failed, heap_forget if it freed the block, else
 * heap_move.
 */
struct heap_slot_v1 *heap_begin_move(const void *old);
void heap_keep(struct heap_slot_v1 *slot);
void heap_forget(struct heap_slot_v1 *slot, const void *old);
void heap_move(struct heap_slot_v1 *slot, const void *old, const void *block, size_t size,
               const void *frame);

#endif
