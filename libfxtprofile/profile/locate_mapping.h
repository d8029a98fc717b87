/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The mappings of a profile, from the places that its addresses are in.
 */
#ifndef FXTPROFILE_PROFILE_LOCATE_MAPPING_H
#define FXTPROFILE_PROFILE_LOCATE_MAPPING_H

#include "address_lookup.h"
#include "profile.h"

/* All zero but for the profile is an empty one. */
struct mapping_list {
    struct profile *profile;
    size_t capacity;
    struct table table;
    /* Some file offset is not known. */
    bool lacks_offsets;
};

/* The number of a place's mapping in the profile, which is added unless it is there;
 * PROFILE_NO_MAPPING for a place of which nothing is known. */
uint32_t mapping_list_find(struct mapping_list *list, const struct map *map,
                           struct address_info place);

/* Adds the mapping of the only process's main program, if no location is in one that
 * could be taken for it. When all others were added. */
void mapping_list_add_main(struct mapping_list *list, const struct map *map);

/* Says of each mapping what its locations have. */
void profile_flag_mappings(struct profile *profile);

#endif
