/* SPDX-License-Identifier: BSD-2-Clause */
/* Snapshots as an archive; docs/heap-records.md describes its records. */
#ifndef FXTHEAP_ARCHIVE_H
#define FXTHEAP_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/fxtheap/snapshot.h"

/* Writes snapshots; with tags, each block separately, else in groups, by which the blocks
 * of the snapshots are then sorted. Returns false, with the reason
 * added to `why`, if that failed, and then there is no file. */
bool archive_write(struct snapshot *snapshots, size_t n, bool with_tags, const char *name,
                   struct text *why);

#endif
