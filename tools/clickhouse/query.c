/* SPDX-License-Identifier: BSD-2-Clause */
/* See query.h. */
#include "query.h"

#include <stdbool.h>
#include <string.h>

#include "tools/clickhouse/server.h"
#include "tools/clickhouse/sums.h"
#include "tools/common/report.h"

/*
 * A condition in SQL that a user has written stands between parentheses in our
 * statements: it must not close these, begin a comment, or leave a string open, so that
 * it stays a condition. All else is left to the server, which is asked for a query that
 * changes nothing.
 */

/* The end of what is quoted at `at`, after its last quote; NULL if there is none. */
static const char *skip_quoted(const char *at)
{
    char quote = *at++;

    for (; *at != '\0'; at++) {
        if (*at == quote)
            return at + 1;
        if (*at == '\\' && *++at == '\0')
            return NULL;
    }
    return NULL;
}

static bool begins_comment(const char *at)
{
    return strncmp(at, "--", 2) == 0 || strncmp(at, "/*", 2) == 0 || *at == '#';
}

/* Why it cannot be one; NULL if it can. */
static const char *find_problem(const char *at)
{
    size_t depth = 0;

    if (at[strspn(at, " \t\r\n")] == '\0')
        return "a condition is needed, as in \"host like 'web%'\"";
    while (*at != '\0') {
        if (strchr("'\"`", *at) != NULL) {
            at = skip_quoted(at);
            if (at == NULL)
                return "a quote is not closed";
            continue;
        }
        if (begins_comment(at) || *at == ';')
            return "a condition has no comments and no ;";
        if (*at == ')' && depth == 0)
            return "a parenthesis is closed that is not open";
        depth += *at == '(';
        depth -= *at == ')';
        at++;
    }
    return depth > 0 ? "a parenthesis is not closed" : NULL;
}

static bool is_condition(const struct options *o, const char *option, const char *value)
{
    const char *problem = value != NULL ? find_problem(value) : NULL;

    if (problem != NULL)
        complain(o->program, NULL, "%s: %s", option, problem);
    return problem == NULL;
}

bool query_database(const struct options *o, struct fxt_profile_builder *builder)
{
    const char *problem = server_url_problem(o->server.url);
    struct sums_query query = {
        .server = o->server, .database = o->database, .where = o->where};

    if (problem != NULL)
        complain(o->program, o->server.url, "%s", problem);
    return problem == NULL && is_condition(o, "--where", o->where) &&
           is_condition(o, "--diff-where", o->before_where) && sums_read(&query, builder);
}
