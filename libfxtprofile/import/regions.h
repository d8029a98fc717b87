/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading regions on several threads.
 *
 * Regions that hold nothing but samples and drops, and no damage, are read by threads,
 * each of which collects separately. At anything else a thread stops reading the region:
 * what depends on order, such as reports, is left to load.h, which reads all inputs in
 * order and skips what threads have collected.
 */
#ifndef FXTPROFILE_IMPORT_REGIONS_H
#define FXTPROFILE_IMPORT_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/reader.h>

#include "collect.h"
#include "common/base/io/input.h"
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
};

struct filled_regions {
    struct filled_region *items;
    size_t n;
    size_t capacity;
};

/* Reads what regions of the input can be read so; `n_regions` came before them. The
 * regions' items are the caller's to free; there are none where there is no work for two
 * threads. */
struct filled_regions regions_read(const struct import_settings *settings,
                                   struct collect *collect, uint32_t n_regions);

/* Whether the reader should take the input for an archive: as it would itself, but the
 * collecting must know before the first record. */
bool regions_is_archive(const struct import_settings *settings, struct input *input);

/* Whether the word at the start of an input is the magic number record, in a byte order
 * that is possible. */
bool regions_is_magic(const struct import_settings *settings, const void *word);

/* Makes a reader with the options of the settings. */
struct fxt_reader *regions_reader(const struct import_settings *settings,
                                  enum fxt_stream stream, fxt_record_fn *on_record,
                                  fxt_error_fn *on_error, void *context);

#endif
