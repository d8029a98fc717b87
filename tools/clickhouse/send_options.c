/* SPDX-License-Identifier: BSD-2-Clause */
/* See send.h: options. */
#include "send.h"

#include <string.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "tools/common/report.h"
#include "tools/convert/option_groups.h"
#include "tools/tables/produce.h"

/* ---- Values ------------------------------------------------------------------------ */

static bool take_cluster(struct option_given *given)
{
    struct send_options *own = given->own;

    own->place.cluster = given->value;
    if (ddl_is_name(given->value, "-."))
        return true;
    return text_fail(&given->why, "a name is of letters, digits, _, - and .");
}

static bool take_label(struct option_given *given)
{
    struct send_options *own = given->own;
    const char *value = given->value;
    const char *equals = strchr(value, '=');

    if (equals == NULL || equals == value)
        return false;
    for (size_t i = 0; i < own->n_labels; i++) {
        if (own->labels[i].name_size == (size_t)(equals - value) &&
            memcmp(own->labels[i].name, value, own->labels[i].name_size) == 0)
            return text_fail(&given->why, "it has a value already");
    }
    MEMORY_ADD(own->labels, own->n_labels, own->label_capacity,
               (struct label){value, (size_t)(equals - value), equals + 1});
    return true;
}

#define OPTION_STRUCT struct options

const struct option_entry send_options_general[] = {
    OPTIONS_OF_READERS,
};

#undef OPTION_STRUCT
#define OPTION_STRUCT struct send_options

const struct option_entry send_options_server[] = {
    {"url", 0, "URL", OPTION_NAME(url), "the server, as in http://host:8123; needed"},
    OPTIONS_END,
};

const struct option_entry send_options_writing[] = {
    {"create", 0, NULL, OPTION_FLAG(creates),
     "create the database and its tables, if need be"},
    {"cluster", 0, "NAME", OPTION_CALL(take_cluster),
     "with this: tables that are replicated, and distributed over this cluster"},
    {"host", 0, "NAME", OPTION_STRING(host),
     "which machine was recorded; by default the name of this one"},
    {"label", 0, "NAME=VALUE", OPTION_CALL(take_label),
     "what else is known of the recording"},
    OPTIONS_END,
};

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

    if (conflict != NULL)
        return complain(o->program, NULL, "%s", conflict);
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
