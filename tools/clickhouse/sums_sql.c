/* SPDX-License-Identifier: BSD-2-Clause */
/* See sums_sql.h. */
#include "sums_sql.h"

/* Samples of running code, and of heaps none, with what is known of their recordings.
 * Conditions on columns of `sample` stand beside the table, so that parts that they leave
 * out are not read. */
static void add_chosen(struct text *sql, const char *database, const char *where)
{
    text_printf(sql,
                "`%s`.`sample_rows` FINAL GLOBAL ANY LEFT JOIN (SELECT recording, host, "
                "`labels.name`, `labels.value` FROM `%s`.`recording_rows` FINAL) USING "
                "(recording) "
                "WHERE isNotNull(ts) AND (%s\n)",
                database, database, where);
}

/* Of the recordings that these samples are of only. */
static void add_side(struct text *sql, const char *database, const char *where,
                     const char *columns, const char *table)
{
    text_printf(
        sql,
        " GLOBAL ANY LEFT JOIN (SELECT recording, %s FROM `%s`.`%s_rows` FINAL WHERE "
        "recording GLOBAL IN (SELECT recording FROM ",
        columns, database, table);
    add_chosen(sql, database, where);
    text_str(sql, " GROUP BY recording))");
}

void sums_sql_samples(struct text *sql, const char *database, const char *where)
{
    text_str(
        sql,
        "SELECT process_name, thread_name, stack_id, toInt64(sum(n)) AS samples, "
        "toInt64(sum(ns)) AS times FROM (SELECT recording, process, thread_name, "
        "stack_id, n, ns FROM (SELECT recording, ifNull(utid, -1) AS thread, stack_id, "
        "sum(count) AS n, sum(if(ifNull(unit, '') = 'nanoseconds', ifNull(value, 0), 0)) "
        "AS ns FROM ");
    add_chosen(sql, database, where);
    text_str(sql, " GROUP BY recording, thread, stack_id)");
    add_side(
        sql, database, where,
        "utid AS thread, ifNull(upid, -1) AS process, if(ifNull(name, '') = '', "
        "concat('thread ', toString(ifNull(tid, 0))), ifNull(name, '')) AS thread_name",
        "thread");
    text_str(sql, " USING (recording, thread))");
    add_side(
        sql, database, where,
        "upid AS process, if(ifNull(name, '') = '', concat('process ', toString(pid)), "
        "ifNull(name, '')) AS process_name",
        "process");
    text_str(sql,
             " USING (recording, process) GROUP BY process_name, thread_name, stack_id "
             "ORDER BY process_name, thread_name, stack_id FORMAT RowBinary");
    text_char(sql, '\0');
}

static void add_ids(struct text *sql, const struct string_table *ids, size_t from,
                    size_t to)
{
    text_str(sql, " WHERE id IN (");
    for (size_t i = from; i < to; i++) {
        struct string id = string_table_get(ids, (uint32_t)i);

        text_str(sql, i > from ? ",unhex('" : "unhex('");
        text_hex_bytes(sql, id.data, id.size);
        text_str(sql, "')");
    }
    text_str(sql, ") FORMAT RowBinary");
    text_char(sql, '\0');
}

void sums_sql_stacks(struct text *sql, const char *database,
                     const struct string_table *ids, size_t from, size_t to)
{
    text_printf(sql, "SELECT id, frames, ifNull(ending, '') FROM `%s`.`stack_rows`",
                database);
    add_ids(sql, ids, from, to);
}

void sums_sql_frames(struct text *sql, const char *database,
                     const struct string_table *ids, size_t from, size_t to)
{
    text_printf(sql, "SELECT id, name FROM `%s`.`frame_rows`", database);
    add_ids(sql, ids, from, to);
}
