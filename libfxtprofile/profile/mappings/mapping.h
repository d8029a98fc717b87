/* SPDX-License-Identifier: BSD-2-Clause */
/* A range of a process's addresses at which a part of a module is mapped. */
#ifndef FXTPROFILE_PROFILE_MAPPINGS_MAPPING_H
#define FXTPROFILE_PROFILE_MAPPINGS_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapping {
    uint64_t process;
    uint64_t start;
    uint64_t limit;
    /* The module's own address that is mapped at `start`. */
    uint64_t vaddr;
    uint32_t module;
    /* enum fxt_mapping_flag; ignored in look-ups, since writers and readers of it
     * differ. */
    uint32_t flags;
    /* The time from which it is mapped, and its place in the input: of mappings of the
     * same time the last one counts. */
    uint64_t time_ns;
    uint32_t sequence;
    /* Another mapping of the process has had some of its addresses, too; set where
     * mapping_times_build keeps it. */
    bool is_shared;
};

/* Makes mappings free of overlap: where several show the same addresses of a process, the
 * one that came last is kept, and the others lose these addresses. Sorts the mappings,
 * and stores in `*flat` an array, for the caller to free, of the parts of them that are
 * kept: sorted by process and start, adjacent parts of one mapping joined. */
void overlaps_resolve(struct mapping *mappings, size_t n, struct mapping **flat,
                      size_t *n_flat);

#endif
