/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers a writer's bytes for its callback: small pieces are collected, so that they
 * need not be passed on one by one, and large ones are passed on directly. */
#ifndef LIBFXT_WRITER_WRITE_BUFFER_H
#define LIBFXT_WRITER_WRITE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/writer.h>

#include "libfxt/memory.h"

struct write_buffer {
    struct memory *memory;
    fxt_write_fn *write;
    void *context;
    /* The buffered bytes, `pos` of them. They are flushed when there are `size`; the
     * memory has `capacity`, which can be more. */
    uint64_t *buffer;
    size_t pos;
    size_t size;
    size_t capacity;
    /* The bytes before those. */
    uint64_t n_flushed;
    /* The callback is running; it failed, and all calls return FXT_E_SINK. */
    bool busy;
    bool failed;
};

/* Initializes a buffer that is flushed at `size` bytes, at least 1. write_buffer_room can
 * then always reserve `n_room_words`. Returns false if there is no memory. */
bool write_buffer_init(struct write_buffer *g, struct memory *memory, fxt_write_fn *write,
                       void *context, size_t size, uint64_t n_room_words);
void write_buffer_free(struct write_buffer *g);

/* Makes room for a number of words after the buffered bytes, aligned to a word: the
 * stream must be at a whole number of words. The caller writes there, advances `pos`, and
 * calls write_buffer_flush_if_full. */
enum fxt_code write_buffer_make_room(struct write_buffer *g, uint64_t n_words);

static inline enum fxt_code write_buffer_room(struct write_buffer *g, uint64_t n_words)
{
    if (FXT_LIKELY(g->pos % FXT_WORD_BYTES == 0 &&
                   n_words * FXT_WORD_BYTES <= g->capacity - g->pos))
        return FXT_OK;
    return write_buffer_make_room(g, n_words);
}

/* Where that room begins. */
static inline uint64_t *write_buffer_end(const struct write_buffer *g)
{
    return g->buffer + g->pos / FXT_WORD_BYTES;
}

enum fxt_code write_buffer_flush(struct write_buffer *g);

static inline enum fxt_code write_buffer_flush_if_full(struct write_buffer *g)
{
    return g->pos >= g->size ? write_buffer_flush(g) : FXT_OK;
}

/* Writes bytes: buffered if they fit in the memory, else passed to the callback after
 * those that are buffered. */
enum fxt_code write_buffer_put(struct write_buffer *g, const void *data, size_t size);
enum fxt_code write_buffer_zeros(struct write_buffer *g, uint64_t size);
/* Words from any address, turned around. */
enum fxt_code write_buffer_swapped(struct write_buffer *g, const void *data,
                                   uint64_t n_words);

#endif
