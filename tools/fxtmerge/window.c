/* SPDX-License-Identifier: BSD-2-Clause */
/* See window.h. */
#include "window.h"

#include <fxt/compiler.h>

#include "common/base/memory.h"

/* Up to so many places from its end, a record is put into the queue: spans that are
 * written when they end are a few places late. */
enum { MOST_PLACES = 32 };

/* How many places ahead of the first one records are prefetched: the nearest would come
 * too late. */
enum { PLACES_AHEAD = 8 };

enum { FIRST_CAPACITY = 64, CACHE_LINE_BYTES = 64 };

#define BLOCK_BYTES ((size_t)16 << 10)

/* ---- Memory ------------------------------------------------------------------------ */

struct window_block {
    struct window_block *next_spare;
    size_t n_records;
    size_t size;
    size_t capacity;
    max_align_t records[];
};

static size_t round_up(size_t size)
{
    return (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
}

/* A block without records is filled again from its start, now or later. The one that was
 * emptied last is the next: the cache still has it. */
static void empty_block(struct window *w, struct window_block *block)
{
    w->n_bytes -= block->size;
    block->size = 0;
    if (block == w->block && block->capacity == BLOCK_BYTES)
        return;
    if (block == w->block)
        w->block = NULL;
    if (block->capacity == BLOCK_BYTES) {
        block->next_spare = w->memory->spare;
        w->memory->spare = block;
    } else {
        memory_release(block);
    }
}

static struct window_block *take_block(struct window_memory *memory, size_t capacity)
{
    struct window_block *block = memory->spare;

    if (capacity != BLOCK_BYTES) {
        block = (struct window_block *)memory_reserve(sizeof(*block) + capacity);
    } else if (block != NULL) {
        memory->spare = block->next_spare;
    } else {
        block = (struct window_block *)(void *)arena_add(
            &memory->blocks, (sizeof(*block) + capacity) / sizeof(uint32_t));
    }
    *block = (struct window_block){.capacity = capacity};
    return block;
}

/* Begins a block that has room for a record of this size. */
static void begin_block(struct window *w, size_t size)
{
    struct window_block *full = w->block;
    size_t capacity = size > BLOCK_BYTES ? round_up(size) : BLOCK_BYTES;

    if (size > SIZE_MAX / 2)
        memory_fail(MEMORY_EXHAUSTED);
    w->block = take_block(w->memory, capacity);
    if (full != NULL && full->n_records == 0)
        empty_block(w, full);
}

static struct fxt_record *copy_record(struct window *w, const struct fxt_record *record)
{
    char *room;
    size_t left, size;

    if (w->block == NULL)
        begin_block(w, 0);
    left = w->block->capacity - w->block->size;
    room = (char *)w->block->records + w->block->size;
    size = fxt_record_copy_to(record, room, left);
    if (size > left) {
        begin_block(w, size);
        room = (char *)w->block->records;
        fxt_record_copy_to(record, room, size);
    }
    w->block->n_records++;
    w->block->size += round_up(size);
    w->n_bytes += round_up(size);
    return (struct fxt_record *)(void *)room;
}

/* ---- The queue --------------------------------------------------------------------- */

static void grow_queue(struct window *w)
{
    size_t capacity = w->queue_capacity > 0 ? 2 * w->queue_capacity : FIRST_CAPACITY;
    struct window_entry *queue =
        (struct window_entry *)memory_reserve(capacity * sizeof(*queue));

    for (size_t i = 0; i < w->n_queue; i++)
        queue[i] = *window_queue_at(w, i);
    memory_release(w->queue);
    w->queue = queue;
    w->queue_capacity = capacity;
    w->first = 0;
}

/* Returns false if its place is too far from the end. */
static bool add_to_queue(struct window *w, struct window_entry entry)
{
    size_t n_later = 0;

    while (n_later < w->n_queue &&
           entry.time < window_queue_at(w, w->n_queue - 1 - n_later)->time) {
        if (++n_later > MOST_PLACES)
            return false;
    }
    if (w->n_queue == w->queue_capacity)
        grow_queue(w);
    w->is_disordered |= n_later > 0;
    w->n_queue++;
    for (size_t i = 0; i < n_later; i++)
        *window_queue_at(w, w->n_queue - 1 - i) = *window_queue_at(w, w->n_queue - 2 - i);
    *window_queue_at(w, w->n_queue - 1 - n_later) = entry;
    return true;
}

/* Since it was copied, its memory has left the nearest cache. */
static void prefetch_record(const struct fxt_record *record)
{
    const char *at = (const char *)record;

    for (size_t i = 0; i < sizeof(*record) + 2 * CACHE_LINE_BYTES; i += CACHE_LINE_BYTES)
        FXT_PREFETCH(at + i);
}

/* ---- The heap ---------------------------------------------------------------------- */

static void add_to_heap(struct window *w, struct window_entry entry)
{
    size_t at = w->n_heap;

    w->is_disordered = true;
    w->heap = (struct window_entry *)memory_grow(w->heap, w->n_heap, &w->heap_capacity,
                                                 sizeof(*w->heap));
    w->n_heap++;
    while (at > 0 && window_is_before(&entry, &w->heap[(at - 1) / 2])) {
        w->heap[at] = w->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    w->heap[at] = entry;
}

static void remove_from_heap(struct window *w)
{
    struct window_entry last = w->heap[--w->n_heap];
    size_t at = 0;

    for (;;) {
        size_t child = 2 * at + 1;

        if (child >= w->n_heap)
            break;
        if (child + 1 < w->n_heap &&
            window_is_before(&w->heap[child + 1], &w->heap[child]))
            child++;
        if (!window_is_before(&w->heap[child], &last))
            break;
        w->heap[at] = w->heap[child];
        at = child;
    }
    if (w->n_heap > 0)
        w->heap[at] = last;
}

/* ---- Both -------------------------------------------------------------------------- */

struct fxt_record *window_push(struct window *w, uint64_t time,
                               const struct fxt_record *record, size_t provider)
{
    struct fxt_record *copy = copy_record(w, record);
    struct window_entry entry = {time, w->n_pushed++, copy, w->block, provider};

    w->n_bytes += sizeof(entry);
    if (!add_to_queue(w, entry))
        add_to_heap(w, entry);
    return copy;
}

void window_pop(struct window *w)
{
    const struct window_entry *entry = window_first(w);
    struct window_block *block = entry->block;

    if (w->n_heap > 0 && entry == w->heap) {
        remove_from_heap(w);
    } else {
        w->first = (w->first + 1) & (w->queue_capacity - 1);
        w->n_queue--;
    }
    w->n_bytes -= sizeof(*entry);
    if (--block->n_records == 0)
        empty_block(w, block);
    if (w->n_queue > PLACES_AHEAD)
        prefetch_record(window_queue_at(w, PLACES_AHEAD)->record);
}

void window_free(struct window *w)
{
    while (window_first(w) != NULL)
        window_pop(w);
    if (w->block != NULL && w->block->capacity != BLOCK_BYTES)
        memory_release(w->block);
    memory_release(w->queue);
    memory_release(w->heap);
    *w = (struct window){.queue = NULL};
}

void window_memory_free(struct window_memory *memory)
{
    arena_free(&memory->blocks);
    *memory = (struct window_memory){.spare = NULL};
}
