/* SPDX-License-Identifier: BSD-2-Clause */
/* See decompress.h. */
#include "decompress.h"

#include <string.h>

#include "common/base/memory.h"
#include "decompress_format.h"

struct decompressor {
    const struct decompress_format *format;
    void *state;
    decompress_read_fn *read;
    void *context;
    bool in_frame;
    /* There was no room for more, of which some may not depend on further input. */
    bool is_full;
    const char *error;
    /* What was read, and is still to be decompressed. */
    const unsigned char *next;
    size_t n_left;
    size_t capacity;
    unsigned char piece[];
};

/* How much is read at once. */
enum { PIECE = 1 << 16 };

static const struct decompress_format *find_format(enum compression compression)
{
    switch (compression) {
    case COMPRESSION_NONE:
        break;
    case COMPRESSION_GZIP:
        return &decompress_gzip;
    case COMPRESSION_ZSTD:
        return &decompress_zstd;
    }
    return NULL;
}

bool decompressor_exists(enum compression compression)
{
    const struct decompress_format *format = find_format(compression);

    return format != NULL && format->create != NULL;
}

struct decompressor *decompressor_create(enum compression compression,
                                         decompress_read_fn *read, void *context,
                                         const void *first, size_t n_first)
{
    size_t capacity = n_first > PIECE ? n_first : PIECE;
    struct decompressor *d = memory_reserve(sizeof(*d) + capacity);

    d->format = find_format(compression);
    d->read = read;
    d->context = context;
    d->in_frame = false;
    d->is_full = false;
    d->state = d->format->create();
    d->error = d->state == NULL ? "cannot start to decompress" : NULL;
    memcpy(d->piece, first, n_first);
    d->next = d->piece;
    d->n_left = n_first;
    d->capacity = capacity;
    return d;
}

void decompressor_free(struct decompressor *d)
{
    if (d == NULL)
        return;
    d->format->free(d->state);
    memory_release(d);
}

static bool refill(struct decompressor *d)
{
    if (d->n_left > 0)
        return true;
    d->next = d->piece;
    d->n_left = d->read(d->context, d->piece, d->capacity);
    return d->n_left > 0;
}

/* What follows the last frame may be zeros (tapes, padded files). Returns false if there
 * is no other frame. */
static bool start_frame(struct decompressor *d)
{
    while (refill(d) && *d->next == 0) {
        d->next++;
        d->n_left--;
    }
    if (d->n_left == 0)
        return false;
    if (!d->format->begins_with(*d->next)) {
        d->error = d->format->something_follows;
        return false;
    }
    d->format->start(d->state);
    d->in_frame = true;
    return true;
}

size_t decompressor_read(struct decompressor *d, void *to, size_t size)
{
    struct decompress_step step = {.out = to, .n_out = size};

    while (step.n_out == size && d->error == NULL) {
        if (!d->in_frame && !start_frame(d))
            break;
        if (!d->is_full && !refill(d)) {
            d->error = d->format->ends_early;
            break;
        }
        step.in = d->next;
        step.n_in = d->n_left;
        step.has_ended = false;
        d->error = d->format->step(d->state, &step);
        d->next = step.in;
        d->n_left = step.n_in;
        d->in_frame = !step.has_ended;
        d->is_full = step.n_out == 0 && d->in_frame;
    }
    return size - step.n_out;
}

const char *decompressor_error(const struct decompressor *d)
{
    return d->error;
}

size_t decompressor_rest(const struct decompressor *d)
{
    return d->n_left;
}
