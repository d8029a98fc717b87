/* SPDX-License-Identifier: BSD-2-Clause */
/* See queries.h. */
#include "queries.h"

#include <stdbool.h>
#include <string.h>

#include "queries_sql.h"

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

bool queries_find(struct text *sql, const char *name)
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
