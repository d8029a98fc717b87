/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_debugdata.h. */
#include "elf_debugdata.h"

#include <elf.h>
#include <lzma.h>

#include "common/base/memory.h"

/* A few bytes can decompress to gigabytes. Symbols compress by a factor of 3 to 10, and
 * dictionaries are as large as the data, or a few MiB. */
enum {
    SIZE_LEAST = 1 << 20,
    SIZE_PER_BYTE = 64,
    SIZE_MAX_BYTES = 256 << 20,
    DECODER_MAX_BYTES = 128 << 20,
};

static void *allocate_lzma(void *context, size_t n, size_t size)
{
    (void)context;
    return memory_reserve(n * size);
}

static void release_lzma(void *context, void *memory)
{
    (void)context;
    memory_release(memory);
}

static const lzma_allocator allocator = {allocate_lzma, release_lzma, NULL};

static size_t max_size(uint64_t compressed)
{
    if (compressed > (SIZE_MAX_BYTES - SIZE_LEAST) / SIZE_PER_BYTE)
        return SIZE_MAX_BYTES;
    return SIZE_LEAST + SIZE_PER_BYTE * (size_t)compressed;
}

/* Decodes all of the stream's input into memory that grows up to `max` bytes. */
static lzma_ret decode_xz(lzma_stream *stream, unsigned char **to, size_t *size,
                          size_t max)
{
    size_t capacity = 1 << 16;
    lzma_ret status = LZMA_OK;

    *to = (unsigned char *)memory_reserve(capacity);
    *size = 0;
    while (status == LZMA_OK) {
        if (*size == capacity && capacity == max)
            return LZMA_MEMLIMIT_ERROR;
        if (*size == capacity) {
            capacity = capacity < max / 2 ? 2 * capacity : max;
            *to = memory_reallocate(*to, capacity);
        }
        stream->next_out = *to + *size;
        stream->avail_out = capacity - *size;
        status = lzma_code(stream, LZMA_FINISH);
        *size = capacity - stream->avail_out;
    }
    return status;
}

static unsigned char *decompress_xz(const unsigned char *bytes, uint64_t n_bytes,
                                    size_t *size, const char **damage)
{
    lzma_stream stream = LZMA_STREAM_INIT;
    unsigned char *data = NULL;
    lzma_ret status;

    stream.allocator = &allocator;
    stream.next_in = bytes;
    stream.avail_in = (size_t)n_bytes;
    status = lzma_stream_decoder(&stream, DECODER_MAX_BYTES, LZMA_CONCATENATED);
    if (status == LZMA_OK)
        status = decode_xz(&stream, &data, size, max_size(n_bytes));
    lzma_end(&stream);
    if (status == LZMA_STREAM_END)
        return data;
    *damage = status == LZMA_MEMLIMIT_ERROR
                  ? "its section .gnu_debugdata is too large when decompressed"
                  : "its section .gnu_debugdata is damaged";
    memory_release(data);
    return NULL;
}

unsigned char *elf_debugdata_read(const struct elf_headers *h, size_t *size,
                                  const char **damage)
{
    struct elf_section section;
    unsigned char *bytes;
    unsigned char *data;

    if (!elf_section_find(h, ".gnu_debugdata", &section) || section.type == SHT_NOBITS)
        return NULL;
    bytes = elf_bytes_read(h, section.offset, section.size);
    if (bytes == NULL) {
        *damage = "its section .gnu_debugdata is not within the file";
        return NULL;
    }
    data = decompress_xz(bytes, section.size, size, damage);
    memory_release(bytes);
    return data;
}
