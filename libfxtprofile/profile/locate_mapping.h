/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds mappings to the profile of a builder, for the addresses in it.
 */
#ifndef FXTPROFILE_PROFILE_LOCATE_MAPPING_H
#define FXTPROFILE_PROFILE_LOCATE_MAPPING_H

#include "address_lookup.h"
#include "profile_builder.h"

/* All zero but for the builder is an empty one. */
struct mapping_list {
    struct profile_builder *builder;
    size_t capacity;
    struct table table;
    /* Some file offset is not known. */
    bool lacks_offsets;
};

/* The number of an address's mapping in the profile, to which it is added unless it is
 * there; PROFILE_NO_MAPPING for an address about which nothing is known. */
uint32_t mapping_list_find(struct mapping_list *list, const struct map *map,
                           struct address_info info, uint64_t address);

/* The same for a file without addresses; PROFILE_NO_MAPPING for one of which neither the
 * name nor the build id is known. */
uint32_t mapping_list_find_file(struct mapping_list *list, struct string name,
                                struct string build_id);

/* After all others: adds the mapping of the only process's main program, if no mapping
 * has a rank that a main program can have. */
void mapping_list_add_main(struct mapping_list *list, const struct map *map);

/* Sets the flags of each mapping about what its locations have. */
void profile_flag_mappings(struct profile_builder *builder);

#endif
