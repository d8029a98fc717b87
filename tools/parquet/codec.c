/* SPDX-License-Identifier: BSD-2-Clause */
/* See codec.h. */
#include "codec.h"

#include "common/base/io/gzip.h"

#ifdef HAVE_LIBZSTD

#include <zstd.h>

/* zstd's usual level. */
enum { LEVEL = 3 };

static void compress_zstd(const struct text *from, struct text *to)
{
    size_t bound = ZSTD_compressBound(from->size);
    size_t size =
        ZSTD_compress(text_room(to, bound), bound, from->data, from->size, LEVEL);

    /* The bound is enough for anything but too little memory. */
    if (ZSTD_isError(size))
        memory_fail(MEMORY_EXHAUSTED);
    to->size += size;
}

bool codec_is_there(enum parquet_codec codec)
{
    (void)codec;
    return true;
}

#else

/* Is not called. */
static void compress_zstd(const struct text *from, struct text *to)
{
    (void)from;
    (void)to;
}

bool codec_is_there(enum parquet_codec codec)
{
    return codec != PARQUET_ZSTD;
}

#endif

static bool take_bytes(void *context, const char *data, size_t size)
{
    text_add((struct text *)context, data, size);
    return true;
}

static void compress_gzip(const struct text *from, struct text *to)
{
    struct gzip gzip = {false};

    if (from->size <= gzip_whole_max()) {
        gzip_whole(from->data, from->size, take_bytes, to);
        return;
    }
    gzip_begin(&gzip, take_bytes, to);
    gzip_add(&gzip, from->data, from->size, true);
    gzip_free(&gzip);
}

void codec_compress(enum parquet_codec codec, const struct text *from, struct text *to)
{
    to->size = 0;
    switch (codec) {
    case PARQUET_UNCOMPRESSED:
        text_add(to, from->data, from->size);
        break;
    case PARQUET_GZIP:
        compress_gzip(from, to);
        break;
    case PARQUET_ZSTD:
        compress_zstd(from, to);
        break;
    }
}
