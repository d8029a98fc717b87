/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of directories that engines read as columns, as Hive has them: host=web1/date=...
 */
#ifndef FXT2PARQUET_PARTITION_H
#define FXT2PARQUET_PARTITION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/text.h"

/* What the column of a table is called that tells recordings apart. */
extern const char partition_recording[];

/* What is wrong with KEY=VALUE, or KEY alone if the trace has its value; or NULL. */
const char *partition_check(const char *partition);

/* Whether two are of one column, as engines see it: without regard to case. */
bool partition_is_same(const char *partition, const char *other);

/* Adds "KEY=VALUE/", with the date of a time in nanoseconds since the Unix epoch for
 * "date" alone; 0 is unknown. */
void partition_add(struct text *path, const char *partition, uint64_t time_ns);

#endif
