/* SPDX-License-Identifier: BSD-2-Clause */
/* See send.h. */
#include "send.h"

#include <inttypes.h>
#include <limits.h>
#include <unistd.h>

#include "common/base/sha256.h"
#include "sender.h"
#include "tools/common/report.h"
#include "tools/tables/produce.h"
#include "tools/tables/schema.h"

/* A host's name may fill the buffer without a zero. */
static const char *name_host(const struct send_options *own, char name[HOST_NAME_MAX + 1])
{
    if (own->host != NULL)
        return own->host;
    if (gethostname(name, HOST_NAME_MAX + 1) != 0)
        name[0] = '\0';
    name[HOST_NAME_MAX] = '\0';
    return name;
}

static struct recording describe(const struct send_options *own,
                                 char name[HOST_NAME_MAX + 1])
{
    return (struct recording){
        .host = name_host(own, name), .labels = own->labels, .n_labels = own->n_labels};
}

/* With fewer inputs it would be another recording. */
static bool identify(const struct conversion *c, struct recording *recording)
{
    const struct options *o = &c->options;
    const struct send_options *own = (const struct send_options *)o->own;
    struct text why = {NULL, 0, 0};
    const char *about = NULL;

    if (c->statistics.n_unusable_inputs > 0)
        return complain(c->converter->name, NULL,
                        "nothing was sent, since not all inputs could be used");
    if (!recording_id_make(recording->id, o->files, o->n_files, own->begun_ns, &about,
                           &why))
        return complain_text(c->converter->name, about, &why);
    recording_date(recording, c->profile);
    return true;
}

static bool run_statement(void *context, const char *statement)
{
    return server_run((struct server *)context, statement);
}

static bool create_tables(const struct send_options *own, struct server *server)
{
    return !own->creates || ddl_create(&own->place, run_statement, server);
}

static bool send_all(const struct conversion *c, struct sender *sender)
{
    const struct send_options *own = (const struct send_options *)c->options.own;
    struct table_sink sink = sender_sink(sender);

    return server_check(sender->server) && create_tables(own, sender->server) &&
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
}

/* By ClickHouse's numbers of errors: an unknown table or database. */
static bool lacks_tables(const struct server *server)
{
    return server_answers_code(server, 60) || server_answers_code(server, 81);
}

static void complain_of_server(const struct conversion *c, const struct sender *sender)
{
    const struct send_options *own = (const struct send_options *)c->options.own;
    struct text why = {NULL, 0, 0};

    text_add(&why, sender->server->why.data, sender->server->why.size);
    if (lacks_tables(sender->server) && !own->creates)
        text_str(&why, ": --create makes the tables");
    if (sender->n_taken > 0) {
        text_str(&why, "; it took ");
        text_count(&why, sender->n_taken, "row");
        text_str(&why, ", which count once when all are sent again");
    }
    complain_text(c->converter->name, own->server.url, &why);
}

int send_profile(const struct conversion *c, struct output *output)
{
    struct send_options *own = (struct send_options *)c->options.own;
    char name[HOST_NAME_MAX + 1];
    struct recording recording = describe(own, name);
    struct server server;
    struct sender sender;

    if (!identify(c, &recording))
        return EXIT_UNUSABLE;
    sender_start(&sender, &server, own->place.database, &recording);
    own->is_taken = server_open(&server, &own->server) && send_all(c, &sender);
    if (own->is_taken)
        print_taken(&sender, output);
    else
        complain_of_server(c, &sender);
    server_close(&server);
    return own->is_taken ? EXIT_GOOD : EXIT_NOT_TAKEN;
}

/* ---- Losses ------------------------------------------------------------------------ */

static struct cell string_cell(const char *string)
{
    return (struct cell){.bytes = string, .n_bytes = strlen(string)};
}

static bool add_loss(const struct table_sink *sink, const char *name, uint64_t value)
{
    const struct cell cells[] = {string_cell(name),
                                 string_cell("disk"),
                                 {.is_null = true},
                                 {.uint64 = value},
                                 string_cell("the disk space for archives was full")};

    return sink->row(sink->context, &schema_tables[SCHEMA_LOSS], cells);
}

/* Known by what is known of it. */
static void identify_lost(struct recording *recording, const struct lost_archive *lost)
{
    unsigned char digest[SHA256_BYTES];
    struct text key = {NULL, 0, 0};
    struct sha256 hash;

    text_printf(&key, "lost archive %" PRIu64 " %" PRIu64 " ", lost->time_ns,
                lost->n_bytes);
    text_add(&key, lost->name, strlen(lost->name) + 1);
    text_str(&key, recording->host);
    sha256_start(&hash);
    sha256_add(&hash, key.data, key.size);
    sha256_end(&hash, digest);
    memcpy(recording->id, digest, HASH_BYTES);
    recording->time = recording_seconds((int64_t)lost->time_ns);
}

static bool add_losses(const struct table_sink *sink, uint64_t n_bytes)
{
    const struct table_info *table = &schema_tables[SCHEMA_LOSS];

    return sink->begin_table(sink->context, table) &&
           add_loss(sink, "dropped_archives", 1) &&
           add_loss(sink, "dropped_archive_bytes", n_bytes) &&
           sink->end_table(sink->context, table);
}

static bool send_lost_archive(const struct conversion *c, struct server *server,
                              const struct recording *recording, uint64_t n_bytes)
{
    const struct send_options *own = (const struct send_options *)c->options.own;
    struct sender sender;
    struct table_sink sink = sender_sink(&sender);
    bool good;

    sender_start(&sender, server, own->place.database, recording);
    good = add_losses(&sink, n_bytes) && sender_finish(&sender);
    if (!good)
        complain_of_server(c, &sender);
    return good;
}

int send_lost(const struct conversion *c, const struct lost_archives *lost)
{
    const struct send_options *own = (const struct send_options *)c->options.own;
    char name[HOST_NAME_MAX + 1];
    struct recording recording = describe(own, name);
    struct server server;
    bool good = server_open(&server, &own->server) && create_tables(own, &server);

    if (!good)
        complain_text(c->converter->name, own->server.url, &server.why);
    for (size_t i = 0; good && i < lost->n; i++) {
        identify_lost(&recording, &lost->all[i]);
        good = send_lost_archive(c, &server, &recording, lost->all[i].n_bytes);
    }
    server_close(&server);
    return good ? EXIT_GOOD : EXIT_NOT_TAKEN;
}

/* ---- Status ------------------------------------------------------------------------ */

int send_judge(const struct send_options *own, int status)
{
    bool is_begun = own->begun_ns > 0;

    return status == EXIT_BAD && is_begun && !own->is_taken ? EXIT_NOT_TAKEN : status;
}

bool send_reaches(const struct send_options *own)
{
    struct server server;
    bool good = server_open(&server, &own->server) && server_check(&server);

    if (!good)
        complain_text(own->server.program, own->server.url, &server.why);
    server_close(&server);
    return good;
}
