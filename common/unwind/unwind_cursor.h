/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the numbers of DWARF from bytes, which are little-endian on all machines that
 * have tables here. What is past the end is 0, and sets `failed`, which is looked at when
 * all has been read.
 */
#ifndef FXTUNWIND_UNWIND_CURSOR_H
#define FXTUNWIND_UNWIND_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind_table.h"

struct unwind_cursor {
    const unsigned char *bytes;
    uint64_t at;
    uint64_t end;
    bool failed;
};

static inline struct unwind_cursor cursor_at(const struct unwind_bytes *bytes,
                                             uint64_t at, uint64_t end)
{
    return (struct unwind_cursor){bytes->bytes, at, end, at > end || end > bytes->size};
}

static inline void cursor_skip(struct unwind_cursor *c, uint64_t n)
{
    if (c->failed || n > c->end - c->at)
        c->failed = true;
    else
        c->at += n;
}

/* A number of `n` bytes, at most 8. */
static inline uint64_t cursor_number(struct unwind_cursor *c, unsigned n)
{
    uint64_t value = 0;

    if (c->failed || n > c->end - c->at) {
        c->failed = true;
        return 0;
    }
    for (unsigned i = 0; i < n; i++)
        value |= (uint64_t)c->bytes[c->at + i] << (8 * i);
    c->at += n;
    return value;
}

static inline uint8_t cursor_byte(struct unwind_cursor *c)
{
    if (c->failed || c->at >= c->end) {
        c->failed = true;
        return 0;
    }
    return c->bytes[c->at++];
}

static inline int64_t cursor_signed(struct unwind_cursor *c, unsigned n)
{
    unsigned unused = 64 - 8 * n;

    return (int64_t)(cursor_number(c, n) << unused) >> unused;
}

/* The bits of a LEB128 number above 64 must not say anything else. Stores the bit after
 * the last one that was read. */
static inline uint64_t cursor_leb(struct unwind_cursor *c, unsigned *shift, uint8_t *last)
{
    uint64_t value = 0;
    uint8_t byte;

    *shift = 0;
    do {
        byte = cursor_byte(c);
        if (*shift < 64)
            value |= (uint64_t)(byte & 0x7fu) << *shift;
        else if ((byte & 0x7fu) != 0 && (byte & 0x7fu) != 0x7f)
            c->failed = true;
        *shift += *shift < 64 ? 7 : 0;
    } while ((byte & 0x80u) != 0 && !c->failed);
    *last = byte;
    return value;
}

static inline uint64_t cursor_uleb(struct unwind_cursor *c)
{
    unsigned shift;
    uint8_t last;

    return cursor_leb(c, &shift, &last);
}

static inline int64_t cursor_sleb(struct unwind_cursor *c)
{
    unsigned shift;
    uint8_t last;
    uint64_t value = cursor_leb(c, &shift, &last);

    if (shift < 64 && (last & 0x40u) != 0)
        value |= UINT64_MAX << shift;
    return (int64_t)value;
}

/* ---- Encoded pointers -------------------------------------------------------------- */

enum { ENCODING_OMIT = 0xff, ENCODING_ABSOLUTE = 0, ENCODING_PCREL = 0x10 };

/* The number that an encoded pointer is stored as, such as the size of a range. */
static inline uint64_t cursor_encoded_size(struct unwind_cursor *c, uint8_t encoding)
{
    switch (encoding & 0x0fu) {
    case 0x00:
    case 0x04:
    case 0x0c:
        return cursor_number(c, 8);
    case 0x01:
        return cursor_uleb(c);
    case 0x02:
        return cursor_number(c, 2);
    case 0x03:
        return cursor_number(c, 4);
    case 0x09:
        return (uint64_t)cursor_sleb(c);
    case 0x0a:
        return (uint64_t)cursor_signed(c, 2);
    case 0x0b:
        return (uint64_t)cursor_signed(c, 4);
    default:
        c->failed = true;
        return 0;
    }
}

/* An encoded pointer; `address` is that of the cursor's first byte, and `data` what
 * pointers to data are relative to. */
static inline uint64_t cursor_encoded(struct unwind_cursor *c, uint8_t encoding,
                                      uint64_t address, uint64_t data)
{
    uint64_t here = address + c->at;

    switch (encoding & 0xf0u) {
    case 0x00:
        return cursor_encoded_size(c, encoding);
    case 0x10:
        return here + cursor_encoded_size(c, encoding);
    case 0x30:
        return data + cursor_encoded_size(c, encoding);
    default:
        c->failed = true;
        return 0;
    }
}

#endif
