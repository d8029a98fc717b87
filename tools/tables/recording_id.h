/* SPDX-License-Identifier: BSD-2-Clause */
/* The id of a recording, by which tables of many are told apart. */
#ifndef TOOLS_TABLES_RECORDING_ID_H
#define TOOLS_TABLES_RECORDING_ID_H

#include <fxt/profile.h>

#include "common/base/text.h"
#include "sink.h"

/* Makes the id, so that equal inputs have the same one wherever they are: the first bytes
 * of SHA-256 of the input's content, decompressed; of several inputs, of their SHA-256s.
 * They are read for that: what is no regular file would be at its end, and is refused. So
 * is one that has changed since `unchanged_since_ns` by the clock of files, if that is
 * not UINT64_MAX: it may not be what was read before. Returns false, with the reason in
 * `why` and the input in `about`, for these and for one that cannot be read. */
bool recording_id_make(unsigned char id[HASH_BYTES], const struct fxt_profile_file *files,
                       size_t n_files, uint64_t unchanged_since_ns, const char **about,
                       struct text *why);

#endif
