/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was mapped at an address at some time, in processes that have reused addresses.
 *
 * At any time the last mapping until then is valid; before all mappings of an address the
 * first one is, since a profiler may record a mapping late. Of mappings of the same time
 * the last one of the input counts. So what is mapped changes only at the times of
 * mappings, and the time from each of these to the next is an *epoch* (epochs.h).
 */
#ifndef FXTPROFILE_PROFILE_MAPPINGS_MAPPING_TIMES_H
#define FXTPROFILE_PROFILE_MAPPINGS_MAPPING_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mapping.h"

struct mapping_times_process;

/* All zero is an empty one. */
struct mapping_times {
    /* The mappings of such processes, sorted by process, time and place in the input. */
    struct mapping *mappings;
    size_t n_mappings;
    struct mapping_times_process *processes;
    size_t n_processes;
    size_t process_capacity;
};

/* Keeps a copy of the mappings of such processes. */
void mapping_times_build(struct mapping_times *times, const struct mapping *mappings,
                         size_t n);

/* Whether a process has reused addresses. */
bool mapping_times_has(const struct mapping_times *times, uint64_t process);

/* What such a process had at an address at some time, or NULL. */
const struct mapping *mapping_times_find(const struct mapping_times *times,
                                         uint64_t process, uint64_t time_ns,
                                         uint64_t address);

void mapping_times_free(struct mapping_times *times);

#endif
