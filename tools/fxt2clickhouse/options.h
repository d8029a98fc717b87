/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that only fxt2clickhouse has. */
#ifndef FXT2CLICKHOUSE_OPTIONS_H
#define FXT2CLICKHOUSE_OPTIONS_H

#include "tools/clickhouse/ddl.h"
#include "tools/clickhouse/recording.h"
#include "tools/clickhouse/server.h"
#include "tools/convert/options.h"

struct own_options {
    struct server_options server;
    struct ddl_place place;
    bool creates;
    /* The statements are printed, and nothing is read or sent. */
    bool prints_schema;
    /* When the program began, by the clock of files. */
    uint64_t begun_ns;
    /* NULL for this machine's name. */
    const char *host;
    struct label *labels;
    size_t n_labels;
    size_t label_capacity;
};

extern const struct option_group own_groups[];

/* The converter's functions of these names. */
bool own_options_take(struct options *options, int letter, const char *value);
bool own_options_check(struct options *options);

void own_options_free(struct own_options *own);

#endif
