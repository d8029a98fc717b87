/* SPDX-License-Identifier: BSD-2-Clause */
/* See query.h. */
#include "query.h"

#include <ctype.h>
#include <string.h>

#include "common/base/io/file.h"
#include "common/base/quote.h"
#include "queries_sql.h"
#include "tools/common/report.h"
#include "tools/fxtreport/names.h"

/* ---- Queries that have names ------------------------------------------------------- */

struct ready_query {
    const char *name;
    const char *const *lines;
    size_t n_lines;
};

#define QUERY(name, file)                                                                \
    {                                                                                    \
        (name), file##_sql, sizeof(file##_sql) / sizeof(file##_sql[0])                   \
    }

static const struct ready_query queries[] = {
    QUERY("counters", counters),     QUERY("cpus", cpus),
    QUERY("flame", flame),           QUERY("flows", flows),
    QUERY("latency", latency),       QUERY("losses", losses),
    QUERY("operations", operations), QUERY("slowest-spans", slowest_spans),
    QUERY("span-paths", span_paths), QUERY("span-self", span_self),
    QUERY("span-stats", span_stats), QUERY("thread-states", thread_states),
    QUERY("threads", threads),       QUERY("top-functions", top_functions),
    QUERY("wakeups", wakeups),
};

enum { N_QUERIES = sizeof(queries) / sizeof(queries[0]) };

/* Adds the SQL of a query, such as "slowest-spans". Returns false if there is none. */
static bool find_query(struct text *sql, const char *name)
{
    for (size_t i = 0; i < N_QUERIES; i++) {
        if (strcmp(name, queries[i].name) != 0)
            continue;
        for (size_t line = 0; line < queries[i].n_lines; line++)
            text_str(sql, queries[i].lines[line]);
        return true;
    }
    return false;
}

/* The first line of each file is a comment that says it. */
void queries_list(struct text *text)
{
    for (size_t i = 0; i < N_QUERIES; i++)
        text_printf(text, "@%-15s %s", queries[i].name,
                    queries[i].lines[0] + strlen("-- "));
}

/* ---- The text ---------------------------------------------------------------------- */

/* SQLite refuses longer ones. */
enum { QUERY_MAX = 1000000 };

bool query_take(struct query *query, const char *program, const char *sql)
{
    query->name = sql[0] == '@' ? sql : "query";
    if (sql[0] != '@') {
        text_str(&query->sql, sql);
    } else if (!find_query(&query->sql, sql + 1)) {
        return complain(program, NULL, "there is no query '%s': --queries lists all",
                        sql);
    }
    text_char(&query->sql, '\0');
    return true;
}

static bool read_file(struct query *query, struct file *file, struct text *why)
{
    uint64_t size = file_size(file);

    if (size > QUERY_MAX)
        return text_fail(why, "too large for a query");
    if (!file_read(file, 0, text_room(&query->sql, (size_t)size + 1), (size_t)size))
        return text_fail(why, "cannot be read");
    query->sql.size = (size_t)size;
    text_char(&query->sql, '\0');
    if (strlen(query->sql.data) < size)
        return text_fail(why, "is no text: it has a zero byte");
    return true;
}

bool query_read(struct query *query, const char *program, const char *path)
{
    struct text why = {NULL, 0, 0};
    struct file *file = file_open(path, &why);
    bool good = file != NULL && read_file(query, file, &why);

    query->name = path;
    if (file != NULL)
        file_close(file);
    if (!good)
        complain_text(program, path, &why);
    return good;
}

/* ---- What is wrong with it --------------------------------------------------------- */

/* Where SQLite found an error, in bytes; -1 if it does not say. */
static int error_offset(sqlite3 *db)
{
#if SQLITE_VERSION_NUMBER >= 3038000
    return sqlite3_error_offset(db);
#else
    (void)db;
    return -1;
#endif
}

