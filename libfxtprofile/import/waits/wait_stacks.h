/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks of threads at the moments at which they were switched out, or at the beginning
 * of a trace in which they wait: large blobs with metadata in category `sched` with the
 * names `switch_out` and `waiting`, as docs/scheduling.md has them. Equal ones are kept
 * once.
 */
#ifndef FXTPROFILE_IMPORT_WAITS_WAIT_STACKS_H
#define FXTPROFILE_IMPORT_WAITS_WAIT_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/record.h>

#include "common/base/table.h"

/* A stack: `n` PCs from `first` on, leaf first, and how it ended. */
struct wait_stack {
    size_t first;
    uint32_t n;
    uint32_t end;
};

/* That of a thread at a time of a trace. */
struct wait_moment {
    uint64_t thread;
    uint64_t time_ns;
    uint32_t trace;
    uint32_t stack;
};

/* All zero is empty. */
struct wait_stacks {
    uint64_t *pcs;
    size_t n_pcs;
    size_t pc_capacity;
    struct wait_stack *stacks;
    size_t n_stacks;
    size_t stack_capacity;
    struct table stack_table;
    struct wait_moment *moments;
    size_t n_moments;
    size_t moment_capacity;
    struct table moment_table;
};

bool wait_stacks_is_one(const struct fxt_record *record);

/* Takes a record that is one, in a trace of that number. */
void wait_stacks_take(struct wait_stacks *stacks, const struct fxt_record *record,
                      uint32_t trace);

/* NULL if there is none. */
const struct wait_stack *wait_stacks_find(const struct wait_stacks *stacks,
                                          uint32_t trace, uint64_t thread,
                                          uint64_t time_ns);

void wait_stacks_free(struct wait_stacks *stacks);

#endif
