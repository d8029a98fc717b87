/* SPDX-License-Identifier: BSD-2-Clause */
/* A target whose memory is freed by the pool that it is from, as that of a profile is. */
#ifndef FUZZ_POOLED_H
#define FUZZ_POOLED_H

#include "common/base/memory.h"
#include "target.h"

struct fuzz_input {
    const uint8_t *data;
    size_t size;
};

/* Calls `run` with a struct fuzz_input. */
static inline void run_pooled(memory_fn *run, const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    struct memory_pool pool;

    memory_pool_start(&pool, 0);
    require(memory_run(&pool, run, &input) == NULL, "there is memory");
    memory_pool_end(&pool);
}

#endif
