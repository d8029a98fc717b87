/* SPDX-License-Identifier: BSD-2-Clause */
/* The regions that a recording has filled: one for each CPU, or, where a command's
 * processes are sampled from inside, one for each CPU and process. */
#ifndef FXTRECORD_FILLED_REGIONS_H
#define FXTRECORD_FILLED_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/reader.h>

#include "base/text.h"

/* A region that was filled, and what it lacks. */
struct filled_region {
    uint32_t cpu;
    const void *data;
    uint64_t size;
    /* How many bytes of records, and how many samples, archive_survey has found. */
    uint64_t used;
    uint64_t n_samples;
    /* How many samples whoever filled it says there are; UINT64_MAX where nobody does. */
    uint64_t n_told;
    uint64_t dropped;
    uint64_t dropped_bytes;
    uint64_t lost;
    uint64_t first_drop;
    uint64_t last_drop;
    /* Who filled it did not come to say what it lacks. */
    bool is_untold;
    /* `data` is to be unmapped. */
    bool is_mapped;
};

struct filled_regions {
    struct filled_region *all;
    size_t n;
    size_t capacity;
};

/* Reads a region. What is wrong in it is the functions' to count. */
void piece_read(const struct filled_region *piece, fxt_record_fn *on_record,
                fxt_error_fn *on_error, void *context);

/* Whether no piece before number `i` is of the same CPU. */
bool filled_regions_is_first(const struct filled_regions *pieces, size_t i);

/* Writes each CPU's pieces as one region, cpu0.bin and so on: a process's records behind
 * another's. Returns false, with the reason added to `why`, if that failed. */
bool filled_regions_write(const struct filled_regions *pieces, const char *directory,
                          struct text *why);

/* Removes the files of CPUs in a directory that there are no pieces of: those that never
 * were online hold nothing. */
void filled_regions_remove_others(const struct filled_regions *pieces,
                                  const char *directory);

/* Adds a piece, whose capacity grows as it must. */
void filled_regions_add(struct filled_regions *pieces, struct filled_region piece);

#endif
