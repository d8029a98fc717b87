/* SPDX-License-Identifier: BSD-2-Clause */
/* The queries of sums.h, all in the format RowBinary. */
#ifndef TOOLS_CLICKHOUSE_SUMS_SQL_H
#define TOOLS_CLICKHOUSE_SUMS_SQL_H

#include "common/base/string_table.h"

/* Process and thread (String), stack (FixedString(16)), samples and nanoseconds (Int64).
 */
void sums_sql_samples(struct text *sql, const char *database, const char *where);

/* Of the stacks and frames in a set of ids, from one number to another: id, frames
 * (Array(FixedString(16))) and ending (String); and id and name. */
void sums_sql_stacks(struct text *sql, const char *database,
                     const struct string_table *ids, size_t from, size_t to);
void sums_sql_frames(struct text *sql, const char *database,
                     const struct string_table *ids, size_t from, size_t to);

#endif
