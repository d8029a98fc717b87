/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mappings made free of overlap: where several show the same addresses of a process, the
 * one that came last is kept, and the others lose these addresses.
 */
#ifndef FXTPROFILE_PROFILE_OVERLAPS_H
#define FXTPROFILE_PROFILE_OVERLAPS_H

#include <stddef.h>

#include "modules.h"

/* Sorts the mappings, and stores in `*flat` an array, which is the caller's to free, of
 * the pieces of them that count: sorted by process and start, neighbours that continue
 * each other in one. */
void overlaps_resolve(struct mapping *mappings, size_t n, struct mapping **flat,
                      size_t *n_flat);

#endif
