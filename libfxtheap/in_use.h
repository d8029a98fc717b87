/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many calls are using the heap, in a process whose recording may end: its table may
 * be unmapped when there has been none since. In others nothing is counted.
 *
 * A call is counted before it looks for the heap, in one of several counters so that
 * threads seldom share one. One that a signal's handler leaves by longjmp is counted for
 * ever.
 */
#ifndef LIBFXTHEAP_IN_USE_H
#define LIBFXTHEAP_IN_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/compiler.h>

enum { IN_USE_COUNTERS = 32 };

struct in_use_counter {
    _Alignas(64) uint32_t n;
};

extern struct in_use_counter in_use_counters[] __attribute__((visibility("hidden")));

/* Set before the first call can reach this library, and never reset. */
extern bool in_use_is_counted __attribute__((visibility("hidden")));

/* Threads differ by where their stacks are. */
static inline uint32_t *in_use_begin(void)
{
    uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
    uint32_t *counter;

    if (FXT_LIKELY(!in_use_is_counted))
        return NULL;
    counter = &in_use_counters[(stack >> 16) * UINT64_C(0x9e3779b97f4a7c15) >> 59].n;
    __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
    return counter;
}

static inline void in_use_end(uint32_t *counter)
{
    if (counter != NULL)
        __atomic_fetch_sub(counter, 1, __ATOMIC_SEQ_CST);
}

#endif
