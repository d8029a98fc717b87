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
    LETTER_CREATE,
    LETTER_CLUSTER,
    LETTER_HOST,
    LETTER_LABEL
};

const struct option_entry send_options_server[] = {
    {"url", LETTER_URL, "URL", "the server, as in http://host:8123; needed"},
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
    OPTIONS_OF_READERS,
};

/* ---- Values ------------------------------------------------------------------------ */

static bool take_cluster(struct options *o, struct send_options *own, const char *value)
{
    own->place.cluster = value;
    if (ddl_is_name(value, "-."))
        return true;
    snprintf(o->problem, sizeof(o->problem), "a name is of letters, digits, _, - and .");
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

bool send_options_take(struct options *o, int letter, const char *value)
{
    struct send_options *own = (struct send_options *)o->own;

    switch (letter) {
    case LETTER_URL:
        own->url = value;
        return value[0] != '\0';
    case LETTER_CLUSTER:
        return take_cluster(o, own, value);
    case LETTER_CREATE:
        own->creates = true;
        return true;
    case LETTER_HOST:
        own->host = value;
        return true;
    case LETTER_LABEL:
        return take_label(o, own, value);
    default:
        return false;
    }
}

/* ---- All of them ------------------------------------------------------------------- */

/* What is wrong with the options; or NULL. */
static const char *find_conflict(const struct options *o)
{
    const struct send_options *own = (const struct send_options *)o->own;
    const char *problem;

    if (own->place.cluster != NULL && !own->creates)
        return "--cluster is for tables that are created";
    if (own->url == NULL)
        return "which server? Use --url http://host:8123";
    problem = server_url_problem(own->url);
    if (problem != NULL)
        return problem;
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
    own->place.database = o->database;
    own->server = o->server;
    own->server.url = own->url;
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
