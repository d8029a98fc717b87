/* SPDX-License-Identifier: BSD-2-Clause */
/* See stacks.h. */
#include "stacks.h"

#include <string.h>

enum { STACK_PROBES = 128 };

static struct heap_stack_v1 *stack_at(const struct table *t, uint32_t number)
{
    return (struct heap_stack_v1 *)(void *)&t->pool[number];
}

/* Two chains, so that the processor works on both at a time. */
static uint64_t hash_pcs(const uint64_t *pcs, uint64_t n)
{
    const uint64_t factor = 0x9e3779b97f4a7c15;
    uint64_t even = n;
    uint64_t odd = factor;

    for (; n >= 2; n -= 2, pcs += 2) {
        even = (even ^ pcs[0]) * factor;
        odd = (odd ^ pcs[1]) * factor;
        even ^= even >> 29;
        odd ^= odd >> 31;
    }
    if (n > 0)
        even = (even ^ pcs[0]) * factor;
    even ^= (odd ^ even >> 32) * factor;
    return even ^ even >> 32;
}

/* ---- Adding ------------------------------------------------------------------------ */

static bool is_same(const struct table *t, uint32_t number, const uint64_t *pcs,
                    uint64_t n)
{
    const struct heap_stack_v1 *stack = stack_at(t, number);

    return stack->n_pcs == n && memcmp(stack->pcs, pcs, n * sizeof(*pcs)) == 0;
}

/* Room that was reserved but not used, since there was too little of it, or another
 * thread added the same stack at the same time, stays unused. */
static uint32_t store(struct table *t, const uint64_t *pcs, uint64_t n)
{
    uint64_t n_words = HEAP_STACK_HEAD_WORDS + n;
    uint64_t at = __atomic_load_n(&t->header->pool_used, __ATOMIC_RELAXED);
    struct heap_stack_v1 *stack;

    if (at > t->header->n_pool_words - n_words)
        return 0;
    at = __atomic_fetch_add(&t->header->pool_used, n_words, __ATOMIC_RELAXED);
    if (at > t->header->n_pool_words - n_words)
        return 0;
    stack = stack_at(t, (uint32_t)at);
    if (!table_ask(t, stack, n_words * sizeof(uint64_t)))
        return 0;
    stack->n_pcs = n;
    memcpy(stack->pcs, pcs, n * sizeof(*pcs));
    return (uint32_t)at;
}

/* Stores a new stack in a free entry, unless another thread did so first: then returns
 * false, and its stack is in `*entry`. */
static bool publish(struct table *t, uint64_t *slot, uint64_t hash, const uint64_t *pcs,
                    uint64_t n, uint32_t *stored, uint64_t *entry)
{
    if (*stored == 0)
        *stored = store(t, pcs, n);
    if (*stored == 0)
        return true;
    return __atomic_compare_exchange_n(slot, entry, hash >> 32 << 32 | *stored, false,
                                       __ATOMIC_RELEASE, __ATOMIC_ACQUIRE);
}

uint32_t stacks_add(struct table *t, const uint64_t *pcs, uint64_t n, bool *is_new)
{
    uint64_t hash = hash_pcs(pcs, n);
    uint32_t stored = 0;

    *is_new = false;
    for (uint64_t i = 0; i < STACK_PROBES; i++) {
        uint64_t *slot = &t->index[(hash + i) & t->index_mask];
        uint64_t entry;

        if (!table_grant(t, slot))
            return 0;
        entry = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
        if (entry == 0 && publish(t, slot, hash, pcs, n, &stored, &entry)) {
            *is_new = stored != 0;
            return stored;
        }
        if (entry >> 32 == hash >> 32 && is_same(t, (uint32_t)entry, pcs, n))
            return (uint32_t)entry;
    }
    return 0;
}

void stacks_count(struct table *t, uint32_t number, uint64_t objects, uint64_t bytes)
{
    struct heap_stack_v1 *stack = stack_at(t, number);

    __atomic_fetch_add(&stack->alloc_objects, objects, __ATOMIC_RELAXED);
    __atomic_fetch_add(&stack->alloc_bytes, bytes, __ATOMIC_RELAXED);
}
