/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where rows of tables go: a database, or files in a columnar format. A sink learns what
 * there is from the descriptions of tables, and needs to know neither FXT nor profiles.
 *
 * Rows come a table at a time, in the order of schema_tables, so that a sink has one
 * table open and holds as many of its rows as it likes to write together:
 *
 *     begin_table(sample) row(sample) row(sample) ... end_table(sample) begin_table(...)
 *
 * Every table is begun and ended once, also one without rows. What a sink is given is
 * valid until its function returns, but descriptions, which are constant. All strings are
 * valid UTF-8 without a NUL. A function that returns false ends everything: the sink
 * keeps the reason, and no function is called any more.
 */
#ifndef TOOLS_TABLES_SINK_H
#define TOOLS_TABLES_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum column_type {
    COLUMN_INT64,
    /* Nanoseconds since the Unix epoch, in `int64`; if the wall clock is not known, of
     * the trace's clock. */
    COLUMN_TIME,
    COLUMN_UINT64,
    COLUMN_DOUBLE,
    /* 0 or 1, in `int64`. */
    COLUMN_BOOL,
    COLUMN_STRING,
    COLUMN_BLOB,
    /* HASH_BYTES bytes, and a list of such, one after the other: ids that are equal
     * wherever the contents are. */
    COLUMN_HASH,
    COLUMN_HASH_LIST
};

enum { HASH_BYTES = 16 };

struct column {
    const char *name;
    enum column_type type;
    bool is_nullable;
    /* "thread.utid": its values are those of that column; or NULL. Of a list, its items
     * are. */
    const char *refers;
    /* A sentence without a full stop. */
    const char *meaning;
};

struct table_info {
    const char *name;
    /* How many of the first columns tell each row from the others; 0 if none do. */
    size_t n_key_columns;
    /* The rows are equal on every machine that has them: the first is enough. */
    bool is_shared;
    const struct column *columns;
    size_t n_columns;
    const char *meaning;
};

/* A value; which member counts follows from the type of its column. */
struct cell {
    bool is_null;
    union {
        int64_t int64;
        uint64_t uint64;
        double real;
        /* A string, a blob, a hash; of a list, n_bytes / HASH_BYTES hashes. */
        struct {
            const void *bytes;
            size_t n_bytes;
        };
    };
};

struct table_sink {
    bool (*begin_table)(void *context, const struct table_info *table);
    /* As many cells as the table has columns, in their order. */
    bool (*row)(void *context, const struct table_info *table, const struct cell *cells);
    bool (*end_table)(void *context, const struct table_info *table);
    void *context;
};

#endif
