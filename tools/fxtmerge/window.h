/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records of one input that wait to be written, by time. Those that come in order, or
 * nearly, are in a queue, at a constant cost each; those that are earlier than many in it
 * are in a heap.
 */
#ifndef FXTMERGE_WINDOW_H
#define FXTMERGE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

struct window_entry {
    /* In nanoseconds of the output; and, for records of equal times, their order. */
    uint64_t time;
    uint64_t number;
    /* To be freed by free(). */
    struct fxt_record *record;
    /* Of the output's providers. */
    uint32_t provider;
    uint32_t n_bytes;
};

/* All zero is empty. */
struct window {
    /* A ring. */
    struct window_entry *queue;
    size_t first;
    size_t n_queue;
    size_t queue_capacity;
    struct window_entry *heap;
    size_t n_heap;
    size_t heap_capacity;
    uint64_t n_pushed;
    /* The memory of all records. */
    uint64_t n_bytes;
    /* A record was earlier than one before it, or is known to be. */
    bool is_disordered;
};

/* Takes over a record. */
void window_push(struct window *window, uint64_t time, struct fxt_record *record,
                 uint32_t provider);

/* The entry that is written next, valid until the next call; NULL if there is none. */
const struct window_entry *window_first(const struct window *window);

/* Removes that entry, and frees its record. */
void window_pop(struct window *window);

void window_free(struct window *window);

#endif
