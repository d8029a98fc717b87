/* SPDX-License-Identifier: BSD-2-Clause */
/* Taking records out of regions while others write to them. */
#ifndef LIBFXTSAMPLER_REGION_PARTS_H
#define LIBFXTSAMPLER_REGION_PARTS_H

#include "regions.h"

/* Whole records of a region, in the order of time, and what has happened since the part
 * before: samples, and other records, that were dropped or lost. */
struct region_part {
    const uint64_t *words;
    uint64_t n_words;
    /* Samples among its records, counted only if it is cut. */
    uint64_t n_samples;
    /* How many samples the writers have counted, also of what comes after this part. */
    uint64_t samples;
    uint64_t dropped;
    uint64_t others_dropped;
    uint64_t dropped_bytes;
    uint64_t lost;
    /* If any were: the first and the last time. */
    uint64_t first_drop;
    uint64_t last_drop;
    /* There is more. */
    bool is_cut;
};

/* The most that a part has, but for a single record. */
enum { REGION_PART_BYTES = 1 << 20 };

/* Which part comes next: of what was not removed, or of what was not seen. */
enum region_cursor { REGION_NOT_REMOVED, REGION_NOT_SEEN };

/* Finds the next part. Returns false if a writer has been inside of the region for so
 * long that it may never leave. */
bool region_part_find(struct region *region, enum region_cursor cursor,
                      struct region_part *part);

/* The part was seen, or is removed, and its memory used again. */
void region_part_pass(struct region *region, const struct region_part *part);
void region_part_remove(struct region *region, const struct region_part *part);

#endif
