/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order of mappings, locations and lines, which were found in the order of the
 * samples.
 */
#ifndef FXTPROFILE_PROFILE_LOCATE_ORDER_H
#define FXTPROFILE_PROFILE_LOCATE_ORDER_H

#include "profile.h"

/* Sorts the mappings, the likeliest main program first, and numbers them anew wherever
 * they are named. */
void profile_order_mappings(struct profile *profile);

/* The numbers of the locations, by mapping and address, for the caller to free. */
uint32_t *profile_sort_locations(const struct profile *profile);

/* Puts the lines into the order of the locations, and drops those that are of none. */
void profile_order_lines(struct profile *profile);

#endif
