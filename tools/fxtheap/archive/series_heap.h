/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the archive of a series has of a heap so far, so that each point has only what has
 * changed since the one before.
 *
 * A heap is a process's table: a process that calls exec has another one.
 */
#ifndef FXTHEAP_ARCHIVE_SERIES_HEAP_H
#define FXTHEAP_ARCHIVE_SERIES_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "tools/fxtheap/table/table_copy.h"

/* A stack; number 0 is that of blocks whose stack is not known. */
struct series_stack {
    uint32_t number;
    struct table_amount live;
    struct table_amount allocated;
    uint64_t n_temporary;
    /* In the present point: it is new; its amounts have changed. */
    bool is_new;
    bool is_changed;
};

struct series_heap {
    /* Whose table it is, and when that was made. */
    uint64_t process;
    uint64_t start_ticks;
    uint64_t created_ns;
    /* In the archive, from 1. */
    uint64_t number;
    /* How many bytes of the table's maps were taken. */
    size_t maps_size;
    /* By their numbers. */
    struct series_stack *stacks;
    size_t n_stacks;
    /* Sums over them. */
    struct table_amount live;
    struct table_amount allocated;
};

/* Takes the amounts of a copy, which has no blocks, and marks what is new and changed. */
void series_heap_update(struct series_heap *heap, const struct table_copy *copy);

void series_heap_free(struct series_heap *heap);

#endif
