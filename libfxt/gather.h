/* SPDX-License-Identifier: BSD-2-Clause */
/* A writer's bytes on their way to its callback: small ones are gathered, so that they
 * need not be handed over one by one, and large ones are handed over as they are. */
#ifndef LIBFXT_GATHER_H
#define LIBFXT_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/writer.h>

#include "memory.h"

struct gather {
    struct memory *memory;
    fxt_write_fn *write;
    void *context;
    /* What has been gathered, `pos` bytes. It is handed over when there are `size`; the
     * memory has `capacity`, which can be more. */
    uint64_t *buffer;
    size_t pos;
    size_t size;
    size_t capacity;
    /* The bytes before those. */
    uint64_t n_flushed;
    /* The callback is running; it failed, and FXT_E_SINK is all that comes from here. */
    bool busy;
    bool failed;
};

/* Starts to gather `size` bytes at a time, at least 1. gather_room can then always give
 * `n_room_words`. Returns false where there is no memory. */
bool gather_init(struct gather *g, struct memory *memory, fxt_write_fn *write,
                 void *context, size_t size, uint64_t n_room_words);
void gather_free(struct gather *g);

/* Makes room for some words behind the bytes that have been gathered, at the address of a
 * word: the stream must be at a whole number of words. Who writes there moves `pos`, and
 * calls gather_flush_if_full. */
enum fxt_code gather_room(struct gather *g, uint64_t n_words);

enum fxt_code gather_flush(struct gather *g);
enum fxt_code gather_flush_if_full(struct gather *g);

/* Bytes: gathered if they fit in the memory, else handed over behind those that are. */
enum fxt_code gather_put(struct gather *g, const void *data, size_t size);
enum fxt_code gather_zeros(struct gather *g, uint64_t size);
/* Words from any address, turned around. */
enum fxt_code gather_swapped(struct gather *g, const void *data, uint64_t n_words);

#endif
