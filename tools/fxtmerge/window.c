/* SPDX-License-Identifier: BSD-2-Clause */
/* See window.h. */
#include "window.h"

#include <malloc.h>
#include <stdlib.h>

#include <fxt/compiler.h>

#include "common/base/memory.h"

/* Up to so many places from its end, a record is put into the queue: spans that are
 * written when they end are a few places late. */
enum { MOST_PLACES = 32 };

enum { FIRST_CAPACITY = 64, CACHE_LINE_BYTES = 64 };

static bool is_before(const struct window_entry *a, const struct window_entry *b)
{
    return a->time < b->time || (a->time == b->time && a->number < b->number);
}

/* ---- The queue --------------------------------------------------------------------- */

static struct window_entry *queue_at(const struct window *w, size_t i)
{
    return &w->queue[(w->first + i) & (w->queue_capacity - 1)];
}

static void grow_queue(struct window *w)
{
    size_t capacity = w->queue_capacity > 0 ? 2 * w->queue_capacity : FIRST_CAPACITY;
    struct window_entry *queue =
        (struct window_entry *)memory_reserve(capacity * sizeof(*queue));

    for (size_t i = 0; i < w->n_queue; i++)
        queue[i] = *queue_at(w, i);
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
           entry.time < queue_at(w, w->n_queue - 1 - n_later)->time) {
        if (++n_later > MOST_PLACES)
            return false;
    }
    if (w->n_queue == w->queue_capacity)
        grow_queue(w);
    w->is_disordered |= n_later > 0;
    w->n_queue++;
    for (size_t i = 0; i < n_later; i++)
        *queue_at(w, w->n_queue - 1 - i) = *queue_at(w, w->n_queue - 2 - i);
    *queue_at(w, w->n_queue - 1 - n_later) = entry;
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
    while (at > 0 && is_before(&entry, &w->heap[(at - 1) / 2])) {
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
        if (child + 1 < w->n_heap && is_before(&w->heap[child + 1], &w->heap[child]))
            child++;
        if (!is_before(&w->heap[child], &last))
            break;
        w->heap[at] = w->heap[child];
        at = child;
    }
    if (w->n_heap > 0)
        w->heap[at] = last;
}

/* ---- Both -------------------------------------------------------------------------- */

void window_push(struct window *w, uint64_t time, struct fxt_record *record,
                 uint32_t provider)
{
    size_t n_bytes = malloc_usable_size(record) + sizeof(struct window_entry);
    struct window_entry entry = {time, w->n_pushed++, record, provider, UINT32_MAX};

    if (n_bytes < UINT32_MAX)
        entry.n_bytes = (uint32_t)n_bytes;
    w->n_bytes += entry.n_bytes;
    if (!add_to_queue(w, entry))
        add_to_heap(w, entry);
}

const struct window_entry *window_first(const struct window *w)
{
    if (w->n_heap > 0 && (w->n_queue == 0 || is_before(&w->heap[0], queue_at(w, 0))))
        return &w->heap[0];
    return w->n_queue > 0 ? queue_at(w, 0) : NULL;
}

void window_pop(struct window *w)
{
    const struct window_entry *entry = window_first(w);
    struct fxt_record *record = entry->record;

    w->n_bytes -= entry->n_bytes;
    if (w->n_heap > 0 && entry == w->heap) {
        remove_from_heap(w);
    } else {
        w->first = (w->first + 1) & (w->queue_capacity - 1);
        w->n_queue--;
    }
    free(record);
    if (w->n_queue > 1)
        prefetch_record(queue_at(w, 1)->record);
}

void window_free(struct window *w)
{
    while (window_first(w) != NULL)
        window_pop(w);
    memory_release(w->queue);
    memory_release(w->heap);
    *w = (struct window){.queue = NULL};
}
