/* SPDX-License-Identifier: BSD-2-Clause */
/* Snapshots as an archive; docs/heap-records.md describes its records. */
#ifndef FXTHEAP_ARCHIVE_H
#define FXTHEAP_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "processes/process_records.h"
#include "table_file.h"

/* A process's heap, as it was at a time. */
struct snapshot {
    struct table_copy copy;
    struct clock_readings time;
    bool was_running;
};

/* Writes all of them; with tags, each block separately. Returns false, with the reason
 * added to `why`, if that failed, and then there is no file. */
bool archive_write(const struct snapshot *snapshots, size_t n, bool with_tags,
                   const char *name, struct text *why);

#endif
