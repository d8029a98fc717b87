/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The epochs of processes: what is at an address changes only where an epoch ends. They
 * are numbered from 1 on, each number being of one process; 0 is for processes in which
 * nothing ever changes.
 */
#ifndef FXTPROFILE_PROFILE_MAPPINGS_EPOCHS_H
#define FXTPROFILE_PROFILE_MAPPINGS_EPOCHS_H

#include <stddef.h>
#include <stdint.h>

#include "mapping_times.h"

struct epoch {
    uint64_t process;
    uint64_t start_ns;
};

/* All zero is none. */
struct epochs {
    struct epoch *all;
    size_t n;
    size_t capacity;
};

/* Adds the times at which addresses get other mappings. */
void epochs_add(struct epochs *epochs, const struct mapping_times *times);

/* After the last of these and before the first look-up. */
void epochs_finish(struct epochs *epochs);

/* The epoch of a process at a time; its first one for earlier times. */
uint32_t epochs_find(const struct epochs *epochs, uint64_t process, uint64_t time_ns);

void epochs_free(struct epochs *epochs);

#endif
