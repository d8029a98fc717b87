/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as most binary formats have them: little-endian, or as long as they are large
 * (LEB128, the varints of protocol buffers, Thrift and ClickHouse). */
#ifndef BASE_BINARY_H
#define BASE_BINARY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "text.h"

/* ---- Bits -------------------------------------------------------------------------- */

static inline double double_of_bits(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Of a number of so many bits, the highest one stands for all above it. */
static inline uint64_t extend_sign(uint64_t value, unsigned n_bits)
{
    uint64_t sign = UINT64_C(1) << (n_bits - 1);

    return (value ^ sign) - sign;
}

/* ---- Little-endian ----------------------------------------------------------------- */

/* Stores the lowest bytes of a number. */
static inline void store_le(void *to, uint64_t value, size_t n_bytes)
{
    unsigned char *bytes = (unsigned char *)to;

    for (size_t i = 0; i < n_bytes; i++)
        bytes[i] = (unsigned char)(value >> 8 * i);
}

/* Adds them. */
static inline void text_le(struct text *text, uint64_t value, size_t n_bytes)
{
    store_le(text_room(text, sizeof(value)), value, n_bytes);
    text->size += n_bytes;
}

/* ---- Varints ----------------------------------------------------------------------- */

/* The maximum size of one, in bytes. */
enum { VARINT_MAX = 10 };

/* Stores a number, where there is room for VARINT_MAX bytes, and returns its end. A
 * large profile consists of small numbers of unpredictable size: a mispredicted branch
 * for each byte would cost more than storing four bytes. */
static inline unsigned char *store_varint(unsigned char *to, uint64_t value)
{
    unsigned more = (value >= 1 << 7) + (value >= 1 << 14) + (value >= 1 << 21);

    /* The keys of most fields. */
    if (__builtin_constant_p(value) && value < 0x80) {
        *to = (unsigned char)value;
        return to + 1;
    }
    if (value >= 1 << 28) {
        for (; value >= 0x80; value >>= 7)
            *to++ = (unsigned char)(value | 0x80);
        *to++ = (unsigned char)value;
        return to;
    }
    to[0] = (unsigned char)((value & 0x7f) | (more > 0) << 7);
    to[1] = (unsigned char)((value >> 7 & 0x7f) | (more > 1) << 7);
    to[2] = (unsigned char)((value >> 14 & 0x7f) | (more > 2) << 7);
    to[3] = (unsigned char)(value >> 21);
    return to + more + 1;
}

/* Adds a number. */
static inline void text_varint(struct text *text, uint64_t value)
{
    char *start = text_room(text, VARINT_MAX);

    text->size +=
        (size_t)(store_varint((unsigned char *)start, value) - (unsigned char *)start);
}

#endif
