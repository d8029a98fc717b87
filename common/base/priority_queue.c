/* SPDX-License-Identifier: BSD-2-Clause */
/* See priority_queue.h. */
#include "priority_queue.h"

#include <assert.h>
#include <stdbool.h>

#include "memory.h"

static bool is_item_before(const struct priority_queue *queue, size_t a, size_t b)
{
    const struct priority_entry *left = &queue->entries[a];
    const struct priority_entry *right = &queue->entries[b];

    return left->key != right->key ? left->key < right->key : left->item > right->item;
}

static void swap_entries(struct priority_queue *queue, size_t a, size_t b)
{
    struct priority_entry entry = queue->entries[a];

    queue->entries[a] = queue->entries[b];
    queue->entries[b] = entry;
}

void priority_queue_push(struct priority_queue *queue, uint64_t key, size_t item)
{
    size_t at = queue->n;

    MEMORY_ADD(queue->entries, queue->n, queue->capacity,
               (struct priority_entry){key, item});
    for (; at > 0 && is_item_before(queue, at, (at - 1) / 2); at = (at - 1) / 2)
        swap_entries(queue, at, (at - 1) / 2);
}

static void sink_first(struct priority_queue *queue)
{
    size_t at = 0;

    for (;;) {
        size_t child = 2 * at + 1;

        if (child + 1 < queue->n && is_item_before(queue, child + 1, child))
            child++;
        if (child >= queue->n || is_item_before(queue, at, child))
            return;
        swap_entries(queue, at, child);
        at = child;
    }
}

void priority_queue_pop(struct priority_queue *queue)
{
    assert(queue->n > 0);
    queue->entries[0] = queue->entries[--queue->n];
    sink_first(queue);
}

void priority_queue_set_first(struct priority_queue *queue, uint64_t key)
{
    assert(queue->n > 0);
    queue->entries[0].key = key;
    sink_first(queue);
}

void priority_queue_free(struct priority_queue *queue)
{
    memory_release(queue->entries);
    *queue = (struct priority_queue){NULL, 0, 0};
}
