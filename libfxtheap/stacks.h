/* SPDX-License-Identifier: BSD-2-Clause */
/* The stacks of a table, each once: from any thread, and from signal handlers. */
#ifndef LIBFXTHEAP_STACKS_H
#define LIBFXTHEAP_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "table.h"

static inline struct heap_stack_v1 *stacks_at(const struct table *table, uint32_t stack)
{
    return (struct heap_stack_v1 *)(void *)&table->pool[stack];
}

/* The number of a stack with some state, which is added unless it is there; 0 if there is
 * no room. Stores whether it was added. */
uint32_t stacks_add(struct table *table, const struct heap_stack_state *state,
                    const uint64_t *pcs, uint64_t n_pcs, bool *is_new);

/* Counts what a stack has allocated. */
void stacks_count(struct table *table, uint32_t stack, uint64_t objects, uint64_t bytes);

/* They precede the stack, where the table has them. */
static inline struct heap_stack_counts *stacks_counts(const struct table *table,
                                                      uint32_t stack)
{
    return (struct heap_stack_counts *)(void *)&table->pool[stack - HEAP_COUNT_WORDS];
}

/* Count, where the table has these counts, one of its blocks that was temporary; and one
 * that a realloc has moved, or resized where it was. */
static inline void stacks_count_temporary(struct table *table, uint32_t stack)
{
    if (stack != 0 && table->n_count_words > 0)
        __atomic_fetch_add(&stacks_counts(table, stack)->temporary, 1, __ATOMIC_RELAXED);
}

void stacks_count_realloc(struct table *table, uint32_t stack, bool is_moved);

#endif
