/* SPDX-License-Identifier: BSD-2-Clause */
/* A profile as rows of the tables in schema.h. */
#ifndef TOOLS_TABLES_PRODUCE_H
#define TOOLS_TABLES_PRODUCE_H

#include <fxt/profile.h>

#include "common/base/text.h"
#include "sink.h"

/* What a profile is built with, so that all tables can be made of it: sets members of
 * the options, whose source must be FXT_PROFILE_SAMPLES. */
void tables_choose_options(struct fxt_profile_options *options);

/* Gives all rows of all tables to a sink. Returns false if the sink does. The memory that
 * it takes grows with the number of threads, stacks and different samples, and not with
 * the number of rows. Within a memory_run (common/base/memory.h). */
bool tables_produce(const struct fxt_profile *profile, const struct table_sink *sink);

/* The id of a recording, by which tables of many are told apart. Makes it, so that equal
 * inputs have the same one wherever they are: the first bytes of SHA-256 of the input's
 * content, decompressed; of several inputs, of their SHA-256s. They are read for that:
 * what is no regular file would be at its end, and is refused. So is one that has changed
 * since `unchanged_since_ns` by the clock of files, if that is not UINT64_MAX: it may not
 * be what was read before. Returns false, with the reason in `why` and the input in
 * `about`, for these and for one that cannot be read. */
bool recording_id_make(unsigned char id[HASH_BYTES], const struct fxt_profile_file *files,
                       size_t n_files, uint64_t unchanged_since_ns, const char **about,
                       struct text *why);

#endif
