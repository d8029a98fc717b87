/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of tables on their way to a server: a table_sink (tools/tables/sink.h). They are
 * sent in blocks, and the row of the recording last, so that where it is, all others are.
 */
#ifndef TOOLS_CLICKHOUSE_SENDER_H
#define TOOLS_CLICKHOUSE_SENDER_H

#include "common/base/text.h"
#include "recording.h"
#include "server.h"
#include "tools/tables/sink.h"

struct sender {
    struct server *server;
    const char *database;
    const struct recording *recording;
    /* Of the table whose rows come: what takes them; the number of the next row; and the
     * column with its time, or past the last one. */
    struct text statement;
    uint64_t row;
    size_t time_column;
    /* What was not sent yet: how many rows, and on how many days they change. */
    struct text block;
    uint64_t n_block_rows;
    uint32_t day;
    unsigned n_days;
    /* How many the server has taken. */
    uint64_t n_taken;
};

void sender_start(struct sender *sender, struct server *server, const char *database,
                  const struct recording *recording);

/* What takes rows of tables; fails for the server's reason. */
struct table_sink sender_sink(struct sender *sender);

/* After all rows. */
bool sender_finish(struct sender *sender);

#endif
