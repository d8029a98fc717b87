/* SPDX-License-Identifier: BSD-2-Clause */
/* See option_groups.h: a ClickHouse server. */
#include "option_groups.h"

#include <string.h>

#include "tools/common/report.h"

#define NS_PER_S UINT64_C(1000000000)

enum { DATABASE_MAX_BYTES = 64 };

/* It stands between backquotes in statements. */
static bool take_database(struct option_given *given)
{
    struct options *o = given->options;
    const char *value = given->value;
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_";

    size_t size = strspn(value, letters);

    o->database = value;
    if (size > 0 && size <= DATABASE_MAX_BYTES && value[size] == '\0')
        return true;
    return text_fail(&given->why, "a name is of letters, digits and _");
}

#define OPTION_STRUCT struct options

const struct option_entry options_database[] = {
    {"clickhouse", 0, "URL",
     OPTION_VALUE(OPTION_NAME_(server.url), OPTION_FLAG_(is_of_database)),
     "in place of files, samples that fxt2clickhouse has sent to this server, as in "
     "http://host:8123"},
    {"where", 0, "CONDITION", OPTION_NAME(where),
     "which ones, in SQL, as in \"host like 'web%' and time > now() - interval 1 hour\""},
    OPTIONS_END,
};

const struct option_entry options_database_diff[] = {
    {"diff-where", 0, "CONDITION", OPTION_NAME(before_where),
     "what has changed since the samples of this condition"},
    OPTIONS_END,
};

const struct option_entry options_server[] = {
    {"database", 0, "NAME", OPTION_CALL(take_database), "the database; by default fxt"},
    {"netrc", 0, "FILE", OPTION_NAME(server.netrc),
     "the user and the password are in FILE, in the form of .netrc; by default they are "
     "in CLICKHOUSE_USER and CLICKHOUSE_PASSWORD"},
    {"cacert", 0, "FILE", OPTION_NAME(server.ca_file),
     "trust the authorities in FILE (PEM)"},
    {"cert", 0, "FILE", OPTION_NAME(server.certificate),
     "show the server the certificate in FILE (PEM)"},
    {"key", 0, "FILE", OPTION_NAME(server.key), "its private key (PEM)"},
    {"insecure", 0, NULL, OPTION_FLAG(server.is_insecure),
     "do not check who the server is"},
    {"timeout", 0, "TIME",
     OPTION_NUMBER(server.timeout_ns, parse_duration, 1, UINT64_MAX),
     "how long one request may take, by default 60s (ns, us, ms, s)"},
    {"retry", 0, "TIME", OPTION_NUMBER(server.retry_ns, parse_duration, 0, UINT64_MAX),
     "for how long to try again what fails, by default 30s (ns, us, ms, s)"},
    OPTIONS_END,
};

struct server_options options_default_server(const char *program)
{
    return (struct server_options){
        .program = program, .timeout_ns = 60 * NS_PER_S, .retry_ns = 30 * NS_PER_S};
}

/* ---- All of them ------------------------------------------------------------------- */

/* The first option given of a table; or NULL. */
static const char *find_given(const struct options *o, const struct option_entry *table)
{
    for (; table->name != NULL; table++) {
        for (size_t i = 0; i < o->n_given; i++) {
            if (strcmp(o->given[i], table->name) == 0)
                return table->name;
        }
    }
    return NULL;
}

/* An option that nothing comes of without a server; or NULL. */
static const char *find_useless(const struct options *o)
{
    const char *given = find_given(o, options_database);

    if (given == NULL)
        given = find_given(o, options_database_diff);
    return given != NULL || o->server.url != NULL ? given : find_given(o, options_server);
}

/* What does not go together; or NULL. */
static const char *find_conflict(const struct options *o)
{
    if (o->n_files != 1 || o->files[0].path != o->server.url)
        return "--clickhouse takes the place of files";
    if (o->where == NULL)
        return "which samples? Use --where CONDITION, as in --where \"host = 'web1'\"";
    if (o->before != NULL)
        return "--diff has no meaning with --clickhouse: see --diff-where";
    if (o->build.source != FXT_PROFILE_SAMPLES)
        return "--spans and --sched have no meaning with --clickhouse";
    return NULL;
}

bool options_choose_database(struct options *o, const struct converter *c)
{
    const char *useless = o->is_of_database || c->query == NULL ? NULL : find_useless(o);
    const char *conflict = o->is_of_database ? find_conflict(o) : NULL;

    if (useless != NULL)
        complain(o->program, NULL, "--%s is for --clickhouse", useless);
    else if (conflict != NULL)
        complain(o->program, NULL, "%s", conflict);
    if (useless != NULL || conflict != NULL)
        return false;
    if (!o->is_of_database)
        return true;
    o->build.source = FXT_PROFILE_SUMS;
    o->server.is_read_only = true;
    o->server.is_quiet = o->quiet;
    o->before = o->before_where;
    return true;
}
