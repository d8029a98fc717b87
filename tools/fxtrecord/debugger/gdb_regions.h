/* SPDX-License-Identifier: BSD-2-Clause */
/* What was sampled through a debug stub and is not in the archive yet: a region for each
 * CPU. */
#ifndef FXTRECORD_DEBUGGER_GDB_REGIONS_H
#define FXTRECORD_DEBUGGER_GDB_REGIONS_H

#include <fxt/emit.h>

#include "common/processes/filled_regions.h"

/* All zero, but for the size of each region in bytes, has none. */
struct gdb_regions {
    uint64_t buffer_size;
    struct gdb_region *all;
    size_t n;
    size_t capacity;
    /* Records that did not fit. */
    uint64_t n_dropped;
};

/* The emitter of a CPU; NULL if there is no memory for its region. */
struct fxt_emit *gdb_regions_find(struct gdb_regions *regions, uint32_t cpu);

/* Adds what is in the regions to a block, and empties those that were in the last one.
 * What was dropped is reported from `start_ns` on. */
void gdb_regions_take(struct gdb_regions *regions, uint64_t start_ns,
                      struct filled_regions *block);

void gdb_regions_free(struct gdb_regions *regions);

#endif
