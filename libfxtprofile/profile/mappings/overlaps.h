/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mappings made free of overlap: where several show the same addresses of a process, the
 * one that came last is kept, and the others lose these addresses.
 */
#ifndef FXTPROFILE_PROFILE_MAPPINGS_OVERLAPS_H
#define FXTPROFILE_PROFILE_MAPPINGS_OVERLAPS_H

#include <stddef.h>

#include "mapping.h"

/* Sorts the mappings, and stores in `*flat` an array, for the caller to free, of the
 * parts of them that are kept: sorted by process and start, adjacent parts of one mapping
 * joined. */
void overlaps_resolve(struct mapping *mappings, size_t n, struct mapping **flat,
                      size_t *n_flat);

#endif
