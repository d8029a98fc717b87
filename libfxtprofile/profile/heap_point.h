/* SPDX-License-Identifier: BSD-2-Clause */
/* A point of a series of heaps: the sums over its processes. */
#ifndef FXTPROFILE_PROFILE_HEAP_POINT_H
#define FXTPROFILE_PROFILE_HEAP_POINT_H

#include <stdbool.h>
#include <stdint.h>

/* What a stack has, or several: live, and allocated since recording began. */
struct heap_amounts {
    uint64_t objects;
    uint64_t bytes;
    uint64_t alloc_objects;
    uint64_t alloc_bytes;
};

struct heap_point {
    uint64_t number;
    /* On the input's clock, and so long after the first of its processes began to be
     * recorded. */
    uint64_t time_ns;
    uint64_t since_start_ns;
    uint64_t n_processes;
    /* What is allocated is that of all processes that ever were. */
    struct heap_amounts amounts;
    /* The first one of an input. */
    bool is_first;
    /* It is the one that is shown. */
    bool is_shown;
};

#endif
