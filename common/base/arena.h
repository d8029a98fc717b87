/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for runs of numbers, each of which stays where it is until all are freed. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct run_block {
    uint32_t *numbers;
    /* How many belong to runs, one after the other. */
    size_t n;
    size_t capacity;
};

/* All zero has no runs. */
struct arena {
    struct run_block *blocks;
    size_t n_blocks;
    size_t capacity;
};

/* A run of `n` numbers, of any content. */
uint32_t *arena_add(struct arena *runs, size_t n);

/* Moves the runs of another arena here; they stay where they are. */
void arena_move(struct arena *runs, struct arena *from);

void arena_free(struct arena *runs);

#endif
