/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of a ClickHouse database, as SQL that servers from 18.16 on take.
 *
 * Rows are stored in NAME_rows, whose engine, ReplacingMergeTree, keeps the last one of
 * equal keys when it merges; the view NAME has each key once at any time. A key can be
 * made again: what has been sent twice counts once, however late.
 *
 *     table             before its own columns        key
 *     recording         all of these                  recording
 *     frame, stack      none                          id
 *     all others        recording, row, time          recording, row
 *
 * In a cluster rows are stored in NAME_local of each shard, and NAME_rows is Distributed.
 */
#ifndef TOOLS_CLICKHOUSE_DDL_H
#define TOOLS_CLICKHOUSE_DDL_H

#include "common/base/text.h"
#include "tools/tables/sink.h"

struct ddl_place {
    /* Only letters, digits and underscores, not empty: see ddl_is_name. */
    const char *database;
    /* Also - and dots; or NULL. */
    const char *cluster;
};

/* Whether a name is of letters, digits and underscores, and of the characters of `also`,
 * and not longer than names of files. */
bool ddl_is_name(const char *name, const char *also);

/* Calls `run` for each statement, without a semicolon, that creates what does not exist;
 * ends and returns false if it does. */
typedef bool ddl_fn(void *context, const char *statement);
bool ddl_create(const struct ddl_place *place, ddl_fn *run, void *context);

/* The statement after which rows of a table come in RowBinary; of the table of
 * recordings for NULL. */
void ddl_insert(struct text *sql, const char *database, const struct table_info *table);

#endif
