/* SPDX-License-Identifier: BSD-2-Clause */
/* See write_buffer.h. */
#include "write_buffer.h"

#include <assert.h>
#include <string.h>

/* Grows the memory so that `n_words` more fit after the last buffered byte. */
static bool grow_words(struct write_buffer *g, uint64_t n_words)
{
    size_t capacity = (g->size / FXT_WORD_BYTES + 1 + (size_t)n_words) * FXT_WORD_BYTES;
    uint64_t *buffer =
        (uint64_t *)memory_resize(g->memory, g->buffer, g->capacity, capacity);

    if (buffer == NULL)
        return false;
    g->buffer = buffer;
    g->capacity = capacity;
    return true;
}

bool write_buffer_init(struct write_buffer *g, struct memory *memory, fxt_write_fn *write,
                       void *context, size_t size, uint64_t n_room_words)
{
    *g = (struct write_buffer){
        .memory = memory, .write = write, .context = context, .size = size};
    return grow_words(g, n_room_words);
}

void write_buffer_free(struct write_buffer *g)
{
    memory_free(g->memory, g->buffer, g->capacity);
}

static enum fxt_code hand_over(struct write_buffer *g, const void *data, size_t size)
{
    assert(!g->busy);
    if (g->failed)
        return FXT_E_SINK;
    if (size == 0)
        return FXT_OK;
    g->busy = true;
    g->failed = g->write(g->context, data, size) != 0;
    g->busy = false;
    g->n_flushed += size;
    return g->failed ? FXT_E_SINK : FXT_OK;
}

enum fxt_code write_buffer_flush(struct write_buffer *g)
{
    size_t size = g->pos;

    g->pos = 0;
    return hand_over(g, g->buffer, size);
}

enum fxt_code write_buffer_put(struct write_buffer *g, const void *data, size_t size)
{
    if (size > g->capacity - g->pos) {
        enum fxt_code code = write_buffer_flush(g);

        if (code != FXT_OK)
            return code;
        if (size > g->capacity)
            return hand_over(g, data, size);
    }
    memcpy((unsigned char *)g->buffer + g->pos, data, size);
    g->pos += size;
    return FXT_OK;
}

enum fxt_code write_buffer_zeros(struct write_buffer *g, uint64_t size)
{
    static const unsigned char zeros[4096];
    enum fxt_code code = FXT_OK;

    while (size > 0 && code == FXT_OK) {
        size_t n = size < sizeof(zeros) ? (size_t)size : sizeof(zeros);

        code = write_buffer_put(g, zeros, n);
        size -= n;
    }
    return code;
}

enum fxt_code write_buffer_swapped(struct write_buffer *g, const void *data,
                                   uint64_t n_words)
{
    struct fxt_words words = {data, n_words, true};
    uint64_t some[64];
    uint64_t i = 0;
    enum fxt_code code = FXT_OK;

    while (i < n_words && code == FXT_OK) {
        size_t n = 0;

        while (n < sizeof(some) / sizeof(some[0]) && i < n_words)
            some[n++] = fxt_words_get(words, i++);
        code = write_buffer_put(g, some, n * sizeof(some[0]));
    }
    return code;
}

enum fxt_code write_buffer_make_room(struct write_buffer *g, uint64_t n_words)
{
    if (g->pos % FXT_WORD_BYTES != 0) {
        enum fxt_code code = write_buffer_flush(g);

        if (code != FXT_OK)
            return code;
    }
    if (n_words * FXT_WORD_BYTES <= g->capacity - g->pos || grow_words(g, n_words))
        return FXT_OK;
    return FXT_E_NO_MEMORY;
}
