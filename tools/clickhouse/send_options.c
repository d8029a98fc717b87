/* SPDX-License-Identifier: BSD-2-Clause */
/* See send_options.h. */
#include "send_options.h"

#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "tools/common/report.h"
#include "tools/convert/options_read.h"
#include "tools/tables/produce.h"

enum letter {
    LETTER_URL = SEND_OPTIONS_FIRST,
    LETTER_DATABASE,
    LETTER_CREATE,
    LETTER_CLUSTER,
    LETTER_HOST,
    LETTER_LABEL,
    LETTER_NETRC,
    LETTER_CACERT,
    LETTER_CERT,
    LETTER_KEY,
    LETTER_INSECURE,
    LETTER_TIMEOUT,
    LETTER_RETRY
};

const struct option_entry send_options_server[] = {
    {"url", LETTER_URL, "URL", "the server, as in http://host:8123; needed"},
    {"database", LETTER_DATABASE, "NAME", "the database; by default fxt"},
    {"netrc", LETTER_NETRC, "FILE",
     "the user and the password are in FILE, in the form of .netrc; by default they are "
     "in "
     "CLICKHOUSE_USER and CLICKHOUSE_PASSWORD"},
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

const struct option_entry send_options_writing[] = {
    {"create", LETTER_CREATE, NULL, "create the database and its tables, if need be"},
    {"cluster", LETTER_CLUSTER, "NAME",
     "with this: tables that are replicated, and distributed over this cluster"},
    {"host", LETTER_HOST, "NAME",
     "which machine was recorded; by default the name of this one"},
    {"label", LETTER_LABEL, "NAME=VALUE", "what else is known of the recording"},
    {NULL, 0, NULL, NULL},
};

const struct option_entry send_options_general[] = {
    {"quiet", 'q', NULL, "print nothing about the data on standard error"},
    {"verbose", 'v', NULL, "print every problem of the data, not only the first few"},
    {"help", 'h', NULL, "print this"},
    {"version", 'V', NULL, "print the version"},
    {NULL, 0, NULL, NULL},
};

#define NS_PER_S UINT64_C(1000000000)

struct send_options send_options_default(const char *program)
{
    return (struct send_options){
        .server = {.program = program,
                   .timeout_ns = 60 * NS_PER_S,
                   .retry_ns = 30 * NS_PER_S},
        .place = {.database = "fxt"},
    };
}

/* ---- Values ------------------------------------------------------------------------ */

static bool take_name(struct options *o, const char **name, const char *also,
                      const char *value)
{
    *name = value;
    if (ddl_is_name(value, also))
        return true;
    snprintf(o->problem, sizeof(o->problem), "a name is of letters, digits and _%s",
             also[0] != '\0' ? ", - and ." : "");
    return false;
}

static bool take_label(struct options *o, struct send_options *own, const char *value)
{
    const char *equals = strchr(value, '=');

    if (equals == NULL || equals == value)
        return false;
    for (size_t i = 0; i < own->n_labels; i++) {
        if (own->labels[i].name_size == (size_t)(equals - value) &&
            memcmp(own->labels[i].name, value, own->labels[i].name_size) == 0) {
            snprintf(o->problem, sizeof(o->problem), "it has a value already");
            return false;
        }
    }
    MEMORY_ADD(own->labels, own->n_labels, own->label_capacity,
               (struct label){value, (size_t)(equals - value), equals + 1});
    return true;
}

static bool take_path(const char **path, const char *value)
{
    *path = value;
    return value[0] != '\0';
}

/* What the server is sent. */
static bool take_server(struct server_options *server, int letter, const char *value)
{
    switch (letter) {
    case LETTER_URL:
        return take_path(&server->url, value);
    case LETTER_NETRC:
        return take_path(&server->netrc, value);
    case LETTER_CACERT:
        return take_path(&server->ca_file, value);
    case LETTER_CERT:
        return take_path(&server->certificate, value);
    case LETTER_KEY:
        return take_path(&server->key, value);
    case LETTER_INSECURE:
        server->is_insecure = true;
        return true;
    case LETTER_TIMEOUT:
        return parse_duration(value, &server->timeout_ns) && server->timeout_ns > 0;
    case LETTER_RETRY:
        return parse_duration(value, &server->retry_ns);
    default:
        return false;
    }
}

bool send_options_take(struct options *o, int letter, const char *value)
{
    struct send_options *own = (struct send_options *)o->own;

    switch (letter) {
    case LETTER_DATABASE:
        return take_name(o, &own->place.database, "", value);
    case LETTER_CLUSTER:
        return take_name(o, &own->place.cluster, "-.", value);
    case LETTER_CREATE:
        own->creates = true;
        return true;
    case LETTER_HOST:
        own->host = value;
        return true;
    case LETTER_LABEL:
        return take_label(o, own, value);
    default:
        return take_server(&own->server, letter, value);
    }
}

/* ---- All of them ------------------------------------------------------------------- */

/* What is wrong with the options; or NULL. */
static const char *find_conflict(const struct options *o)
{
    const struct send_options *own = (const struct send_options *)o->own;

    if (own->place.cluster != NULL && !own->creates)
        return "--cluster is for tables that are created";
    if (own->server.url == NULL)
        return "which server? Use --url http://host:8123";
    if (server_url_problem(own->server.url) != NULL)
        return server_url_problem(own->server.url);
    if (options_have_standard_input(o))
        return "a recording is known by its content, which is read twice: standard input "
               "cannot be; name a file";
    return NULL;
}

bool send_options_check(struct options *o)
{
    struct send_options *own = (struct send_options *)o->own;
    const char *conflict = find_conflict(o);

    if (conflict != NULL) {
        complain(o->program, NULL, "%s", conflict);
        return false;
    }
    own->begun_ns = clock_ns(CLOCK_REALTIME);
    own->server.is_quiet = o->quiet;
    tables_choose_options(&o->build);
    o->hides_cuts = true;
    o->writes_own = true;
    return true;
}

void send_options_free(struct send_options *own)
{
    memory_release(own->labels);
}
