/* SPDX-License-Identifier: BSD-2-Clause */
/* Structs in Thrift's compact protocol, of which Parquet's metadata is made. Fields are
 * added in the order of their ids, which the specification of Parquet has
 * (parquet.thrift). */
#ifndef PARQUET_THRIFT_H
#define PARQUET_THRIFT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/text.h"

/* What items of a list may be. */
enum thrift_type { THRIFT_I32 = 5, THRIFT_BINARY = 8, THRIFT_STRUCT = 12 };

enum { THRIFT_DEPTH_MAX = 8 };

struct thrift {
    struct text *to;
    /* The last field of each struct that has begun. */
    int fields[THRIFT_DEPTH_MAX];
    int depth;
};

/* A struct that is no field: all of the data, or an item of a list. */
void thrift_begin(struct thrift *thrift);
void thrift_begin_field(struct thrift *thrift, int field);
/* Ends the struct that began last. */
void thrift_end(struct thrift *thrift);

void thrift_bool(struct thrift *thrift, int field, bool value);
void thrift_i8(struct thrift *thrift, int field, int value);
/* Enumerations, too. */
void thrift_i32(struct thrift *thrift, int field, int32_t value);
void thrift_i64(struct thrift *thrift, int field, int64_t value);
void thrift_binary(struct thrift *thrift, int field, const void *bytes, size_t size);
void thrift_string(struct thrift *thrift, int field, const char *string);
/* A struct without fields, which says that it is there. */
void thrift_mark(struct thrift *thrift, int field);

/* A list of n items, which follow: structs by thrift_begin, and others by these. */
void thrift_list(struct thrift *thrift, int field, enum thrift_type type, size_t n);
void thrift_item_i32(struct thrift *thrift, int32_t value);
void thrift_item_string(struct thrift *thrift, const char *string);

#endif
