/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values in ClickHouse's format RowBinary: one after the other, numbers little-endian,
 * and numbers of items and bytes as varints.
 */
#ifndef TOOLS_CLICKHOUSE_ROW_BINARY_H
#define TOOLS_CLICKHOUSE_ROW_BINARY_H

#include "common/base/binary.h"
#include "tools/tables/sink.h"

/* Bytes after their number. */
void row_binary_string(struct text *rows, const void *bytes, size_t size);

/* The value of a column of a table, which may be null where the column may be. */
void row_binary_cell(struct text *rows, const struct column *column,
                     const struct cell *cell);

#endif
