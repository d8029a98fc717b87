/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The archive of a series of points: docs/heap-records.md describes its records. A point
 * is written when it is complete: whatever happens later, the archive can be read up to
 * the last one.
 */
#ifndef FXTHEAP_ARCHIVE_SERIES_H
#define FXTHEAP_ARCHIVE_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/fxtheap/snapshot.h"

struct series;

/* Begins one. Returns NULL, with the reason added to `why`, if that is not possible. */
struct series *series_begin(const char *name, struct text *why);

/* Adds a process to the point to come: a snapshot of amounts, which is the series' from
 * here on. */
void series_add(struct series *series, struct snapshot *snapshot);

/* Ends a point, unless nothing was added. After a failure to write there are no more. */
void series_end_point(struct series *series);

struct series_counts {
    uint64_t n_points;
    /* Processes as they were at their end, or at the last point that they were in. */
    uint64_t n_processes;
    uint64_t n_running;
    struct snapshot_totals left;
    bool is_sampled;
};

/* Ends it; without a point there is no file. Returns false, with the reason added to
 * `why`, if not all could be written. */
bool series_end(struct series *series, struct series_counts *counts, struct text *why);

#endif
