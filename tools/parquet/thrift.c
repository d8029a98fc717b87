/* SPDX-License-Identifier: BSD-2-Clause */
/* See thrift.h. */
#include "thrift.h"

#include <assert.h>
#include <string.h>

#include "encodings.h"

/* The types of fields that have no other name here. */
enum { TYPE_TRUE = 1, TYPE_FALSE = 2, TYPE_I8 = 3, TYPE_I64 = 6, TYPE_LIST = 9 };

/* From one field of a struct to the next, in half a byte; and a list's number of items
 * that has room in half a byte. */
enum { STEP_MAX = 15, SHORT_LIST_MAX = 14 };

/* ---- Structs ----------------------------------------------------------------------- */

void thrift_begin(struct thrift *t)
{
    assert(t->depth < THRIFT_DEPTH_MAX);
    t->fields[t->depth++] = 0;
}

void thrift_end(struct thrift *t)
{
    text_char(t->to, '\0');
    t->depth--;
}

static void add_field(struct thrift *t, int field, int type)
{
    int *last = &t->fields[t->depth - 1];

    assert(field > *last && field - *last <= STEP_MAX);
    text_char(t->to, (char)((field - *last) << 4 | type));
    *last = field;
}

void thrift_begin_field(struct thrift *t, int field)
{
    add_field(t, field, THRIFT_STRUCT);
    thrift_begin(t);
}

void thrift_mark(struct thrift *t, int field)
{
    thrift_begin_field(t, field);
    thrift_end(t);
}

/* ---- Values ------------------------------------------------------------------------ */

static void add_bytes(struct thrift *t, const void *bytes, size_t size)
{
    text_varint(t->to, size);
    text_add(t->to, bytes, size);
}

void thrift_bool(struct thrift *t, int field, bool value)
{
    add_field(t, field, value ? TYPE_TRUE : TYPE_FALSE);
}

void thrift_i8(struct thrift *t, int field, int value)
{
    add_field(t, field, TYPE_I8);
    text_char(t->to, (char)value);
}

void thrift_i32(struct thrift *t, int field, int32_t value)
{
    add_field(t, field, THRIFT_I32);
    encode_zigzag(t->to, value);
}

void thrift_i64(struct thrift *t, int field, int64_t value)
{
    add_field(t, field, TYPE_I64);
    encode_zigzag(t->to, value);
}

void thrift_binary(struct thrift *t, int field, const void *bytes, size_t size)
{
    add_field(t, field, THRIFT_BINARY);
    add_bytes(t, bytes, size);
}

void thrift_string(struct thrift *t, int field, const char *string)
{
    thrift_binary(t, field, string, strlen(string));
}

/* ---- Lists ------------------------------------------------------------------------- */

void thrift_list(struct thrift *t, int field, enum thrift_type type, size_t n)
{
    add_field(t, field, TYPE_LIST);
    if (n <= SHORT_LIST_MAX) {
        text_char(t->to, (char)(n << 4 | type));
        return;
    }
    text_char(t->to, (char)(0xf0 | type));
    text_varint(t->to, n);
}

void thrift_item_i32(struct thrift *t, int32_t value)
{
    encode_zigzag(t->to, value);
}

void thrift_item_string(struct thrift *t, const char *string)
{
    add_bytes(t, string, strlen(string));
}
