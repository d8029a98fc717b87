/* SPDX-License-Identifier: BSD-2-Clause */
/* Mappings of processes, which may replace each other in time, and what of them is at an
 * address. */
#ifndef FXTPROFILE_PROFILE_MAPPINGS_MAPPING_SET_H
#define FXTPROFILE_PROFILE_MAPPINGS_MAPPING_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mapping.h"
#include "mapping_times.h"

/* All zero is an empty one. */
struct mapping_set {
    /* In the order of the input; after mapping_set_finish by process and start, without
     * overlap. */
    struct mapping *all;
    size_t n;
    size_t capacity;
    /* For processes that have reused addresses; after mapping_set_finish. */
    struct mapping_times times;
};

/* Adds a mapping, whose sequence is set, and whose limit is what its start and `length`
 * are. Returns false, and ignores it, if that is empty or there are too many. */
bool mapping_set_add(struct mapping_set *set, struct mapping mapping, uint64_t length);

/* After the last mapping and before the first look-up. */
void mapping_set_finish(struct mapping_set *set);

/* The last mapping that has an address of a process, or NULL. */
const struct mapping *mapping_set_find(const struct mapping_set *set, uint64_t process,
                                       uint64_t address);

/* The same at some time. */
const struct mapping *mapping_set_find_at(const struct mapping_set *set, uint64_t process,
                                          uint64_t time_ns, uint64_t address);

/* Reduces a range of a process that has no mapping at `address` to what has no mapping
 * around that. */
void mapping_set_find_gap(const struct mapping_set *set, uint64_t process,
                          uint64_t address, uint64_t *start, uint64_t *limit);

/* Reduces a range of a process to the part from the first mapping that begins in it to
 * the end of the last one; if none begins there, the range stays. */
void mapping_set_find_span(const struct mapping_set *set, uint64_t process,
                           uint64_t *start, uint64_t *limit);

void mapping_set_free(struct mapping_set *set);

#endif
