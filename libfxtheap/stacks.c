/* SPDX-License-Identifier: BSD-2-Clause */
/* See stacks.h. */
#include "stacks.h"

#include <string.h>

/* A table of the index is full where so many entries in a row are. */
enum { STACK_PROBES = 32 };

/* Two chains, so that the processor works on both at a time. */
static uint64_t hash_pcs(const uint64_t *pcs, uint64_t n, uint64_t view_ns)
{
    const uint64_t factor = 0x9e3779b97f4a7c15;
    uint64_t even = n ^ view_ns;
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

struct search {
    uint64_t hash;
    const struct heap_stack_state *state;
    const uint64_t *pcs;
    uint64_t n;
    /* The free entry of the table that was searched last where the stack would be; NULL
     * if the table is full, or if there is no memory for it. */
    uint64_t *place;
    bool has_memory;
};

/* It precedes the stack and its counts. */
static struct heap_stack_state *state_of(const struct table *t, uint32_t stack)
{
    uint64_t at = stack - t->n_count_words - HEAP_STATE_WORDS;

    return (struct heap_stack_state *)(void *)&t->pool[at];
}

static bool is_same(const struct table *t, uint32_t number, const struct search *s)
{
    const struct heap_stack_v1 *stack = stacks_at(t, number);
    const struct heap_stack_state *state = state_of(t, number);

    return stack->n_pcs == s->n &&
           memcmp(stack->pcs, s->pcs, s->n * sizeof(*s->pcs)) == 0 &&
           state->view_ns == s->state->view_ns && state->end == s->state->end;
}

/* Room that was reserved but not used, since there was too little of it, or another
 * thread added the same stack at the same time, stays unused. */
static uint32_t store_stack(struct table *t, const struct search *s)
{
    uint64_t n_words = HEAP_STATE_WORDS + t->n_count_words + HEAP_STACK_HEAD_WORDS +
                       s->n + (t->peak != NULL ? HEAP_LIVE_WORDS : 0);
    uint64_t at = __atomic_load_n(&t->header->pool_used, __ATOMIC_RELAXED);
    struct heap_stack_v1 *stack;

    if (at > t->header->n_pool_words - n_words)
        return 0;
    at = __atomic_fetch_add(&t->header->pool_used, n_words, __ATOMIC_RELAXED);
    if (at > t->header->n_pool_words - n_words)
        return 0;
    if (!table_ask(t, &t->pool[at], n_words * sizeof(uint64_t)))
        return 0;
    at += HEAP_STATE_WORDS + t->n_count_words;
    *state_of(t, (uint32_t)at) = *s->state;
    stack = stacks_at(t, (uint32_t)at);
    stack->n_pcs = s->n;
    memcpy(stack->pcs, s->pcs, s->n * sizeof(*s->pcs));
    return (uint32_t)at;
}

/* Looks for a stack in one table of the index. Returns its number, or 0. */
static uint32_t find_stack(struct table *t, uint32_t level, struct search *s)
{
    uint64_t *entries = t->index + table_level_start(level);
    uint64_t mask = table_level_size(level) - 1;

    for (uint64_t i = 0; i < STACK_PROBES; i++) {
        uint64_t entry;

        s->place = &entries[(s->hash + i) & mask];
        s->has_memory = table_grant(t, s->place);
        if (!s->has_memory)
            break;
        entry = __atomic_load_n(s->place, __ATOMIC_ACQUIRE);
        if (entry == 0)
            return 0;
        if (entry >> 32 == s->hash >> 32 && is_same(t, (uint32_t)entry, s))
            return (uint32_t)entry;
    }
    s->place = NULL;
    return 0;
}

/* The last table is full: from now on there is one more. */
static bool add_level(struct table *t, uint32_t level)
{
    if (level + 1 >= t->n_levels)
        return false;
    __atomic_compare_exchange_n(&t->level, &level, level + 1, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return true;
}

static bool publish_stack(const struct search *s, uint32_t stored)
{
    uint64_t none = 0;

    return __atomic_compare_exchange_n(s->place, &none, s->hash >> 32 << 32 | stored,
                                       false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* Stores a stack that is in no table in the last one, which was searched last, unless
 * other threads do so first. */
static uint32_t insert_stack(struct table *t, uint32_t level, struct search *s,
                             bool *is_new)
{
    uint32_t stored = 0;
    uint32_t found = 0;

    while (found == 0 && s->has_memory) {
        if (s->place == NULL) {
            if (!add_level(t, level++))
                return 0;
        } else {
            if (stored == 0)
                stored = store_stack(t, s);
            if (stored == 0)
                return 0;
            *is_new = publish_stack(s, stored);
            if (*is_new)
                return stored;
        }
        found = find_stack(t, level, s);
    }
    return found;
}

/* Most stacks are in the last table, which is searched first, and once more if the stack
 * is nowhere. */
uint32_t stacks_add(struct table *t, const struct heap_stack_state *state,
                    const uint64_t *pcs, uint64_t n, bool *is_new)
{
    struct search s = {
        .hash = hash_pcs(pcs, n, state->view_ns), .state = state, .pcs = pcs, .n = n};
    uint32_t last = __atomic_load_n(&t->level, __ATOMIC_RELAXED);
    uint32_t found;

    *is_new = false;
    for (uint32_t level = last + 1; level-- > 0;) {
        found = find_stack(t, level, &s);
        if (found != 0)
            return found;
    }
    found = last > 0 ? find_stack(t, last, &s) : 0;
    return found != 0 ? found : insert_stack(t, last, &s, is_new);
}

void stacks_count(struct table *t, uint32_t number, uint64_t objects, uint64_t bytes)
{
    struct heap_stack_v1 *stack = stacks_at(t, number);

    __atomic_fetch_add(&stack->alloc_objects, objects, __ATOMIC_RELAXED);
    __atomic_fetch_add(&stack->alloc_bytes, bytes, __ATOMIC_RELAXED);
}

void stacks_count_realloc(struct table *t, uint32_t number, bool is_moved)
{
    struct heap_stack_counts *counts;

    if (number == 0 || t->n_count_words == 0)
        return;
    counts = stacks_counts(t, number);
    __atomic_fetch_add(is_moved ? &counts->moved : &counts->resized, 1, __ATOMIC_RELAXED);
}
