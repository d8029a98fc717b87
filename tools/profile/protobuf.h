/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The encoding of protocol buffers, as far as profiles need it. A message is put together
 * in a text, its fields in the order of their numbers; a field of value 0 is left out, as
 * proto3 has it.
 */
#ifndef TOOLS_PROTOBUF_H
#define TOOLS_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

#include "text.h"

/* The most bytes that a number takes. */
enum { PROTO_VARINT_MAX = 10 };

/* A number alone, as in a packed list. In line, since a large profile is made of them. */
static inline void proto_varint(struct text *message, uint64_t value)
{
    unsigned char *to = (unsigned char *)text_room(message, PROTO_VARINT_MAX);
    size_t size = 0;

    for (; value >= 0x80; value >>= 7)
        to[size++] = (unsigned char)(value | 0x80);
    to[size++] = (unsigned char)value;
    message->size += size;
}

/* A field of type uint64, int64 (negative ones as they are modulo 2^64) or bool. */
void proto_number(struct text *message, unsigned field, uint64_t value);

/* A string, a message inside the message, or a packed list; even if it is empty. */
void proto_bytes(struct text *message, unsigned field, const void *bytes, size_t size);

/* The same from a text, which is empty then. */
void proto_text(struct text *message, unsigned field, struct text *content);

#endif
