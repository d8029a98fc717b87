/* SPDX-License-Identifier: BSD-2-Clause */
/* See unwind_parts.h: sections that may be compressed. */
#include "unwind_parts.h"

#include <elf.h>
#include <limits.h>
#include <string.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "common/base/memory.h"

/* zlib cannot make more of a byte. */
enum { RATIO_MAX = 1032, OLD_HEADER = 12 };

/* What comes before compressed data: where they begin, and the size of the content. */
struct compression {
    uint64_t at;
    uint64_t size;
};

static uint64_t number_at(const unsigned char *bytes, unsigned n, bool is_big_endian)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < n; i++)
        value |= (uint64_t)bytes[is_big_endian ? n - 1 - i : i] << (8 * i);
    return value;
}

/* Elf64_Chdr. */
static bool take_header(const unsigned char *bytes, uint64_t size,
                        struct compression *compression)
{
    compression->at = sizeof(Elf64_Chdr);
    if (size < compression->at || number_at(bytes, 4, false) != ELFCOMPRESS_ZLIB)
        return false;
    compression->size =
        number_at(bytes + offsetof(Elf64_Chdr, ch_size), sizeof(Elf64_Xword), false);
    return true;
}

/* "ZLIB" and the size, big-endian. */
static bool take_old_header(const unsigned char *bytes, uint64_t size,
                            struct compression *compression)
{
    if (size < OLD_HEADER || memcmp(bytes, "ZLIB", 4) != 0)
        return false;
    compression->at = OLD_HEADER;
    compression->size = number_at(bytes + 4, 8, true);
    return true;
}

#ifdef HAVE_ZLIB
static bool run_inflate(const unsigned char *from, uint64_t from_size, unsigned char *to,
                        uint64_t size)
{
    z_stream z = {.avail_in = (unsigned)from_size, .avail_out = (unsigned)size};
    int code;

    memcpy(&z.next_in, &from, sizeof(from));
    z.next_out = to;
    if (inflateInit(&z) != Z_OK)
        return false;
    code = inflate(&z, Z_FINISH);
    inflateEnd(&z);
    return code == Z_STREAM_END && z.avail_out == 0;
}
#else
static bool run_inflate(const unsigned char *from, uint64_t from_size, unsigned char *to,
                        uint64_t size)
{
    (void)from;
    (void)from_size;
    (void)to;
    (void)size;
    return false;
}
#endif

static unsigned char *expand(const unsigned char *bytes, uint64_t size,
                             const struct compression *compression)
{
    uint64_t from_size = size - compression->at;
    unsigned char *to;

    if (from_size > UINT_MAX || compression->size > UINT_MAX ||
        compression->size / RATIO_MAX > from_size)
        return NULL;
    to = (unsigned char *)memory_reserve((size_t)compression->size + 1);
    if (run_inflate(bytes + compression->at, from_size, to, compression->size))
        return to;
    memory_release(to);
    return NULL;
}

unsigned char *unwind_section_read(const struct elf_headers *headers,
                                   const struct elf_section *section, uint64_t *size)
{
    unsigned char *bytes = elf_bytes_read(headers, section->offset, section->size);
    unsigned char *expanded = NULL;
    struct compression compression;
    bool is_marked = (section->flags & SHF_COMPRESSED) != 0;

    *size = section->size;
    if (!bytes)
        return NULL;
    if (is_marked ? take_header(bytes, section->size, &compression)
                  : take_old_header(bytes, section->size, &compression)) {
        expanded = expand(bytes, section->size, &compression);
        *size = compression.size;
    } else if (!is_marked)
        return bytes;
    memory_release(bytes);
    return expanded;
}
