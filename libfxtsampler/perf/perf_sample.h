/* SPDX-License-Identifier: BSD-2-Clause */
/* What is in a perf event's samples. */
#ifndef LIBFXTSAMPLER_PERF_SAMPLE_H
#define LIBFXTSAMPLER_PERF_SAMPLE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/sampler.h>

/* What each sample has; with unwind tables it has PERF_SAMPLE_STACK_FIELDS, too. */
#define PERF_SAMPLE_FIELDS                                                               \
    (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |              \
     PERF_SAMPLE_CALLCHAIN)
#define PERF_SAMPLE_STACK_FIELDS (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

/* How many bytes of samples a busy CPU makes a second: without copies of stacks, most are
 * much smaller than this. */
static inline uint64_t perf_sample_rate(uint64_t stack_size, uint64_t period_ns)
{
    const uint64_t without_stack = 512;

    return (stack_size + without_stack) * (UINT64_C(1000000000) / period_ns);
}

/* Points into the record. */
struct perf_sample {
    uint64_t time;
    uint32_t process;
    uint32_t thread;
    uint64_t ip;
    /* How many events it stands for, if it says; else 0. */
    uint64_t period;
    /* It was taken in the kernel. */
    bool in_kernel;
    /* The call chain, leaf first, without the markers between kernel and user: first
     * `n_kernel` PCs of the kernel, then those of the user. */
    uint64_t pcs[FXT_SAMPLER_DEPTH_MAX];
    uint32_t n_kernel;
    uint32_t n_pcs;
    /* More were left out. */
    bool is_cut;
    /* PERF_SAMPLE_REGS_ABI_NONE and so on, and a word for each bit of the mask; NULL if
     * none were requested. */
    uint64_t abi;
    const unsigned char *registers;
    /* A copy of the user's stack from its stack pointer on: how much was requested, and
     * how much there was. */
    const unsigned char *stack;
    uint64_t stack_size;
    uint64_t stack_used;
};

/* Returns false if the record is too short for its contents. `attr` is the attribute with
 * which it was requested. */
bool perf_sample_read(const struct perf_event_header *record,
                      const struct perf_event_attr *attr, struct perf_sample *sample);

/* Bytes of a record; all zero is none. */
struct perf_gap {
    size_t offset;
    size_t size;
};

/* What a sample need not keep: the kernel makes room for as much stack as was requested,
 * and leaves most of it unused. perf_sample_read reads the record without it, too. */
struct perf_gap perf_sample_unused(const struct perf_event_header *record,
                                   const struct perf_event_attr *attr);

#endif
