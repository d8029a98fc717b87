/* SPDX-License-Identifier: BSD-2-Clause */
/* See ddl.h. */
#include "ddl.h"

#include <string.h>

static const char *type_word(enum column_type type)
{
    switch (type) {
    case COLUMN_INT64:
    case COLUMN_TIME:
    case COLUMN_UINT64:
    case COLUMN_BOOL:
        return "INTEGER";
    case COLUMN_DOUBLE:
        return "REAL";
    case COLUMN_STRING:
        return "TEXT";
    case COLUMN_BLOB:
    case COLUMN_HASH:
    case COLUMN_HASH_LIST:
        return "BLOB";
    }
    return "";
}

const struct column *ddl_list(const struct table_info *table)
{
    for (size_t i = 0; i < table->n_columns; i++) {
        if (table->columns[i].type == COLUMN_HASH_LIST)
            return &table->columns[i];
    }
    return NULL;
}

/* ---- Tables ------------------------------------------------------------------------ */

static void add_column(struct text *sql, const struct table_info *table, size_t i,
                       bool is_last)
{
    const struct column *column = &table->columns[i];
    bool is_key = i == 0 && table->n_key_columns == 1;

    text_printf(sql, "  \"%s\" %s%s%s%s -- %s\n", column->name, type_word(column->type),
                column->is_nullable ? "" : " NOT NULL", is_key ? " PRIMARY KEY" : "",
                is_last ? "" : ",", column->meaning);
}

/* A table whose key is a hash is stored by that. */
void ddl_create_table(struct text *sql, const struct table_info *table)
{
    bool is_by_hash = table->n_key_columns == 1 && table->columns[0].type == COLUMN_HASH;
    size_t last = table->n_columns - 1;

    while (table->columns[last].type == COLUMN_HASH_LIST)
        last--;
    text_printf(sql, "CREATE TABLE \"%s\" ( -- %s\n", table->name, table->meaning);
    for (size_t i = 0; i < table->n_columns; i++) {
        if (table->columns[i].type != COLUMN_HASH_LIST)
            add_column(sql, table, i, i == last);
    }
    text_str(sql, is_by_hash ? ") WITHOUT ROWID" : ")");
}

void ddl_insert_row(struct text *sql, const struct table_info *table)
{
    const char *separator = "";

    text_printf(sql, "INSERT INTO \"%s\" VALUES (", table->name);
    for (size_t i = 0; i < table->n_columns; i++) {
        if (table->columns[i].type == COLUMN_HASH_LIST)
            continue;
        text_printf(sql, "%s?%zu", separator, i + 1);
        separator = ", ";
    }
    text_char(sql, ')');
}

/* ---- Lists ------------------------------------------------------------------------- */

/* The size of the name of the table that items refer to. */
static int item_size(const struct column *list)
{
    return (int)strcspn(list->refers, ".");
}

void ddl_create_items(struct text *sql, const struct table_info *table)
{
    const struct column *list = ddl_list(table);
    int size = item_size(list);

    text_printf(sql,
                "CREATE TABLE \"%s_%.*s\" ( -- %s.%s: %s\n"
                "  \"%s_id\" BLOB NOT NULL,\n"
                "  \"position\" INTEGER NOT NULL, -- From 0 on\n"
                "  \"%.*s_id\" BLOB NOT NULL,\n"
                "  PRIMARY KEY (\"%s_id\", \"position\")\n"
                ") WITHOUT ROWID",
                table->name, size, list->refers, table->name, list->name, list->meaning,
                table->name, size, list->refers, table->name);
}

void ddl_insert_item(struct text *sql, const struct table_info *table)
{
    const struct column *list = ddl_list(table);

    text_printf(sql, "INSERT INTO \"%s_%.*s\" VALUES (?1, ?2, ?3)", table->name,
                item_size(list), list->refers);
}
