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

#include "common/base/binary.h"

/* Stores a field of type uint64, int64 or bool, where there is room for
 * 2 * VARINT_MAX bytes, and returns its end. */
static inline unsigned char *proto_put_field(unsigned char *to, unsigned field,
                                             uint64_t value)
{
    return store_varint(store_varint(to, field << 3), value);
}

/* The same for the beginning of a field that has a size. */
static inline unsigned char *proto_put_start(unsigned char *to, unsigned field,
                                             size_t size)
{
    return store_varint(store_varint(to, field << 3 | 2), size);
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
