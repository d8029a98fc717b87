/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile as rows of the tables in schema.h. */
#ifndef TOOLS_TABLES_PRODUCE_H
#define TOOLS_TABLES_PRODUCE_H

#include <fxt/profile.h>

#include "sink.h"

/* What a profile is built with, so that all tables can be made of it: sets members of
 * the options, whose source must be FXT_PROFILE_SAMPLES. */
void tables_choose_options(struct fxt_profile_options *options);

/* Gives all rows of all tables to a sink. Returns false if the sink does. The memory that
 * it takes grows with the number of threads, stacks and different samples, and not with
 * the number of rows. Within a memory_run (common/base/memory.h). */
bool tables_produce(const struct fxt_profile *profile, const struct table_sink *sink);

#endif
