/* SPDX-License-Identifier: BSD-2-Clause */
/* See gzip.h. */
#include "gzip.h"

#include <stdint.h>

#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif

#include "common/base/memory.h"

/*
 * How hard to compress, for zlib and libdeflate. bench/bench_profile.c measures it: on a
 * large profile level 4 takes two thirds of the time of zlib's usual 6 (libdeflate one
 * third) for 5 % more bytes (3 %); the levels below save little time, and those above
 * few bytes.
 */
enum { LEVEL = 4 };

/* zlib counts in 32 bits. */
enum { DEFLATE_MAX = 1 << 30 };

void gzip_begin(struct gzip *gzip, gzip_fn *take, void *context)
{
    /* 16: with a gzip header, which zlib leaves without a time or a name. */
    if (deflateInit2(&gzip->z, LEVEL, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        memory_allocate(SIZE_MAX);
    gzip->has_begun = true;
    gzip->take = take;
    gzip->context = context;
}

static void deflate_all(struct gzip *gzip, const char *data, size_t size, int mode)
{
    unsigned char piece[1 << 14];
    z_stream *z = &gzip->z;
    bool goes_on;

    z->next_in = (Bytef *)(uintptr_t)data;
    z->avail_in = (uInt)size;
    do {
        z->next_out = piece;
        z->avail_out = sizeof(piece);
        deflate(z, mode);
        goes_on =
            gzip->take(gzip->context, (const char *)piece, sizeof(piece) - z->avail_out);
    } while (z->avail_out == 0 && goes_on);
}

void gzip_add(struct gzip *gzip, const char *data, size_t size, bool is_last)
{
    for (; size > DEFLATE_MAX; size -= DEFLATE_MAX) {
        deflate_all(gzip, data, DEFLATE_MAX, Z_NO_FLUSH);
        data += DEFLATE_MAX;
    }
    deflate_all(gzip, data, size, is_last ? Z_FINISH : Z_NO_FLUSH);
}

void gzip_free(struct gzip *gzip)
{
    if (gzip->has_begun)
        deflateEnd(&gzip->z);
    gzip->has_begun = false;
}

#ifdef HAVE_LIBDEFLATE

/* It needs all the data in memory, and as much again. */
size_t gzip_whole_max(void)
{
    return 1 << 27;
}

void gzip_whole(const char *data, size_t size, gzip_fn *take, void *context)
{
    size_t compressed_size = libdeflate_gzip_compress_bound(NULL, size);
    char *compressed = (char *)memory_reserve(compressed_size);
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(LEVEL);

    if (compressor == NULL)
        memory_fail(MEMORY_EXHAUSTED);
    compressed_size =
        libdeflate_gzip_compress(compressor, data, size, compressed, compressed_size);
    libdeflate_free_compressor(compressor);
    take(context, compressed, compressed_size);
    memory_release(compressed);
}

#else

size_t gzip_whole_max(void)
{
    return 0;
}

/* Is not called: no size is small enough. */
void gzip_whole(const char *data, size_t size, gzip_fn *take, void *context)
{
    (void)data;
    (void)size;
    (void)take;
    (void)context;
}

#endif
