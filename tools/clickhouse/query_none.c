/* SPDX-License-Identifier: BSD-2-Clause */
/* See query.h: a build without libcurl. */
#include "query.h"

#include "tools/common/report.h"

bool query_database(const struct options *o, struct fxt_profile_builder *builder)
{
    (void)builder;
    return complain(o->program, NULL,
                    "--clickhouse is not available: this build has no libcurl");
}
