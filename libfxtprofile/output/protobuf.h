/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The encoding of protocol buffers, as far as profiles need it. A message is assembled in
 * a text, its fields in the order of their numbers; fields of value 0 are omitted, as in
 * proto3.
 */
#ifndef FXTPROFILE_OUTPUT_PROTOBUF_H
#define FXTPROFILE_OUTPUT_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"

/* The maximum size of a number, in bytes. */
enum { PROTO_VARINT_MAX = 10 };

/* Stores a number, where there is room for PROTO_VARINT_MAX bytes, and returns its end. A
 * large profile consists of small numbers of unpredictable size: a mispredicted branch
 * for each byte would cost more than storing four bytes. */
static inline unsigned char *proto_put(unsigned char *to, uint64_t value)
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

/* Stores a field of type uint64, int64 or bool, where there is room for
 * 2 * PROTO_VARINT_MAX bytes, and returns its end. */
static inline unsigned char *proto_put_field(unsigned char *to, unsigned field,
                                             uint64_t value)
{
    return proto_put(proto_put(to, field << 3), value);
}

/* The same for the beginning of a field that has a size. */
static inline unsigned char *proto_put_start(unsigned char *to, unsigned field,
                                             size_t size)
{
    return proto_put(proto_put(to, field << 3 | 2), size);
}

/* A number alone, as in a packed list. */
static inline void proto_varint(struct text *message, uint64_t value)
{
    char *start = text_room(message, PROTO_VARINT_MAX);

    message->size +=
        (size_t)(proto_put((unsigned char *)start, value) - (unsigned char *)start);
}

/* A field of type uint64, int64 (negative ones as they are modulo 2^64) or bool. */
void proto_number(struct text *message, unsigned field, uint64_t value);

/* The same even if it is 0, for formats that tell 0 from a field that is missing. */
void proto_value(struct text *message, unsigned field, uint64_t value);

/* A field of type fixed64 or double, by its bits; even if it is 0. */
void proto_fixed64(struct text *message, unsigned field, uint64_t bits);

/* A string, a message inside the message, or a packed list; even if it is empty. */
void proto_bytes(struct text *message, unsigned field, const void *bytes, size_t size);

/* The tag and length of such a field. */
void proto_start(struct text *message, unsigned field, size_t size);

/* The same as proto_bytes from a text, which is then emptied. */
void proto_text(struct text *message, unsigned field, struct text *content);

#endif
