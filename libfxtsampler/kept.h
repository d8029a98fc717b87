/* SPDX-License-Identifier: BSD-2-Clause */
/* The samples that a session keeps in memory when they have left the regions: those of
 * the last while. */
#ifndef LIBFXTSAMPLER_KEPT_H
#define LIBFXTSAMPLER_KEPT_H

#include "region_parts.h"

/* What was taken from a region at a time. */
struct kept_part {
    struct kept_part *next;
    uint64_t taken_ns;
    uint32_t cpu;
    struct region_part part;
    uint64_t words[];
};

/* All zero is none. */
struct kept {
    /* In the order of time. */
    struct kept_part *first;
    struct kept_part *last;
    uint64_t n_bytes;
    /* How long parts are kept; 0 if the session keeps none. */
    uint64_t keep_ns;
};

/* Adds a copy of a part. Returns false if there is no memory. */
bool kept_add(struct kept *kept, uint32_t cpu, const struct region_part *part);

/* Removes what is too old, and the oldest beyond `max_bytes`. */
void kept_trim(struct kept *kept, uint64_t max_bytes);

void kept_free(struct kept *kept);

#endif
