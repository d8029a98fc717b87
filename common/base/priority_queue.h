/* SPDX-License-Identifier: BSD-2-Clause */
/* A binary heap of numbers: the entry with the lowest key is first. */
#ifndef BASE_PRIORITY_QUEUE_H
#define BASE_PRIORITY_QUEUE_H

#include <stddef.h>
#include <stdint.h>

/* Of entries with one key that of the highest item is first. */
struct priority_entry {
    uint64_t key;
    size_t item;
};

/* All zero is an empty queue; `entries[0]` is the first entry. */
struct priority_queue {
    struct priority_entry *entries;
    size_t n;
    size_t capacity;
};

void priority_queue_push(struct priority_queue *queue, uint64_t key, size_t item);

/* Removes the first entry, of which there must be one. */
void priority_queue_pop(struct priority_queue *queue);

/* Gives the first entry, of which there must be one, another key. */
void priority_queue_set_first(struct priority_queue *queue, uint64_t key);

void priority_queue_free(struct priority_queue *queue);

#endif
