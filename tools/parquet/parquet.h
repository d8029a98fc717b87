/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a table as a file in Apache Parquet, the columnar format that databases and data
 * lakes read. From its specification (parquet-format): pages of version 1, lists with
 * three levels, and no encoding that is not in all usual readers.
 *
 *     file = parquet_create(table, output, PARQUET_GZIP);
 *     parquet_add_row(file, cells);     for each row
 *     parquet_end(file);
 *
 * Rows are held in memory until a row group is full: about PARQUET_GROUP_BYTES.
 */
#ifndef PARQUET_PARQUET_H
#define PARQUET_PARQUET_H

#include "codec.h"
#include "common/base/io/output.h"
#include "tools/tables/sink.h"

enum { PARQUET_GROUP_BYTES = 1 << 26, PARQUET_GROUP_ROWS = 1 << 18 };

struct parquet_file;

/* The table must remain, and the output until parquet_end. Failures to write are the
 * output's. The codec must be there. */
struct parquet_file *parquet_create(const struct table_info *table, struct output *output,
                                    enum parquet_codec codec);

/* As many cells as the table has columns. */
void parquet_add_row(struct parquet_file *file, const struct cell *cells);

/* Writes the rest and frees the file, but not the output, which is to be closed. */
void parquet_end(struct parquet_file *file);

#endif
