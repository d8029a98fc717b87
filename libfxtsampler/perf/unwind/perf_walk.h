/* SPDX-License-Identifier: BSD-2-Clause */
/* The stack of a sample: walks the user's part by the tables of its process. */
#ifndef LIBFXTSAMPLER_PERF_WALK_H
#define LIBFXTSAMPLER_PERF_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/format.h>
#include <fxt/sampler.h>

#include "libfxtsampler/perf/perf_sample.h"
#include "perf_spaces.h"

enum { PERF_WALK_CACHE_ENTRIES = 8192 };

/* All zero knows no process. */
struct perf_walker {
    struct perf_spaces spaces;
    struct unwind_cache_entry cache[PERF_WALK_CACHE_ENTRIES];
    /* Of the stack that is being unwound: its space, and the file whose table is needed,
     * PERF_NO_FILE if there is none. */
    struct perf_space *space;
    uint32_t needed;
};

struct perf_stack {
    /* Leaf first. */
    uint64_t pcs[FXT_SAMPLER_DEPTH_MAX];
    uint32_t n_pcs;
    enum fxt_stack_end end;
    /* It is the first one of its process that was sampled in the kernel. */
    bool is_first_in_kernel;
};

/* Makes a stack. Returns false if the table of the file `needed`, which is large, has to
 * be made first. */
bool perf_walk(struct perf_walker *walker, const struct perf_sample *sample,
               struct perf_stack *stack);

#endif
