/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order of mappings, locations and lines, which were found in the order of the
 * samples.
 */
#ifndef FXTPROFILE_PROFILE_LOCATE_ORDER_H
#define FXTPROFILE_PROFILE_LOCATE_ORDER_H

#include "profile_builder.h"

/* Sorts the mappings, the likeliest main program first, and renumbers references to
 * them. */
void profile_order_mappings(struct profile_builder *builder);

/* The numbers of the locations, by mapping and address, for the caller to free. */
uint32_t *profile_sort_locations(const struct profile *profile);

/* Puts the lines into the order of the locations, and drops lines of no location. */
void profile_order_lines(struct profile_builder *builder);

#endif
