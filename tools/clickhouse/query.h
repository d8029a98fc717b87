/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of a ClickHouse server, for a converter that has options_database. */
#ifndef TOOLS_CLICKHOUSE_QUERY_H
#define TOOLS_CLICKHOUSE_QUERY_H

#include "tools/convert/options.h"

/* An options_query_fn. */
bool query_database(const struct options *options, struct fxt_profile_builder *builder);

#endif
