/* SPDX-License-Identifier: BSD-2-Clause */
/* See magic.h. */
#include "magic.h"

#include <stdbool.h>

/* The magic of gzip, its only method, and no flag that does not exist. An FXT record
 * could begin so too, but only one of 280 KB or more with bits set that are unused today.
 */
static bool is_gzip(const unsigned char *b, size_t size)
{
    return size >= 4 && b[0] == MAGIC_GZIP && b[1] == 0x8b && b[2] == 8 &&
           (b[3] & 0xe0) == 0;
}

static const char magic_zstd[] = "\x28\xb5\x2f\xfd";

/* What pzstd begins with: a frame to skip, with the size of the next. As FXT it would be
 * metadata of a kind that there is none of today. */
static const char magic_pzstd[] = "\x50\x2a\x4d\x18\4\0";

enum { N_ZSTD = sizeof(magic_zstd) - 1, N_PZSTD = sizeof(magic_pzstd) - 1 };

/* By the program that reads it; ? is any byte. As FXT, what begins so would be of a type
 * or kind that there is none of today (lz4, xz), a string that does not fit its record
 * (bzip2), or a scheduling record of 23 KB (zstd). */
static const struct {
    const char *program;
    const char *magic;
    size_t size;
} others[] = {
    {"bzip2", "BZh?1A", 6},
    {"lz4", "\x04\x22\x4d\x18", 4},
    {"xz", "\xfd\x37\x7a\x58\x5a\0", 6},
    {"zstd", magic_zstd, N_ZSTD},
    {"zstd", magic_pzstd, N_PZSTD},
};

static bool begins_with(const unsigned char *bytes, const char *magic, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (magic[i] != '?' && bytes[i] != (unsigned char)magic[i])
            return false;
    }
    return true;
}

enum compression magic_compression(const unsigned char *bytes, size_t size)
{
    if (is_gzip(bytes, size))
        return COMPRESSION_GZIP;
    if ((size >= N_ZSTD && begins_with(bytes, magic_zstd, N_ZSTD)) ||
        (size >= N_PZSTD && begins_with(bytes, magic_pzstd, N_PZSTD)))
        return COMPRESSION_ZSTD;
    return COMPRESSION_NONE;
}

const char *magic_find_other(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (size >= others[i].size && begins_with(bytes, others[i].magic, others[i].size))
            return others[i].program;
    }
    return NULL;
}
