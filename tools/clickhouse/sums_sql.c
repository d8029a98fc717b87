/* SPDX-License-Identifier: BSD-2-Clause */
/* See sums_sql.h. */
#include "sums_sql.h"

static void add_ids(struct text *sql, const struct string_table *ids, size_t from,
                    size_t to)
{
    text_str(sql, " IN (");
    for (size_t i = from; i < to; i++) {
        struct string id = string_table_get(ids, (uint32_t)i);

        text_str(sql, i > from ? ",unhex('" : "unhex('");
        text_hex_bytes(sql, id.data, id.size);
        text_str(sql, "')");
    }
    text_char(sql, ')');
}

/* As literals, by which a table finds its parts; subqueries would be read again for each
 * table. */
static void add_recordings(struct text *sql, const struct sums_choice *c)
{
    text_str(sql, "recording");
    add_ids(sql, c->recordings, c->from, c->to);
}

static void end_sql(struct text *sql)
{
    text_str(sql, " FORMAT RowBinary");
    text_char(sql, '\0');
}

static void add_condition(struct text *sql, const struct sums_choice *c)
{
    text_printf(
        sql,
        " GLOBAL ANY LEFT JOIN (SELECT recording, host, `labels.name`, "
        "`labels.value` FROM `%s`.`recording_rows` FINAL) AS hosts USING (recording) "
        "WHERE isNotNull(ts) AND (%s\n)",
        c->database, c->where);
}

/* Samples of running code, and of heaps none, with what is known of their recordings. A
 * copy of a row changes sums, for which there is "FINAL", and nothing else. */
static void add_source(struct text *sql, const struct sums_choice *c, const char *final)
{
    text_printf(sql, " FROM `%s`.`sample_rows`%s", c->database, final);
    add_condition(sql, c);
}

static void add_chosen(struct text *sql, const struct sums_choice *c, const char *final)
{
    add_source(sql, c, final);
    text_str(sql, " AND ");
    add_recordings(sql, c);
}

void sums_sql_recordings(struct text *sql, const struct sums_choice *c)
{
    text_str(sql, "SELECT recording");
    add_source(sql, c, "");
    text_str(sql, " GROUP BY recording ORDER BY recording");
    end_sql(sql);
}

void sums_sql_lost_recordings(struct text *sql, const struct sums_choice *c)
{
    text_printf(sql,
                "SELECT recording FROM (SELECT recording, row, time, toInt64(time) * "
                "1000000000 AS ts, CAST(NULL, 'Nullable(Int64)') AS utid, "
                "CAST(NULL, 'Nullable(Int64)') AS cpu, toFixedString('', 16) AS "
                "stack_id, CAST(NULL, 'Nullable(String)') AS event, "
                "CAST(NULL, 'Nullable(String)') AS unit, toInt64(0) AS count, "
                "CAST(NULL, 'Nullable(Int64)') AS value FROM `%s`.`loss_rows` WHERE "
                "name = 'dropped_archives') AS lost",
                c->database);
    add_condition(sql, c);
    text_str(sql, " GROUP BY recording ORDER BY recording");
    end_sql(sql);
}

static void add_side(struct text *sql, const struct sums_choice *c, const char *columns,
                     const char *table)
{
    text_printf(
        sql,
        " GLOBAL ANY LEFT JOIN (SELECT recording, %s FROM `%s`.`%s_rows` FINAL WHERE ",
        columns, c->database, table);
    add_recordings(sql, c);
    text_printf(sql, ") AS %s_names", table);
}

