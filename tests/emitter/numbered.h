/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples whose whole content follows from their number, so that any damage shows; and
 * memory to write them to. For tests of the emitter. */
#ifndef TESTS_EMITTER_NUMBERED_H
#define TESTS_EMITTER_NUMBERED_H

#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/equal.h"

#include <fxt/emit.h>
#include <fxt/sample.h>

enum { MOST_PCS = 64, MOST_WORDS = FXT_EMIT_SAMPLE_WORDS_ + MOST_PCS };

static inline uint64_t mix(uint64_t value)
{
    value = (value ^ (value >> 31)) * 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 29)) * 0xbf58476d1ce4e5b9;
    return value ^ (value >> 32);
}

static inline uint64_t numbered_pc(uint64_t number, uint64_t index)
{
    return mix(number * MOST_PCS + index);
}

static inline uint64_t numbered_n_pcs(uint64_t number)
{
    return 1 + mix(number) % MOST_PCS;
}

static inline bool emit_numbered(struct fxt_emit *emit, uint64_t number)
{
    uint64_t pcs[MOST_PCS];
    uint64_t n_pcs = numbered_n_pcs(number);

    for (uint64_t i = 0; i < n_pcs; i++)
        pcs[i] = numbered_pc(number, i);
    return fxt_emit_sample(emit, number, ~number, mix(~number), pcs, n_pcs);
}

static inline bool is_numbered(const struct fxt_sample *sample, uint64_t number)
{
    bool same = sample->timestamp == number && sample->thread.process == ~number &&
                sample->thread.thread == mix(~number) &&
                sample->pcs.count == numbered_n_pcs(number);

    for (uint64_t i = 0; same && i < sample->pcs.count; i++)
        same = fxt_words_get(sample->pcs, i) == numbered_pc(number, i);
    return same;
}

/* The context is the number of the first sample, and numbers go up by one. */
static inline void check_numbered(void *context, uint64_t index,
                                  const struct fxt_sample *sample)
{
    if (!is_numbered(sample, *(const uint64_t *)context + index))
        CHECK(false, "sample %llu is damaged", (unsigned long long)index);
}

/* A mapping of whole pages, followed by an inaccessible one. */
static inline void *map_before_guard(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *all = mmap(NULL, size + page, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    CHECK_TRUE((void *)all != MAP_FAILED);
    CHECK_EQ(mprotect(all + size, page, PROT_NONE), 0);
    return all;
}

static inline void unmap(void *memory, size_t size)
{
    munmap(memory, size + (size_t)sysconf(_SC_PAGESIZE));
}

#endif
