/* SPDX-License-Identifier: BSD-2-Clause */
/* fxt2clickhouse: samples and events to tables of a ClickHouse server. */
#include <limits.h>
#include <unistd.h>

#include "options.h"
#include "tools/clickhouse/sender.h"
#include "tools/common/program.h"
#include "tools/common/report.h"
#include "tools/convert/conversion.h"
#include "tools/convert/convert.h"
#include "tools/tables/produce.h"
#include "tools/tables/recording_id.h"

/* Another attempt, with the same inputs, may succeed. */
enum { EXIT_NOT_TAKEN = 3 };

#define NS_PER_S UINT64_C(1000000000)

static const char usage[] =
    "Usage: fxt2clickhouse --url URL [OPTION]... FILE...\n"
    "       fxt2clickhouse --schema [OPTION]...\n"
    "Sends the samples and events in FXT regions and archives to the tables of a "
    "ClickHouse\n"
    "server, where the same recording counts once, however often it is sent. Compressed\n"
    "files (gzip, zstd) are read as they are.\n";

/* ---- The schema -------------------------------------------------------------------- */

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
    ddl_create(&own->place, add_statement, &statements);
    *status = program_print(o->program, &statements) ? EXIT_GOOD : EXIT_BAD;
    return true;
}

static bool run_statement(void *context, const char *statement)
{
    return server_run((struct server *)context, statement);
}

/* ---- Sending ----------------------------------------------------------------------- */

/* A host's name may fill the buffer without a zero. */
static const char *name_host(const struct own_options *own, char name[HOST_NAME_MAX + 1])
{
    if (own->host != NULL)
        return own->host;
    if (gethostname(name, HOST_NAME_MAX + 1) != 0)
        name[0] = '\0';
    name[HOST_NAME_MAX] = '\0';
    return name;
}

/* With fewer inputs it would be another recording. */
static bool identify(const struct conversion *c, struct recording *recording)
{
    const struct options *o = &c->options;
    const struct own_options *own = (const struct own_options *)o->own;
    struct text why = {NULL, 0, 0};
    const char *about = NULL;

    if (c->statistics.n_unusable_inputs > 0) {
        complain(c->converter->name, NULL,
                 "nothing was sent, since not all inputs could be used");
        return false;
    }
    if (!recording_id_make(recording->id, o->files, o->n_files, own->begun_ns, &about,
                           &why)) {
        complain_text(c->converter->name, about, &why);
        return false;
    }
    recording_date(recording, c->profile);
    return true;
}

static bool send_all(const struct conversion *c, struct sender *sender)
{
    const struct own_options *own = (const struct own_options *)c->options.own;
    struct table_sink sink = sender_sink(sender);

    return server_check(sender->server) &&
           (!own->creates || ddl_create(&own->place, run_statement, sender->server)) &&
           tables_produce(c->profile, &sink) && sender_finish(sender);
}

static void print_taken(const struct sender *sender, struct output *output)
{
    struct text line = {NULL, 0, 0};

    text_hex_bytes(&line, sender->recording->id, HASH_BYTES);
    text_str(&line, ": the server took ");
    text_count(&line, sender->n_taken, "row");
    text_char(&line, '\n');
    output_text(output, &line);
    text_free(&line);
}

static void complain_of_server(const struct conversion *c, const struct sender *sender)
{
    const struct own_options *own = (const struct own_options *)c->options.own;
    struct text why = {NULL, 0, 0};

    text_add(&why, sender->server->why.data, sender->server->why.size);
    if (sender->n_taken > 0) {
        text_str(&why, "; it took ");
        text_count(&why, sender->n_taken, "row");
        text_str(&why, ", which count once when all are sent again");
    }
    complain_text(c->converter->name, own->server.url, &why);
}

static int send_profile(const struct conversion *c, struct output *output)
{
    const struct own_options *own = (const struct own_options *)c->options.own;
    char name[HOST_NAME_MAX + 1];
    struct recording recording = {
        .host = name_host(own, name), .labels = own->labels, .n_labels = own->n_labels};
    struct server server;
    struct sender sender;
    bool good;

    if (!identify(c, &recording))
        return EXIT_UNUSABLE;
    sender_start(&sender, &server, own->place.database, &recording);
    good = server_open(&server, &own->server) && send_all(c, &sender);
    if (good)
        print_taken(&sender, output);
    else
        complain_of_server(c, &sender);
    sender_free(&sender);
    server_close(&server);
    return good ? EXIT_GOOD : EXIT_NOT_TAKEN;
}

int main(int argc, char **argv)
{
    struct own_options own = {
        .server = {.program = "fxt2clickhouse",
                   .timeout_ns = 60 * NS_PER_S,
                   .retry_ns = 30 * NS_PER_S},
        .place = {.database = "fxt"},
    };
    const struct converter converter = {
        .name = "fxt2clickhouse",
        .usage = usage,
        .groups = own_groups,
        .default_format = FXT_PROFILE_FOLDED,
        .own = &own,
        .take_own = own_options_take,
        .check_own = own_options_check,
        .print_own = print_schema,
        .write_own = send_profile,
    };
    int status = convert_main(&converter, argc, argv);

    own_options_free(&own);
    return status;
}
