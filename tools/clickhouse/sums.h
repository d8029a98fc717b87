/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way back: samples that fxt2clickhouse has sent, of any number of machines, which
 * the server adds up by process, thread and stack, as a profile. The recordings are
 * asked for first, and all else of these, so that nothing depends on what other senders
 * do between the queries.
 */
#ifndef TOOLS_CLICKHOUSE_SUMS_H
#define TOOLS_CLICKHOUSE_SUMS_H

#include <fxt/profile.h>

#include "tools/convert/server_options.h"

/* Which samples. */
struct sums_query {
    struct server_options server;
    const char *database;
    /* In SQL; see query.c. */
    const char *where;
};

/* Adds them to a builder for FXT_PROFILE_SUMS. Returns false, with a message, if the
 * server does not give them. What the builder refuses is for its finish. */
bool sums_read(const struct sums_query *query, struct fxt_profile_builder *builder);

#endif
