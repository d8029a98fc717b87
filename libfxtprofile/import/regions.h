/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading regions on several threads, or pieces of one that is large.
 *
 * Regions that hold nothing but samples and drops, and no damage, are read by threads,
 * each of which collects separately. At anything else a thread stops reading the region:
 * what depends on order, such as reports, is left to load.h, which reads all inputs in
 * order and skips what threads have collected.
 */
#ifndef FXTPROFILE_IMPORT_REGIONS_H
#define FXTPROFILE_IMPORT_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "collect.h"
#include "common/base/io/input.h"
#include "region_reader.h"

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

#endif
