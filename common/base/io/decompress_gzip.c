/* SPDX-License-Identifier: BSD-2-Clause */
/* See decompress_format.h. */
#include "decompress_format.h"

#include <zlib.h>

#include "common/base/memory.h"
#include "magic.h"

/* zlib counts room for output in 32 bits. */
enum { INFLATE_MAX = 1 << 30 };

static bool gzip_begins_with(unsigned char byte)
{
    return byte == MAGIC_GZIP;
}

static void *create_inflater(void)
{
    z_stream *z = memory_allocate(sizeof(*z));

    /* 16: expect a gzip header; 15: the largest window. */
    if (inflateInit2(z, 16 + 15) == Z_OK)
        return z;
    memory_release(z);
    return NULL;
}

static void free_inflater(void *state)
{
    if (state != NULL)
        inflateEnd(state);
    memory_release(state);
}

static void start_inflating(void *state)
{
    inflateReset(state);
}

static const char *inflate_step(void *state, struct decompress_step *step)
{
    z_stream *z = state;
    size_t room = step->n_out < INFLATE_MAX ? step->n_out : INFLATE_MAX;
    int code;

    z->next_in = (Bytef *)(uintptr_t)step->in;
    z->avail_in = (uInt)step->n_in;
    z->next_out = step->out;
    z->avail_out = (uInt)room;
    code = inflate(z, Z_NO_FLUSH);
    step->in = z->next_in;
    step->n_in = z->avail_in;
    step->out = z->next_out;
    step->n_out -= room - z->avail_out;
    step->has_ended = code == Z_STREAM_END;
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
        return "the gzip data is broken";
    return NULL;
}

const struct decompress_format decompress_gzip = {
    .ends_early = "the gzip data ends early",
    .something_follows = "something else follows the gzip data",
    .begins_with = gzip_begins_with,
    .create = create_inflater,
    .free = free_inflater,
    .start = start_inflating,
    .step = inflate_step,
};