void sums_sql_samples(struct text *sql, const struct sums_choice *c)
{
    text_str(
        sql,
        "SELECT process_name, thread_name, stack_id, toInt64(sum(n)) AS samples, "
        "toInt64(sum(ns)) AS times FROM (SELECT recording, process, thread_name, "
        "stack_id, n, ns FROM (SELECT recording, ifNull(utid, -1) AS thread, stack_id, "
        "sum(count) AS n, sum(if(ifNull(unit, '') = 'nanoseconds', ifNull(value, 0), 0)) "
        "AS ns");
    add_chosen(sql, c, " FINAL");
    text_str(sql, " GROUP BY recording, thread, stack_id) AS counts");
    add_side(
        sql, c,
        "utid AS thread, ifNull(upid, -1) AS process, if(ifNull(name, '') = '', "
        "concat('thread ', toString(ifNull(tid, 0))), ifNull(name, '')) AS thread_name",
        "thread");
    text_str(sql, " USING (recording, thread)) AS named");
    add_side(
        sql, c,
        "upid AS process, if(ifNull(name, '') = '', concat('process ', toString(pid)), "
        "ifNull(name, '')) AS process_name",
        "process");
    text_str(sql,
             " USING (recording, process) GROUP BY process_name, thread_name, stack_id "
             "ORDER BY process_name, thread_name, stack_id");
    end_sql(sql);
}

/* ---- Stacks ------------------------------------------------------------------------ */

static void select_stacks(struct text *sql, const char *columns, const char *database)
{
    text_printf(sql, "SELECT %s FROM `%s`.`stack_rows` WHERE id", columns, database);
}

static void add_stacks(struct text *sql, const struct sums_choice *c, const char *columns)
{
    select_stacks(sql, columns, c->database);
    text_str(sql, " GLOBAL IN (SELECT stack_id");
    add_chosen(sql, c, "");
    text_str(sql, " GROUP BY stack_id)");
}

static const char stack_columns[] = "id, frames, ifNull(ending, '')";

void sums_sql_stacks(struct text *sql, const struct sums_choice *c)
{
    add_stacks(sql, c, stack_columns);
    end_sql(sql);
}

void sums_sql_stacks_of(struct text *sql, const char *database,
                        const struct string_table *ids, size_t from, size_t to)
{
    select_stacks(sql, stack_columns, database);
    add_ids(sql, ids, from, to);
    end_sql(sql);
}

static void select_frames(struct text *sql, const char *database)
{
    text_printf(sql,
                "SELECT id, name, ifNull(module, ''), ifNull(build_id, ''), "
                "ifNull(source_file, ''), ifNull(line_number, 0), inlined FROM "
                "`%s`.`frame_rows` WHERE id",
                database);
}

void sums_sql_frames(struct text *sql, const struct sums_choice *c)
{
    select_frames(sql, c->database);
    text_str(sql, " GLOBAL IN (");
    add_stacks(sql, c, "arrayJoin(frames) AS frame_id");
    text_str(sql, " GROUP BY frame_id)");
    end_sql(sql);
}

void sums_sql_frames_of(struct text *sql, const char *database,
                        const struct string_table *ids, size_t from, size_t to)
{
    select_frames(sql, database);
    add_ids(sql, ids, from, to);
    end_sql(sql);
}

/* ---- Losses ------------------------------------------------------------------------ */

/* Drops have numbers, which are added up, and the ends of stacks are counted again, of
 * the samples that were chosen: all else has notes. */
void sums_sql_losses(struct text *sql, const struct sums_choice *c)
{
    text_printf(sql,
                "SELECT name, if(name = 'note', replaceRegexpAll(what, '[0-9]+', '#'), "
                "'') AS pattern, any(what) AS sentence, toInt64(sum(n)) AS total, "
                "toInt64(uniqExact(recording)) AS recordings FROM (SELECT recording, "
                "name, kind, ifNull(description, '') AS what, ifNull(value, 0) AS n FROM "
                "`%s`.`loss_rows` FINAL WHERE ",
                c->database);
    add_recordings(sql, c);
    text_str(
        sql,
        ") WHERE (name != 'note' AND kind IN ('sampler', 'disk')) OR (name = 'note' "
        "AND kind NOT IN ('sampler', 'stacks')) GROUP BY name, pattern ORDER BY name, "
        "pattern");
    end_sql(sql);
}
