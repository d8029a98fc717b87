/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds locations and their lines to the profile of a builder, each location once.
 *
 * First the lines of a location are added, innermost first, and then the location, which
 * has all lines from its first one on.
 */
#ifndef FXTPROFILE_PROFILE_LOCATION_LIST_H
#define FXTPROFILE_PROFILE_LOCATION_LIST_H

#include "profile_builder.h"

/* All zero but for the builder is an empty one; to add to what a profile has, the
 * capacities are its counts. */
struct location_list {
    struct profile_builder *builder;
    size_t capacity;
    size_t line_capacity;
    struct table table;
};

void location_list_add_line(struct location_list *list, struct profile_line line);

/* Returns the number of the location, which is added unless an equal one was; in that
 * case, its lines are removed. */
uint32_t location_list_add(struct location_list *list,
                           const struct profile_location *location);

#endif
