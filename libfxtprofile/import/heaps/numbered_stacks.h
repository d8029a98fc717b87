/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks as the records of heaps have them: by numbers, which are those of a process in a
 * snapshot, or of a heap in a series. */
#ifndef FXTPROFILE_IMPORT_NUMBERED_STACKS_H
#define FXTPROFILE_IMPORT_NUMBERED_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/table.h"

#define NUMBERED_STACK_NONE UINT32_MAX

/* Whose stacks they are. */
struct stack_owner {
    uint64_t stream;
    /* The id of a process, or the number of a heap. */
    uint64_t number;
};

struct numbered_stack {
    struct stack_owner owner;
    uint64_t number;
    size_t first_pc;
    uint64_t n_pcs;
    /* Its state: when its PCs were what they are, or 0; and how it ended. */
    uint64_t time_ns;
    uint32_t end;
};

/* All zero is an empty one. */
struct numbered_stacks {
    struct numbered_stack *all;
    size_t n;
    size_t capacity;
    uint64_t *pcs;
    size_t n_pcs;
    size_t pc_capacity;
    struct table table;
};

/* Returns where in `all` it is, or NUMBERED_STACK_NONE. */
uint32_t numbered_stacks_find(const struct numbered_stacks *stacks,
                              struct stack_owner owner, uint64_t number);

/* One that is not there; its PCs are words of a record. */
struct numbered_stack *numbered_stacks_add(struct numbered_stacks *stacks,
                                           struct stack_owner owner, uint64_t number,
                                           const unsigned char *pcs, uint64_t n_pcs);

/* The owner's stack of which nothing is known but that it has blocks: it has one PC that
 * is nowhere, and is added if it is not there. */
uint32_t numbered_stacks_unknown(struct numbered_stacks *stacks,
                                 struct stack_owner owner);

void numbered_stacks_free(struct numbered_stacks *stacks);

#endif
