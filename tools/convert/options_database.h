/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options about a ClickHouse server: that of fxt2clickhouse, to which it sends, and
 * that of tools that take samples from one in place of files.
 */
#ifndef CONVERT_OPTIONS_DATABASE_H
#define CONVERT_OPTIONS_DATABASE_H

#include "options.h"

/* Which samples; and how servers are spoken to. */
extern const struct option_entry options_database[];
/* One more, for what can compare. */
extern const struct option_entry options_database_diff[];
extern const struct option_entry options_server[];

struct server_options options_default_server(const char *program);

/* What follows from these options. Complains and returns false where they do not go
 * together. */
bool options_choose_database(struct options *options, const struct converter *converter);

#endif
