/* SPDX-License-Identifier: BSD-2-Clause */
/* See query.h. */
#include "query.h"

#include "tools/clickhouse/condition.h"
#include "tools/clickhouse/server.h"
#include "tools/clickhouse/sums.h"
#include "tools/common/report.h"

static bool is_condition(const struct options *o, const char *option, const char *value)
{
    const char *problem = value != NULL ? condition_problem(value) : NULL;

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
