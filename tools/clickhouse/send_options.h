/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of programs that send recordings: the server, and what describes a
 * recording. */
#ifndef TOOLS_CLICKHOUSE_SEND_OPTIONS_H
#define TOOLS_CLICKHOUSE_SEND_OPTIONS_H

#include "ddl.h"
#include "recording.h"
#include "server.h"
#include "tools/convert/options.h"

/* A converter's `own` is this, or begins with it. */
struct send_options {
    const char *url;
    /* What is known of the server, and where tables are there, after the check. */
    struct server_options server;
    struct ddl_place place;
    bool creates;
    /* When inputs began to be read, by the clock of files; 0 if they were not. */
    uint64_t begun_ns;
    /* The server has taken all of them. */
    bool is_taken;
    /* NULL for this machine's name. */
    const char *host;
    struct label *labels;
    size_t n_labels;
    size_t label_capacity;
};

/* Beside options_server. */
extern const struct option_entry send_options_server[];
extern const struct option_entry send_options_writing[];
/* Those of all converters but --output. */
extern const struct option_entry send_options_general[];

/* The converter's check_own. */
bool send_options_check(struct options *options);

#endif
