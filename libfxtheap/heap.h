/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records allocations, if this process records, and if they are sampled.
 *
 * These functions may be called from any thread and from signal handlers at any time;
 * they allocate nothing, take no lock and preserve errno, and wait for nothing but, for
 * some milliseconds at most, another thread that reads where new code is.
 */
#ifndef LIBFXTHEAP_HEAP_H
#define LIBFXTHEAP_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filter.h"
#include "threads.h"

struct heap_slot_v1;

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

/* Where the frame of the current function ends: what the stack pointer of its caller is
 * when it returns. */
#define HEAP_FRAME __builtin_dwarf_cfa()

/* The allocator has returned a block, for which heap_passes was false. `frame` is the end
 * of the frame of the function that the program called. */
void heap_add(const void *block, size_t size, const void *frame);

/* The program frees a block: to be called before the allocator's free. */
void heap_remove(const void *block);

/*
 * A realloc: heap_begin_move before the allocator's realloc; the others get what it has
 * returned: heap_keep if that realloc failed, heap_forget if it freed the block, else
 * heap_move.
 */
struct heap_slot_v1 *heap_begin_move(const void *old);
void heap_keep(struct heap_slot_v1 *slot);
void heap_forget(struct heap_slot_v1 *slot, const void *old);
void heap_move(struct heap_slot_v1 *slot, const void *old, const void *block, size_t size,
               const void *frame);

/* For functions that may have called malloc and realloc, so that these have recorded it
 * all: whether a block is recorded; and whether a realloc that was begun has not ended.
 */
bool heap_has(const void *block);
bool heap_is_moving(const struct heap_slot_v1 *slot, const void *old);

#endif
