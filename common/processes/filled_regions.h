/* SPDX-License-Identifier: BSD-2-Clause */
/* The regions that a recording has filled: one for each CPU, or one for each CPU and
 * process where several processes have sampled themselves. */
#ifndef PROCESSES_FILLED_REGIONS_H
#define PROCESSES_FILLED_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/reader.h>

/* A region, and what it lacks. */
struct filled_region {
    uint32_t cpu;
    const void *data;
    uint64_t size;
    /* How many samples its writer has counted; UINT64_MAX if that is not known. */
    uint64_t n_reported;
    uint64_t dropped;
    /* Records that are no samples. */
    uint64_t others_dropped;
    uint64_t dropped_bytes;
    uint64_t lost;
    uint64_t first_drop;
    uint64_t last_drop;
    /* `data` is memory of the block. */
    bool is_owned;
    /* What recording_add_block finds: the size of the records, and the samples. */
    uint64_t used;
    uint64_t n_samples;
};

struct filled_regions {
    struct filled_region *all;
    size_t n;
    size_t capacity;
};

void filled_regions_add(struct filled_regions *regions, struct filled_region region);

/* Frees what the regions own, and leaves none; with _free, of the list as well. */
void filled_regions_clear(struct filled_regions *regions);
void filled_regions_free(struct filled_regions *regions);

/* Whether there is no room for the largest sample by signals, so that some may have been
 * dropped: `size` and `used` count. */
bool filled_region_is_full(const struct filled_region *region);

/* Reads the records of a region. */
void filled_region_read(const struct filled_region *region, fxt_record_fn *on_record,
                        fxt_error_fn *on_error, void *context);

#endif
