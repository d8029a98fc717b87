/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A SQLite database that gets the rows of tables: a table_sink (tools/tables/sink.h).
 *
 * Integers are 64 bits, which SQLite takes for signed ones: those from 2^63 on are
 * negative. A list is a separate table, with a row for each item: a column of `stack`
 * that refers to `frame` becomes the table stack_frame, with stack_id, position and
 * frame_id.
 */
#ifndef TOOLS_SQLITE_DATABASE_H
#define TOOLS_SQLITE_DATABASE_H

#include <sqlite3.h>

#include "common/base/text.h"
#include "tools/tables/sink.h"

struct database {
    sqlite3 *db;
    /* Why it failed first; empty if it has not. */
    struct text why;
    /* Of the table whose rows come: what adds a row, and an item of its list. */
    sqlite3_stmt *insert_row;
    sqlite3_stmt *insert_item;
};

/* Opens a file, which is empty or new, or memory for NULL. Each of these functions
 * returns false on failure, after which only database_close may be called. */
bool database_open(struct database *database, const char *path);

/* What takes rows of tables. */
struct table_sink database_sink(struct database *database);

/* After all rows: adds views, and indexes if asked for, and writes what is in memory
 * still. */
bool database_finish(struct database *database, bool has_indexes);

/* Adds the SQL of all views. */
void database_add_views(struct text *sql);

/* Returns false if that fails, with the reason in `why` as before. */
bool database_close(struct database *database);

#endif
