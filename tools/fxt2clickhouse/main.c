/* SPDX-License-Identifier: BSD-2-Clause */
/* fxt2clickhouse: samples and events to tables of a ClickHouse server. */
#include <string.h>

#include "tools/clickhouse/send.h"
#include "tools/common/program.h"
#include "tools/common/report.h"
#include "tools/convert/convert.h"
#include "tools/convert/option_groups.h"

struct own_options {
    struct send_options send;
    /* The statements are printed, and nothing is read or sent. */
    bool prints_schema;
};

#define OPTION_STRUCT struct own_options

static const struct option_entry own_entries[] = {
    {"schema", 0, NULL, OPTION_FLAG(prints_schema),
     "print the statements that create them, and neither read nor send anything"},
    OPTIONS_END,
};

static const struct option_group groups[] = {
    {"Server", send_options_server},
    {OPTION_GROUP_GOES_ON, options_server},
    {"Writing", send_options_writing},
    {OPTION_GROUP_GOES_ON, own_entries},
    {OPTION_GROUP_GOES_ON, options_start_time},
    {"Reading", options_reading},
    {OPTION_GROUP_GOES_ON, options_parallel},
    {"Naming", options_naming},
    {NULL, send_options_general},
    {NULL, NULL},
};

static const char usage[] =
    "Usage: fxt2clickhouse --url URL [OPTION]... FILE...\n"
    "       fxt2clickhouse --schema [OPTION]...\n"
    "Sends the samples and events in FXT regions and archives to the tables of a "
    "ClickHouse\n"
    "server, where the same recording counts once, however often it is sent. Compressed\n"
    "files (gzip, zstd) are read as they are.\n";

/* The statements depend on the names of the database and the cluster alone. */
static bool check_schema(const struct options *o)
{
    const struct own_options *own = (const struct own_options *)o->own;
    const char *useless = own->send.url != NULL                ? "--url"
                          : own->send.host != NULL             ? "--host"
                          : own->send.n_labels > 0             ? "--label"
                          : strcmp(o->files[0].path, "-") != 0 ? "a file"
                                                               : NULL;

    if (useless != NULL)
        complain(o->program, NULL, "%s has no meaning with --schema", useless);
    return useless == NULL;
}

static bool check_own(struct options *o)
{
    struct own_options *own = (struct own_options *)o->own;

    own->send.place.database = o->database;
    return own->prints_schema ? check_schema(o) : send_options_check(o);
}

static bool add_statement(void *context, const char *statement)
{
    text_printf((struct text *)context, "%s;\n\n", statement);
    return true;
}

static bool print_schema(const struct options *o, int *status)
{
    const struct own_options *own = (const struct own_options *)o->own;
    struct text statements = {NULL, 0, 0};

    if (!own->prints_schema)
        return false;
    ddl_create(&own->send.place, add_statement, &statements);
    *status = program_print(o->program, &statements) ? EXIT_GOOD : EXIT_BAD;
    return true;
}

int main(int argc, char **argv)
{
    struct own_options own = {.prints_schema = false};
    const struct converter converter = {
        .name = "fxt2clickhouse",
        .usage = usage,
        .groups = groups,
        .default_format = FXT_PROFILE_FOLDED,
        .own = &own,
        .check_own = check_own,
        .print_own = print_schema,
        .write_own = send_profile,
    };

    return send_judge(&own.send, convert_main(&converter, argc, argv));
}
