/* SPDX-License-Identifier: BSD-2-Clause */
/* The stack of a sample. */
#ifndef LIBFXTSAMPLER_PERF_STACK_H
#define LIBFXTSAMPLER_PERF_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include <fxt/format.h>
#include <fxt/sampler.h>

struct perf_stack {
    /* Leaf first. */
    uint64_t pcs[FXT_SAMPLER_DEPTH_MAX];
    uint32_t n_pcs;
    enum fxt_stack_end end;
    /* It is the first one of its process that was sampled in the kernel. */
    bool is_first_in_kernel;
};

#endif
