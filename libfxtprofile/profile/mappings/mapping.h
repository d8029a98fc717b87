/* SPDX-License-Identifier: BSD-2-Clause */
/* A range of a process's addresses at which a part of a module is mapped. */
#ifndef FXTPROFILE_PROFILE_MAPPINGS_MAPPING_H
#define FXTPROFILE_PROFILE_MAPPINGS_MAPPING_H

#include <stdbool.h>
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

#endif
