/* SPDX-License-Identifier: BSD-2-Clause */
/* See database.h. */
#include "database.h"

#include <limits.h>

#include "ddl.h"
#include "sqlite_views.h"
#include "tools/tables/schema.h"

static bool fail(struct database *d)
{
    if (d->why.size == 0)
        text_str(&d->why, sqlite3_errmsg(d->db));
    return false;
}

static bool run_sql(struct database *d, const char *sql)
{
    return sqlite3_exec(d->db, sql, NULL, NULL, NULL) == SQLITE_OK || fail(d);
}

/* Frees the text, too. */
static bool run_text(struct database *d, struct text *sql)
{
    bool good;

    text_char(sql, '\0');
    good = run_sql(d, sql->data);
    text_free(sql);
    return good;
}

/* ---- Opening ----------------------------------------------------------------------- */

/* A file that is not whole is removed: there is no journal to repair it by, and pages are
 * written as they leave the cache. */
bool database_open(struct database *d, const char *path)
{
    const char *name = path != NULL ? path : ":memory:";

    *d = (struct database){.db = NULL};
    if (sqlite3_open_v2(name, &d->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK)
        return fail(d);
    return run_sql(d, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                      "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -65536;"
                      "BEGIN");
}

/* ---- Tables ------------------------------------------------------------------------ */

typedef void ddl_fn(struct text *sql, const struct table_info *table);

static bool create(struct database *d, ddl_fn *make, const struct table_info *table)
{
    struct text sql = {NULL, 0, 0};

    make(&sql, table);
    return run_text(d, &sql);
}

static bool prepare(struct database *d, ddl_fn *make, const struct table_info *table,
                    sqlite3_stmt **statement)
{
    struct text sql = {NULL, 0, 0};
    bool good;

    make(&sql, table);
    good = sqlite3_prepare_v2(d->db, sql.data, (int)sql.size, statement, NULL) ==
               SQLITE_OK ||
           fail(d);
    text_free(&sql);
    return good;
}

static bool begin_table(void *context, const struct table_info *table)
{
    struct database *d = (struct database *)context;

    if (!create(d, ddl_create_table, table) ||
        !prepare(d, ddl_insert_row, table, &d->insert_row))
        return false;
    return ddl_list(table) == NULL ||
           (create(d, ddl_create_items, table) &&
            prepare(d, ddl_insert_item, table, &d->insert_item));
}

static void end_statements(struct database *d)
{
    sqlite3_finalize(d->insert_row);
    sqlite3_finalize(d->insert_item);
    d->insert_row = NULL;
    d->insert_item = NULL;
}

static bool end_table(void *context, const struct table_info *table)
{
    (void)table;
    end_statements((struct database *)context);
    return true;
}

/* ---- Rows -------------------------------------------------------------------------- */

/* No bytes at NULL would be a null. */
static const void *bytes_of(const struct cell *cell)
{
    return cell->bytes != NULL ? cell->bytes : "";
}

static int bind_cell(sqlite3_stmt *statement, int at, enum column_type type,
                     const struct cell *cell)
{
    if (cell->is_null)
        return sqlite3_bind_null(statement, at);
    switch (type) {
    case COLUMN_INT64:
    case COLUMN_TIME:
    case COLUMN_BOOL:
        return sqlite3_bind_int64(statement, at, cell->int64);
    case COLUMN_UINT64:
        return sqlite3_bind_int64(statement, at, (sqlite3_int64)cell->uint64);
    case COLUMN_DOUBLE:
        return sqlite3_bind_double(statement, at, cell->real);
    case COLUMN_STRING:
        return sqlite3_bind_text64(statement, at, (const char *)bytes_of(cell),
                                   cell->n_bytes, SQLITE_STATIC, SQLITE_UTF8);
    case COLUMN_BLOB:
    case COLUMN_HASH:
        return sqlite3_bind_blob64(statement, at, bytes_of(cell), cell->n_bytes,
                                   SQLITE_STATIC);
    case COLUMN_HASH_LIST:
        break;
    }
    return SQLITE_OK;
}

static bool step(struct database *d, sqlite3_stmt *statement)
{
    return (sqlite3_step(statement) == SQLITE_DONE &&
            sqlite3_reset(statement) == SQLITE_OK) ||
           fail(d);
}

static bool add_items(struct database *d, const struct cell *key, const struct cell *list)
{
    const char *items = (const char *)list->bytes;
    sqlite3_stmt *s = d->insert_item;

    for (size_t i = 0; i < list->n_bytes / HASH_BYTES; i++) {
        if (sqlite3_bind_blob64(s, 1, key->bytes, key->n_bytes, SQLITE_STATIC) !=
                SQLITE_OK ||
            sqlite3_bind_int64(s, 2, (sqlite3_int64)i) != SQLITE_OK ||
            sqlite3_bind_blob64(s, 3, items + i * HASH_BYTES, HASH_BYTES,
                                SQLITE_STATIC) != SQLITE_OK)
            return fail(d);
        if (!step(d, s))
            return false;
    }
    return true;
}

static bool add_row(void *context, const struct table_info *table,
                    const struct cell *cells)
{
    struct database *d = (struct database *)context;

    for (size_t i = 0; i < table->n_columns; i++) {
        enum column_type type = table->columns[i].type;

        if (type == COLUMN_HASH_LIST) {
            if (!add_items(d, &cells[0], &cells[i]))
                return false;
        } else if (bind_cell(d->insert_row, (int)i + 1, type, &cells[i]) != SQLITE_OK) {
            return fail(d);
        }
    }
    return step(d, d->insert_row);
}

struct table_sink database_sink(struct database *d)
{
    return (struct table_sink){begin_table, add_row, end_table, d};
}

/* ---- The end ----------------------------------------------------------------------- */

static void add_lines(struct text *sql, const char *const *lines, size_t n)
{
    for (size_t i = 0; i < n; i++)
        text_str(sql, lines[i]);
}

void database_add_views(struct text *sql)
{
    add_lines(sql, views_sql, sizeof(views_sql) / sizeof(views_sql[0]));
}

bool database_finish(struct database *d, bool has_indexes)
{
    struct text sql = {NULL, 0, 0};

    text_printf(&sql, "PRAGMA user_version = %d;\n", SCHEMA_VERSION);
    database_add_views(&sql);
    if (has_indexes)
        add_lines(&sql, indexes_sql, sizeof(indexes_sql) / sizeof(indexes_sql[0]));
    text_str(&sql, "COMMIT");
    return run_text(d, &sql);
}

bool database_close(struct database *d)
{
    bool good = true;

    end_statements(d);
    if (d->db != NULL && sqlite3_close(d->db) != SQLITE_OK)
        good = fail(d);
    d->db = NULL;
    return good;
}
