/* SPDX-License-Identifier: BSD-2-Clause */
/* See sender.h. */
#include "sender.h"

#include <string.h>

#include "ddl.h"
#include "row_binary.h"

/* A block has at least one row, and is sent once it has as many bytes: some 40,000
 * samples. A server writes a part of a table for each block and day, and takes blocks of
 * less than a hundred days. */
enum { BLOCK_BYTES = 1 << 22, BLOCK_DAYS = 50, DAY_S = 86400 };

void sender_start(struct sender *s, struct server *server, const char *database,
                  const struct recording *recording)
{
    *s = (struct sender){.server = server, .database = database, .recording = recording};
}

static bool send_block(struct sender *s)
{
    if (s->n_block_rows == 0)
        return true;
    if (!server_insert(s->server, s->statement.data, &s->block))
        return false;
    s->n_taken += s->n_block_rows;
    s->n_block_rows = 0;
    s->n_days = 0;
    s->block.size = 0;
    return true;
}

static void set_statement(struct sender *s, const struct table_info *table)
{
    s->statement.size = 0;
    ddl_insert(&s->statement, s->database, table);
    text_char(&s->statement, '\0');
}

static bool begin_table(void *context, const struct table_info *table)
{
    struct sender *s = (struct sender *)context;

    set_statement(s, table);
    s->row = 0;
    s->time_column = 0;
    while (s->time_column < table->n_columns &&
           strcmp(table->columns[s->time_column].name, "ts") != 0)
        s->time_column++;
    return true;
}

/* Of what has no time, that of the recording. */
static uint32_t time_of(const struct sender *s, const struct table_info *table,
                        const struct cell *cells)
{
    if (s->time_column == table->n_columns || cells[s->time_column].is_null)
        return s->recording->time;
    return recording_seconds(cells[s->time_column].int64);
}

static bool add_row(void *context, const struct table_info *table,
                    const struct cell *cells)
{
    struct sender *s = (struct sender *)context;

    if (!table->is_shared) {
        uint32_t time = time_of(s, table, cells);

        text_add(&s->block, s->recording->id, HASH_BYTES);
        text_le(&s->block, s->row++, sizeof(s->row));
        text_le(&s->block, time, sizeof(time));
        s->n_days += s->n_days == 0 || time / DAY_S != s->day;
        s->day = time / DAY_S;
    }
    for (size_t i = 0; i < table->n_columns; i++)
        row_binary_cell(&s->block, &table->columns[i], &cells[i]);
    s->n_block_rows++;
    return (s->block.size < BLOCK_BYTES && s->n_days < BLOCK_DAYS) || send_block(s);
}

static bool end_table(void *context, const struct table_info *table)
{
    (void)table;
    return send_block((struct sender *)context);
}

struct table_sink sender_sink(struct sender *s)
{
    return (struct table_sink){begin_table, add_row, end_table, s};
}

bool sender_finish(struct sender *s)
{
    set_statement(s, NULL);
    recording_row(&s->block, s->recording, s->n_taken);
    s->n_block_rows = 1;
    return send_block(s);
}
