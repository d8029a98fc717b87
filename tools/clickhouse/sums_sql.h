/* SPDX-License-Identifier: BSD-2-Clause */
/* The queries of sums.h, all in the format RowBinary. */
#ifndef TOOLS_CLICKHOUSE_SUMS_SQL_H
#define TOOLS_CLICKHOUSE_SUMS_SQL_H

#include "common/base/string_table.h"

/* Samples: a condition, and recordings, of which those from one to another. */
struct sums_choice {
    const char *database;
    const char *where;
    const struct string_table *recordings;
    size_t from;
    size_t to;
};

/* The recordings of which samples meet the condition. Those of the choice are not used.
 */
void sums_sql_recordings(struct text *sql, const struct sums_choice *choice);

/* Those that nothing but a loss has come of (fxtship), as samples of which only the
 * columns are known that the recording has. */
void sums_sql_lost_recordings(struct text *sql, const struct sums_choice *choice);

/* Process and thread (String), stack (FixedString(16)), samples and nanoseconds (Int64).
 */
void sums_sql_samples(struct text *sql, const struct sums_choice *choice);

/* Of all stacks of these samples: id, frames (Array(FixedString(16))), ending (String).
 * And of all their frames: id, name, module, build id, source file (String), line
 * (Int64), and whether it is inlined (UInt8). */
void sums_sql_stacks(struct text *sql, const struct sums_choice *choice);
void sums_sql_frames(struct text *sql, const struct sums_choice *choice);

/* The same of a set of ids, from one to another. */
void sums_sql_stacks_of(struct text *sql, const char *database,
                        const struct string_table *ids, size_t from, size_t to);
void sums_sql_frames_of(struct text *sql, const char *database,
                        const struct string_table *ids, size_t from, size_t to);

/* What the recordings lack, whatever the condition: a name, a kind that sentences with
 * other numbers share, and one of these (String); the sum of the values, and the number
 * of recordings (Int64). */
void sums_sql_losses(struct text *sql, const struct sums_choice *choice);

#endif
