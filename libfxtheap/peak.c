/* SPDX-License-Identifier: BSD-2-Clause */
/* See table.h, and layout.h for the order of the stores. */
#include "table.h"

#include <time.h>

#include "common/base/clock.h"
#include "stacks.h"

/* A test preempts the thread, and kills the process, at each of these. */
#ifndef PEAK_STEP
#define PEAK_STEP()
#endif

static struct heap_live_v4 *live_of(const struct table *t, uint32_t stack)
{
    struct heap_stack_v1 *known;

    if (stack == 0)
        return &t->peak->no_stack;
    known = stacks_at(t, stack);
    return (struct heap_live_v4 *)(void *)&known->pcs[known->n_pcs];
}

/* Saves one number as it was at a peak, if this is the first change since. A thread
 * that changes it after the peak has saved it before: so if it was loaded after such a
 * change, something is saved, and the exchange fails. */
static void save_number(uint64_t *saved, const uint64_t *live, uint64_t number)
{
    uint64_t before = __atomic_load_n(saved, __ATOMIC_ACQUIRE);

    while (heap_peak_number(before) < number) {
        uint64_t amount = heap_peak_amount(__atomic_load_n(live, __ATOMIC_ACQUIRE));

        PEAK_STEP();
        if (__atomic_compare_exchange_n(saved, &before,
                                        number << HEAP_PEAK_SHIFT | amount, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return;
    }
}

/* The numbers to be added may be negative, modulo 2 to the power of 64. */
static void change_live(struct table *t, uint32_t stack, uint64_t objects, uint64_t bytes)
{
    struct heap_live_v4 *live = live_of(t, stack);
    uint64_t number = heap_peak_number(__atomic_load_n(&t->peak->last, __ATOMIC_ACQUIRE));

    PEAK_STEP();
    save_number(&live->peak_objects, &live->objects, number);
    PEAK_STEP();
    save_number(&live->peak_bytes, &live->bytes, number);
    PEAK_STEP();
    /* A reader that sees one of these also sees what was saved. */
    __atomic_fetch_add(&live->objects, objects, __ATOMIC_RELEASE);
    PEAK_STEP();
    __atomic_fetch_add(&live->bytes, bytes, __ATOMIC_RELEASE);
    PEAK_STEP();
    __atomic_fetch_add(&t->peak->bytes, bytes, __ATOMIC_RELEASE);
}

/* Before the peak: the word of the one after the last is not in use. A thread that comes
 * late has an earlier time than those of later peaks. */
static void set_time(struct heap_peak_v4 *peak, uint64_t last)
{
    uint64_t *word = &peak->time_ns[(heap_peak_number(last) + 1) % 2];
    uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
    uint64_t before = __atomic_load_n(word, __ATOMIC_RELAXED);

    if (__atomic_load_n(&peak->last, __ATOMIC_ACQUIRE) != last)
        return;
    PEAK_STEP();
    while (before < now_ns &&
           !__atomic_compare_exchange_n(word, &before, now_ns, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        continue;
}

/* Before the heap shrinks. While this thread was preempted the heap may have grown: then
 * there is another peak. */
static void mark_peak(struct table *t)
{
    struct heap_peak_v4 *peak = t->peak;

    for (;;) {
        uint64_t bytes = __atomic_load_n(&peak->bytes, __ATOMIC_ACQUIRE);
        uint64_t last = __atomic_load_n(&peak->last, __ATOMIC_ACQUIRE);
        uint64_t next = (heap_peak_number(last) + 1) << HEAP_PEAK_SHIFT | bytes;

        if (!heap_is_at_peak(bytes, heap_peak_amount(last)))
            return;
        PEAK_STEP();
        set_time(peak, last);
        PEAK_STEP();
        __atomic_compare_exchange_n(&peak->last, &last, next, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED);
        PEAK_STEP();
    }
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
