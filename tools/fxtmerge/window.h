/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of one input that wait to be written, by time. Those that come in order, or
 * nearly, are in a queue, at a constant cost each; those that are earlier than many in it
 * are in a heap. Their copies are in blocks of memory, each for as long as one of them
 * waits. Those of events, of context switches and of names have less than half the size
 * of a record.
 */
#ifndef FXTMERGE_WINDOW_H
#define FXTMERGE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "common/base/arena.h"

struct window_block;

/* What precedes the copy of a record, which is one or (`is_plain`) less than one. */
struct window_copy {
    struct window_block *block;
    /* In the input, which is the order of records of equal times. */
    uint64_t offset;
    uint64_t header;
    /* Of the output's providers. */
    uint32_t provider;
    bool is_plain;
    uint8_t type;
    uint8_t kind;
    uint8_t n_args;
};

struct window_entry {
    /* In nanoseconds of the output. */
    uint64_t time;
    struct window_copy *copy;
};

/* Blocks that windows share: the empty ones, and where all are from but those of large
 * records. All zero has none. */
struct window_memory {
    struct window_block *spare;
    struct arena blocks;
};

/* All zero but for its memory is empty. */
struct window {
    struct window_memory *memory;
    /* A ring; its capacity is a power of two. */
    struct window_entry *queue;
    size_t first;
    size_t n_queue;
    size_t queue_capacity;
    struct window_entry *heap;
    size_t n_heap;
    size_t heap_capacity;
    /* The block that is being filled; NULL before the first record. */
    struct window_block *block;
    /* The memory of all records, and of those that have gone in blocks where others wait.
     */
    uint64_t n_bytes;
    /* What is made of a plain copy. */
    struct fxt_record record;
};

/* Copies a record; `provider` is one of the output's. Returns whether the record is
 * earlier than one before it. */
bool window_push(struct window *window, uint64_t time, const struct fxt_record *record,
                 size_t provider);

static inline struct window_entry *window_queue_at(const struct window *window, size_t i)
{
    return &window->queue[(window->first + i) & (window->queue_capacity - 1)];
}

static inline bool window_is_before(const struct window_entry *a,
                                    const struct window_entry *b)
{
    return a->time < b->time || (a->time == b->time && a->copy->offset < b->copy->offset);
}

/* The entry that is written next, valid until the next call; NULL if there is none. */
static inline const struct window_entry *window_first(const struct window *window)
{
    if (window->n_heap > 0 &&
        (window->n_queue == 0 ||
         window_is_before(&window->heap[0], window_queue_at(window, 0))))
        return &window->heap[0];
    return window->n_queue > 0 ? window_queue_at(window, 0) : NULL;
}

/* A record that waits, which can be changed until the next call. */
struct fxt_record *window_record(struct window *window, struct window_copy *copy);

/* Removes the first entry and its record. */
void window_pop(struct window *window);

void window_free(struct window *window);

/* After the windows. */
void window_memory_free(struct window_memory *memory);

#endif
