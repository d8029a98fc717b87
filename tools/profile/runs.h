/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for runs of numbers, each of which stays where it is until all are freed. */
#ifndef TOOLS_RUNS_H
#define TOOLS_RUNS_H

#include <stddef.h>
#include <stdint.h>

struct run_block {
    uint32_t *numbers;
    /* How many belong to runs, one behind the other. */
    size_t n;
    size_t capacity;
};

/* All zero has no runs. */
struct runs {
    struct run_block *blocks;
    size_t n_blocks;
    size_t capacity;
};

/* A run of `n` numbers, of any content. */
uint32_t *runs_add(struct runs *runs, size_t n);

void runs_free(struct runs *runs);

#endif
