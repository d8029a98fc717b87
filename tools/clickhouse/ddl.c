/* SPDX-License-Identifier: BSD-2-Clause */
/* See ddl.h. */
#include "ddl.h"

#include <string.h>

#include "tools/tables/schema.h"

enum { NAME_MAX_BYTES = 64 };

bool ddl_is_name(const char *name, const char *also)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_";
    size_t size = strlen(name);

    for (size_t i = 0; i < size; i++) {
        if (strchr(letters, name[i]) == NULL && strchr(also, name[i]) == NULL)
            return false;
    }
    return size > 0 && size <= NAME_MAX_BYTES;
}

/* ---- Columns ----------------------------------------------------------------------- */

static const char *type_word(enum column_type type)
{
    switch (type) {
    case COLUMN_INT64:
    case COLUMN_TIME:
        return "Int64";
    case COLUMN_UINT64:
        return "UInt64";
    case COLUMN_DOUBLE:
        return "Float64";
    case COLUMN_BOOL:
        return "UInt8";
    case COLUMN_STRING:
    case COLUMN_BLOB:
        return "String";
    case COLUMN_HASH:
        return "FixedString(16)";
    case COLUMN_HASH_LIST:
        return "Array(FixedString(16))";
    }
    return "";
}

/* The recordings: the columns, the types, the key. */
static const char recording_columns[] = "  `recording` FixedString(16),\n"
                                        "  `time` DateTime('UTC'),\n"
                                        "  `host` String,\n"
                                        "  `labels.name` Array(String),\n"
                                        "  `labels.value` Array(String),\n"
                                        "  `rows` UInt64\n";

static void add_columns(struct text *sql, const struct table_info *table)
{
    if (table == NULL) {
        text_str(sql, recording_columns);
        return;
    }
    if (!table->is_shared)
        text_str(sql, "  `recording` FixedString(16),\n"
                      "  `row` UInt64,\n"
                      "  `time` DateTime('UTC'),\n");
    for (size_t i = 0; i < table->n_columns; i++) {
        const struct column *column = &table->columns[i];
        const char *type = type_word(column->type);

        text_printf(sql,
                    column->is_nullable ? "  `%s` Nullable(%s)%s\n" : "  `%s` %s%s\n",
                    column->name, type, i + 1 < table->n_columns ? "," : "");
    }
}

static const char *key_of(const struct table_info *table)
{
    if (table == NULL)
        return "recording";
    return table->is_shared ? table->columns[0].name : "recording, row";
}

static const char *name_of(const struct table_info *table)
{
    return table != NULL ? table->name : "recording";
}

/* ---- Statements -------------------------------------------------------------------- */

/* Both copies of a row that is sent twice have the same time, and are in one partition:
 * only there rows are merged. */
static void add_engine(struct text *sql, const struct ddl_place *place,
                       const struct table_info *table)
{
    if (place->cluster != NULL)
        text_printf(sql,
                    "ENGINE = ReplicatedReplacingMergeTree("
                    "'/clickhouse/tables/{shard}/%s/%s_local', '{replica}')\n",
                    place->database, name_of(table));
    else
        text_str(sql, "ENGINE = ReplacingMergeTree()\n");
    if (table == NULL || !table->is_shared)
        text_str(sql, "PARTITION BY toDate(time, 'UTC')\n");
    text_printf(sql, "ORDER BY (%s)", key_of(table));
}

/* "CREATE TABLE IF NOT EXISTS `fxt`.`sample_rows`" */
static void add_create(struct text *sql, const struct ddl_place *place, const char *what,
                       const char *name, const char *suffix)
{
    text_printf(sql, "CREATE %s IF NOT EXISTS `%s`", what, place->database);
    if (name != NULL)
        text_printf(sql, ".`%s%s`", name, suffix);
    if (place->cluster != NULL)
        text_printf(sql, " ON CLUSTER `%s`", place->cluster);
}

static bool run_and_empty(struct text *sql, ddl_fn *run, void *context)
{
    bool good;

    text_char(sql, '\0');
    good = run(context, sql->data);
    sql->size = 0;
    return good;
}

/* Where rows are stored. */
static bool create_stored(struct text *sql, const struct ddl_place *place,
                          const struct table_info *table, ddl_fn *run, void *context)
{
    add_create(sql, place, "TABLE", name_of(table),
               place->cluster != NULL ? "_local" : "_rows");
    text_str(sql, " (\n");
    add_columns(sql, table);
    text_str(sql, ")\n");
    add_engine(sql, place, table);
    return run_and_empty(sql, run, context);
}

/* What spreads rows over shards: those with equal keys to the same one. */
static bool create_distributed(struct text *sql, const struct ddl_place *place,
                               const struct table_info *table, ddl_fn *run, void *context)
{
    const char *name = name_of(table);
    bool is_shared = table != NULL && table->is_shared;

    if (place->cluster == NULL)
        return true;
    add_create(sql, place, "TABLE", name, "_rows");
    text_printf(sql,
                " AS `%s`.`%s_local`\n"
                "ENGINE = Distributed('%s', '%s', '%s_local', cityHash64(%s))",
                place->database, name, place->cluster, place->database, name,
                is_shared ? key_of(table) : "recording");
    return run_and_empty(sql, run, context);
}

static bool create_view(struct text *sql, const struct ddl_place *place,
                        const struct table_info *table, ddl_fn *run, void *context)
{
    add_create(sql, place, "VIEW", name_of(table), "");
    text_printf(sql, " AS\nSELECT * FROM `%s`.`%s_rows` FINAL", place->database,
                name_of(table));
    return run_and_empty(sql, run, context);
}

static bool create_table(struct text *sql, const struct ddl_place *place,
                         const struct table_info *table, ddl_fn *run, void *context)
{
    return create_stored(sql, place, table, run, context) &&
           create_distributed(sql, place, table, run, context) &&
           create_view(sql, place, table, run, context);
}

bool ddl_create(const struct ddl_place *place, ddl_fn *run, void *context)
{
    struct text sql = {NULL, 0, 0};
    bool good;

    add_create(&sql, place, "DATABASE", NULL, NULL);
    good = run_and_empty(&sql, run, context) &&
           create_table(&sql, place, NULL, run, context);
    for (int i = 0; good && i < SCHEMA_TABLES; i++)
        good = create_table(&sql, place, &schema_tables[i], run, context);
    return good;
}

void ddl_insert(struct text *sql, const char *database, const struct table_info *table)
{
    const char *separator = "";

    text_printf(sql, "INSERT INTO `%s`.`%s_rows` (", database, name_of(table));
    if (table == NULL)
        text_str(sql,
                 "`recording`, `time`, `host`, `labels.name`, `labels.value`, `rows`");
    else if (!table->is_shared)
        text_str(sql, "`recording`, `row`, `time`, ");
    for (size_t i = 0; table != NULL && i < table->n_columns; i++) {
        text_printf(sql, "%s`%s`", separator, table->columns[i].name);
        separator = ", ";
    }
    text_str(sql, ") FORMAT RowBinary");
}
