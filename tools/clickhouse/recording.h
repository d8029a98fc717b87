/* SPDX-License-Identifier: BSD-2-Clause */
/* What is sent, as a whole: its id, its time, and what its sender says about it. */
#ifndef TOOLS_CLICKHOUSE_RECORDING_H
#define TOOLS_CLICKHOUSE_RECORDING_H

#include <fxt/profile.h>

#include "common/base/text.h"
#include "tools/tables/sink.h"

struct label {
    /* Of this size; the value is a string. */
    const char *name;
    size_t name_size;
    const char *value;
};

struct recording {
    unsigned char id[HASH_BYTES];
    /* When it was made, in seconds since the Unix epoch; 0 if that is not known. */
    uint32_t time;
    const char *host;
    const struct label *labels;
    size_t n_labels;
};

/* A time in nanoseconds as seconds in 32 bits; what is beyond is the first or the last.
 */
uint32_t recording_seconds(int64_t ns);

/* Takes the time from what was recorded. */
void recording_date(struct recording *recording, const struct fxt_profile *profile);

/* Adds its row in RowBinary; n_rows is how many other rows it has. */
void recording_row(struct text *rows, const struct recording *recording, uint64_t n_rows);

#endif
