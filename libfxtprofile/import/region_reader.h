/* SPDX-License-Identifier: BSD-2-Clause */
/* Regions in files, and readers with the options of the settings. */
#ifndef FXTPROFILE_IMPORT_REGION_READER_H
#define FXTPROFILE_IMPORT_REGION_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/reader.h>

#include "settings.h"

/* A region that a thread may read, in the order of the input. */
struct filled_region {
    size_t file;
    /* Where in the file it begins, how long it may be, and of which CPU it is. */
    uint64_t offset;
    uint64_t limit;
    uint32_t cpu;
    /* How many of its records a thread has collected, and whether these are all and there
     * was nothing to say about them. */
    uint64_t n_taken;
    bool done;
    /* It is a piece of a region, and complete only if its last record ends at its limit.
     */
    bool ends_in_record;
};

struct filled_regions {
    struct filled_region *items;
    size_t n;
    size_t capacity;
};

/* Makes a reader with the options of the settings. */
struct fxt_reader *regions_reader(const struct import_settings *settings,
                                  enum fxt_stream stream, fxt_record_fn *on_record,
                                  fxt_error_fn *on_error, void *context);

/* Replaces the only region by pieces, if it is large: at most as many as threads. */
void region_pieces_guess(const struct import_settings *settings,
                         struct filled_regions *regions, size_t n_threads);

#endif
