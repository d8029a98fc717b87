/* SPDX-License-Identifier: BSD-2-Clause */
/* See protobuf.h. */
#include "protobuf.h"

/* The low three bits of a field's key: how its value is stored. */
enum { KIND_VARINT = 0, KIND_FIXED64 = 1, KIND_BYTES = 2 };

void proto_number(struct text *message, unsigned field, uint64_t value)
{
    if (value != 0)
        proto_value(message, field, value);
}

void proto_value(struct text *message, unsigned field, uint64_t value)
{
    text_varint(message, field << 3 | KIND_VARINT);
    text_varint(message, value);
}

void proto_fixed64(struct text *message, unsigned field, uint64_t bits)
{
    text_varint(message, field << 3 | KIND_FIXED64);
    text_le(message, bits, sizeof(bits));
}

void proto_start(struct text *message, unsigned field, size_t size)
{
    text_varint(message, field << 3 | KIND_BYTES);
    text_varint(message, size);
}

void proto_bytes(struct text *message, unsigned field, const void *bytes, size_t size)
{
    proto_start(message, field, size);
    text_add(message, bytes, size);
}

void proto_text(struct text *message, unsigned field, struct text *content)
{
    proto_bytes(message, field, content->data, content->size);
    content->size = 0;
}
