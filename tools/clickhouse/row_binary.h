/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values in ClickHouse's format RowBinary: one after the other, numbers little-endian,
 * and numbers of items and bytes as varints.
 */
#ifndef TOOLS_CLICKHOUSE_ROW_BINARY_H
#define TOOLS_CLICKHOUSE_ROW_BINARY_H

#include "common/base/binary.h"
#include "common/base/string_table.h"
#include "tools/tables/sink.h"

/* Bytes after their number. */
void row_binary_string(struct text *rows, const void *bytes, size_t size);

/* The value of a column of a table, which may be null where the column may be. */
void row_binary_cell(struct text *rows, const struct column *column,
                     const struct cell *cell);

/* ---- Reading ----------------------------------------------------------------------- */

/* Rows that a server has sent, which may be anything: what is not there is 0 or empty,
 * and is_bad from then on. */
struct row_reader {
    const char *at;
    const char *end;
    bool is_bad;
};

/* The next bytes, of which there are as many; or NULL. */
const char *row_reader_bytes(struct row_reader *reader, uint64_t size);
uint64_t row_reader_varint(struct row_reader *reader);
int64_t row_reader_int64(struct row_reader *reader);
struct string row_reader_string(struct row_reader *reader);

#endif
