/* SPDX-License-Identifier: BSD-2-Clause */
/* See options_database.h. */
#include "options_database.h"

#include <stdio.h>
#include <string.h>

#include "tools/common/report.h"

#define NS_PER_S UINT64_C(1000000000)

enum { DATABASE_MAX_BYTES = 64 };

enum letter {
    LETTER_CLICKHOUSE = OPTIONS_FIRST_DATABASE,
    LETTER_WHERE,
    LETTER_DIFF_WHERE,
    LETTER_DATABASE,
    LETTER_NETRC,
    LETTER_CACERT,
    LETTER_CERT,
    LETTER_KEY,
    LETTER_INSECURE,
    LETTER_TIMEOUT,
    LETTER_RETRY
};

const struct option_entry options_database[] = {
    {"clickhouse", LETTER_CLICKHOUSE, "URL",
     "in place of files, samples that fxt2clickhouse has sent to this server, as in "
     "http://host:8123"},
    {"where", LETTER_WHERE, "CONDITION",
     "which ones, in SQL, as in \"host like 'web%' and time > now() - interval 1 hour\""},
    {NULL, 0, NULL, NULL},
};

const struct option_entry options_database_diff[] = {
    {"diff-where", LETTER_DIFF_WHERE, "CONDITION",
     "what has changed since the samples of this condition"},
    {NULL, 0, NULL, NULL},
};

const struct option_entry options_server[] = {
    {"database", LETTER_DATABASE, "NAME", "the database; by default fxt"},
    {"netrc", LETTER_NETRC, "FILE",
     "the user and the password are in FILE, in the form of .netrc; by default they are "
     "in CLICKHOUSE_USER and CLICKHOUSE_PASSWORD"},
    {"cacert", LETTER_CACERT, "FILE", "trust the authorities in FILE (PEM)"},
    {"cert", LETTER_CERT, "FILE", "show the server the certificate in FILE (PEM)"},
    {"key", LETTER_KEY, "FILE", "its private key (PEM)"},
    {"insecure", LETTER_INSECURE, NULL, "do not check who the server is"},
    {"timeout", LETTER_TIMEOUT, "TIME",
     "how long one request may take, by default 60s (ns, us, ms, s)"},
    {"retry", LETTER_RETRY, "TIME",
     "for how long to try again what fails, by default 30s (ns, us, ms, s)"},
    {NULL, 0, NULL, NULL},
};

struct server_options options_default_server(const char *program)
{
    return (struct server_options){
        .program = program, .timeout_ns = 60 * NS_PER_S, .retry_ns = 30 * NS_PER_S};
}

static bool take_string(const char **string, const char *value)
{
    *string = value;
    return value[0] != '\0';
}

/* It stands between backquotes in statements. */
static bool take_database(struct options *o, const char *value)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_";

    size_t size = strspn(value, letters);

    o->database = value;
    if (size > 0 && size <= DATABASE_MAX_BYTES && value[size] == '\0')
        return true;
    snprintf(o->problem, sizeof(o->problem), "a name is of letters, digits and _");
    return false;
}

bool options_take_database(struct options *o, int letter, const char *value)
{
    switch ((enum letter)letter) {
    case LETTER_CLICKHOUSE:
        o->is_of_database = true;
        return take_string(&o->server.url, value);
    case LETTER_WHERE:
        return take_string(&o->where, value);
    case LETTER_DIFF_WHERE:
        return take_string(&o->before_where, value);
    case LETTER_DATABASE:
        return take_database(o, value);
    case LETTER_NETRC:
        return take_string(&o->server.netrc, value);
    case LETTER_CACERT:
        return take_string(&o->server.ca_file, value);
    case LETTER_CERT:
        return take_string(&o->server.certificate, value);
    case LETTER_KEY:
        return take_string(&o->server.key, value);
    case LETTER_INSECURE:
        o->server.is_insecure = true;
        return true;
    case LETTER_TIMEOUT:
        return parse_duration(value, &o->server.timeout_ns) && o->server.timeout_ns > 0;
    case LETTER_RETRY:
        return parse_duration(value, &o->server.retry_ns);
    }
    return false;
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
