/* SPDX-License-Identifier: BSD-2-Clause */
/* A query: where its text comes from, and what is wrong with it. */
#ifndef FXTQUERY_QUERY_H
#define FXTQUERY_QUERY_H

#include <sqlite3.h>
#include <stdbool.h>

#include "common/base/text.h"

struct query {
    /* What messages are about: a file, "@name", or "query". */
    const char *name;
    struct text sql;
};

/* Takes a query as SQL or, with an @, by its name; or what is in a file. Each returns
 * false after a message. */
bool query_take(struct query *query, const char *program, const char *sql);
bool query_read(struct query *query, const char *program, const char *path);

/* Prepares it to be run once, on a database that it can only read. NULL after a message,
 * with the line and column of what is wrong. */
sqlite3_stmt *query_prepare(const struct query *query, const char *program, sqlite3 *db);

/* Says why a prepared one failed. */
void query_complain(const struct query *query, const char *program, sqlite3 *db);

/* Adds a line for each query that has a name, those of the files in queries/, with what
 * it is about. */
void queries_list(struct text *text);

#endif
