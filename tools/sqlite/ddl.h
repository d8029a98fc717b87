/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables as SQL: what creates them, and what adds rows. */
#ifndef TOOLS_SQLITE_DDL_H
#define TOOLS_SQLITE_DDL_H

#include "common/base/text.h"
#include "tools/tables/sink.h"

/* The column that is a list, of which a table has at most one; or NULL. */
const struct column *ddl_list(const struct table_info *table);

/* Each adds one statement, without a semicolon, for a table. The columns have their
 * meanings as comments, which .schema shows. */
void ddl_create_table(struct text *sql, const struct table_info *table);
void ddl_insert_row(struct text *sql, const struct table_info *table);

/* The same of the table with the items of its list. */
void ddl_create_items(struct text *sql, const struct table_info *table);
void ddl_insert_item(struct text *sql, const struct table_info *table);

#endif
