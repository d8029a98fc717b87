/* SPDX-License-Identifier: BSD-2-Clause */
/* See peak.h. */
#include "peak.h"

#include <time.h>

#include "common/base/clock.h"
#include "stacks.h"

/* How much larger than the last one a peak must be: this fraction, as a power of two. */
enum { LARGER_BITS = 8 };

static struct heap_live_v3 *live_of(const struct table *t, uint32_t stack)
{
    struct heap_stack_v1 *known;

    if (stack == 0)
        return &t->peak->no_stack;
    known = stacks_at(t, stack);
    return (struct heap_live_v3 *)(void *)&known->pcs[known->n_pcs];
}

/* Saves what a stack had at the last peak, if this is the first change since. Of threads
 * that do so at a time, one marks it. */
static void save_live(const struct table *t, struct heap_live_v3 *live)
{
    uint64_t last = __atomic_load_n(&t->peak->largest, __ATOMIC_ACQUIRE);
    uint64_t saved = __atomic_load_n(&live->peak, __ATOMIC_RELAXED);
    uint64_t objects = __atomic_load_n(&live->objects, __ATOMIC_RELAXED);
    uint64_t bytes = __atomic_load_n(&live->bytes, __ATOMIC_RELAXED);

    if (saved == last)
        return;
    __atomic_store_n(&live->peak_objects, objects, __ATOMIC_RELAXED);
    __atomic_store_n(&live->peak_bytes, bytes, __ATOMIC_RELAXED);
    __atomic_compare_exchange_n(&live->peak, &saved, last, false, __ATOMIC_RELEASE,
                                __ATOMIC_RELAXED);
}

/* The numbers to be added may be negative, modulo 2 to the power of 64. */
static void change_live(struct table *t, uint32_t stack, uint64_t objects, uint64_t bytes)
{
    struct heap_live_v3 *live = live_of(t, stack);

    save_live(t, live);
    /* A reader that sees one of these also sees what was saved. */
    __atomic_fetch_add(&live->objects, objects, __ATOMIC_RELEASE);
    __atomic_fetch_add(&live->bytes, bytes, __ATOMIC_RELEASE);
    __atomic_fetch_add(&t->peak->bytes, bytes, __ATOMIC_RELAXED);
}

/* Before the heap shrinks. One thread marks a peak. */
static void mark_peak(struct table *t)
{
    struct heap_peak_v3 *peak = t->peak;
    uint64_t bytes = __atomic_load_n(&peak->bytes, __ATOMIC_RELAXED);
    uint64_t largest = __atomic_load_n(&peak->largest, __ATOMIC_RELAXED);

    if (bytes > largest + (largest >> LARGER_BITS) &&
        __atomic_compare_exchange_n(&peak->largest, &largest, bytes, false,
                                    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        __atomic_store_n(&peak->time_ns, clock_ns(CLOCK_MONOTONIC), __ATOMIC_RELAXED);
}

void peak_add(struct table *t, uint32_t stack, uint64_t size)
{
    change_live(t, stack, 1, size);
}

void peak_remove(struct table *t, uint32_t stack, uint64_t size)
{
    mark_peak(t);
    change_live(t, stack, UINT64_MAX, 0 - size);
}

void peak_resize(struct table *t, uint32_t stack, uint64_t before, uint64_t size)
{
    if (size < before)
        mark_peak(t);
    change_live(t, stack, 0, size - before);
}
