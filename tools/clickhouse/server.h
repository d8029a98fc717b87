/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ClickHouse server that takes statements by HTTP or HTTPS. What fails for a reason
 * that may pass (no connection, no answer in time, the server's own failure) is tried
 * again for a while; statements must be such that this does no harm.
 */
#ifndef TOOLS_CLICKHOUSE_SERVER_H
#define TOOLS_CLICKHOUSE_SERVER_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/text.h"
#include "tools/convert/server_options.h"

enum { SERVER_ANSWER_MAX = 4096 };

/* Takes rows from the beginning of what has come of an answer. */
typedef void server_rows_fn(void *context, struct text *rows);

struct server {
    const struct server_options *options;
    CURL *curl;
    CURLU *url;
    struct curl_slist *headers;
    char curl_error[CURL_ERROR_SIZE];
    /* A request was sent with a user; and the user's profile is read-only, so that
     * readonly=1 may not be set again. */
    bool has_user;
    bool has_reader;
    /* What the server said, of which the end may be missing. */
    char answer[SERVER_ANSWER_MAX];
    size_t answer_size;
    uint64_t n_answered;
    /* An answer, where one is wanted, else NULL; and who takes its rows. */
    struct text *rows;
    server_rows_fn *take;
    void *take_context;
    /* Why the last request failed. */
    struct text why;
};

/* Why a URL cannot be that of a server; NULL if it can. */
const char *server_url_problem(const char *url);

/* Each of these functions returns false on failure, with the reason in `why`. The user
 * and the password are in CLICKHOUSE_USER and CLICKHOUSE_PASSWORD, unless there is a file
 * with them. server_close may be called in any case. */
bool server_open(struct server *server, const struct server_options *options);
void server_close(struct server *server);

/* Whether it is a server of this kind: asks for its version. To be called first. */
bool server_check(struct server *server);

/* Whether the last answer was that error, by ClickHouse's numbers. */
bool server_answers_code(const struct server *server, unsigned code);

/* Runs a statement, whose answer does not matter but for its status. */
bool server_run(struct server *server, const char *statement);

/* Runs a statement that takes rows, which are compressed on the way. */
bool server_insert(struct server *server, const char *statement, const struct text *rows);

/* Runs a query, whose answer is added to `rows`, which is empty at first and whenever it
 * begins again. After each part of it `take`, unless it is NULL, may use what is there
 * and remove it. The options are read-only. */
bool server_query(struct server *server, const char *statement, struct text *rows,
                  server_rows_fn *take, void *context);

#endif