/* A message about a place of the query, with its line and a mark below the place. */
static void complain_at(const struct query *query, const char *program, size_t offset,
                        const char *message)
{
    const char *line = query->sql.data;
    const char *place = line + offset;
    struct text text = {NULL, 0, 0};
    size_t n_line = 1;
    size_t start;
    size_t width;

    for (const char *at = line; at < place; at++) {
        if (*at != '\n')
            continue;
        line = at + 1;
        n_line++;
    }
    quote_text(&text, message, strlen(message));
    text_str(&text, "\n    ");
    start = text.size;
    quote_text(&text, line, (size_t)(place - line));
    width = place > line ? names_columns(text.data + start, text.size - start) : 0;
    quote_text(&text, place, strcspn(place, "\n"));
    text_printf(&text, "\n    %*s^", (int)width, "");
    complain_text(
        program,
        text_format("%s:%zu:%zu", query->name, n_line, (size_t)(place - line) + 1),
        &text);
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Where the name is that a message ends in, as in "no such table: slices"; -1 if it is
 * nowhere as a whole word. */
static int find_name(const struct query *query, const char *message)
{
    const char *name = strstr(message, ": ");
    const char *sql = query->sql.data;
    const char *at = sql;
    size_t size;

    if (name == NULL || name[2] == '\0')
        return -1;
    name += strlen(": ");
    size = strlen(name);
    while ((at = strstr(at, name)) != NULL) {
        if (!is_of_name(at[size]) && (at == sql || !is_of_name(at[-1])))
            return (int)(at - sql);
        at++;
    }
    return -1;
}

static void complain_of_writing(const struct query *query, const char *program)
{
    complain(program, query->name, "a query can only read these tables");
}

void query_complain(const struct query *query, const char *program, sqlite3 *db)
{
    const char *message = sqlite3_errmsg(db);
    int offset = error_offset(db);

    if (sqlite3_errcode(db) == SQLITE_AUTH) {
        complain_of_writing(query, program);
        return;
    }
    if (offset < 0)
        offset = find_name(query, message);
    if (offset >= 0 && (size_t)offset < query->sql.size)
        complain_at(query, program, (size_t)offset, message);
    else
        complain(program, query->name, "%s", message);
}

/* ---- Preparing --------------------------------------------------------------------- */

/* What only reads this database. */
static int allow_reading(void *context, int action, const char *first, const char *second,
                         const char *database, const char *trigger)
{
    (void)context, (void)first, (void)second, (void)database, (void)trigger;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    default:
        return SQLITE_DENY;
    }
}

/* Whether there is nothing after a query but comments and semicolons; stores where it
 * begins, if there is something. */
static bool is_all(sqlite3 *db, const char *rest, const char **more)
{
    sqlite3_stmt *next = NULL;
    bool is_nothing = true;

    while (is_nothing && rest[0] != '\0') {
        *more = rest + strspn(rest, "; \t\r\n");
        is_nothing =
            sqlite3_prepare_v2(db, rest, -1, &next, &rest) == SQLITE_OK && next == NULL;
        sqlite3_finalize(next);
    }
    return is_nothing;
}

sqlite3_stmt *query_prepare(const struct query *query, const char *program, sqlite3 *db)
{
    sqlite3_stmt *statement = NULL;
    const char *sql = query->sql.data;
    const char *rest = sql;

    sqlite3_set_authorizer(db, allow_reading, NULL);
    if (sqlite3_prepare_v2(db, sql, -1, &statement, &rest) != SQLITE_OK)
        query_complain(query, program, db);
    else if (statement == NULL)
        complain(program, query->name, "there is no query in it");
    else if (sqlite3_stmt_readonly(statement) == 0)
        complain_of_writing(query, program);
    else if (!is_all(db, rest, &rest))
        complain_at(query, program, (size_t)(rest - sql),
                    "only one query can be run at a time");
    else
        return statement;
    sqlite3_finalize(statement);
    return NULL;
}
