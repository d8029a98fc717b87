/* SPDX-License-Identifier: BSD-2-Clause */
/* See send.h. */
#include "send.h"

#include <limits.h>
#include <unistd.h>

#include "sender.h"
#include "tools/common/report.h"
#include "tools/tables/produce.h"
#include "tools/tables/recording_id.h"

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

/* With fewer inputs it would be another recording. */
static bool identify(const struct conversion *c, struct recording *recording)
{
    const struct options *o = &c->options;
    const struct send_options *own = (const struct send_options *)o->own;
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

static bool run_statement(void *context, const char *statement)
{
    return server_run((struct server *)context, statement);
}

static bool send_all(const struct conversion *c, struct sender *sender)
{
    const struct send_options *own = (const struct send_options *)c->options.own;
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
    const struct send_options *own = (const struct send_options *)c->options.own;
    struct text why = {NULL, 0, 0};

    text_add(&why, sender->server->why.data, sender->server->why.size);
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
    struct recording recording = {
        .host = name_host(own, name), .labels = own->labels, .n_labels = own->n_labels};
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
    sender_free(&sender);
    server_close(&server);
    return own->is_taken ? EXIT_GOOD : EXIT_NOT_TAKEN;
}

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
