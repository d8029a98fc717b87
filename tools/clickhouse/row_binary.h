/* SPDX-License-Identifier: BSD-2-Clause */
/* Values in ClickHouse's format RowBinary: little-endian, one after the other. */
#ifndef TOOLS_CLICKHOUSE_ROW_BINARY_H
#define TOOLS_CLICKHOUSE_ROW_BINARY_H

#include "common/base/text.h"
#include "tools/tables/sink.h"

void row_binary_u32(struct text *rows, uint32_t value);
void row_binary_u64(struct text *rows, uint64_t value);

/* The number of items of an array, or of bytes of a string. */
void row_binary_size(struct text *rows, uint64_t size);
void row_binary_string(struct text *rows, const void *bytes, size_t size);

/* The value of a column of a table, which may be null where the column may be. */
void row_binary_cell(struct text *rows, const struct column *column,
                     const struct cell *cell);

#endif
