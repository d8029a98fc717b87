/* SPDX-License-Identifier: BSD-2-Clause */
/* See numbered_stacks.h. */
#include "numbered_stacks.h"

#include <fxt/format.h>

#include "common/base/memory.h"
#include "common/records/record_args.h"

static uint64_t hash_stack(struct stack_owner owner, uint64_t number)
{
    return hash_word(hash_word(hash_word(hash_start(), owner.stream), owner.number),
                     number);
}

uint32_t numbered_stacks_find(const struct numbered_stacks *s, struct stack_owner owner,
                              uint64_t number)
{
    struct table_probe probe = table_probe(&s->table, hash_stack(owner, number));
    uint32_t found;

    while (table_next(&s->table, &probe, &found)) {
        const struct numbered_stack *stack = &s->all[found];

        if (stack->number == number && stack->owner.number == owner.number &&
            stack->owner.stream == owner.stream)
            return found;
    }
    return NUMBERED_STACK_NONE;
}

struct numbered_stack *numbered_stacks_add(struct numbered_stacks *s,
                                           struct stack_owner owner, uint64_t number,
                                           const unsigned char *pcs, uint64_t n_pcs)
{
    table_add(&s->table, hash_stack(owner, number), s->n);
    s->all =
        (struct numbered_stack *)memory_grow(s->all, s->n, &s->capacity, sizeof(*s->all));
    s->all[s->n] = (struct numbered_stack){
        .owner = owner, .number = number, .first_pc = s->n_pcs, .n_pcs = n_pcs};
    for (uint64_t i = 0; i < n_pcs; i++) {
        MEMORY_ADD(s->pcs, s->n_pcs, s->pc_capacity, record_word_at(pcs, i));
    }
    return &s->all[s->n++];
}

uint32_t numbered_stacks_unknown(struct numbered_stacks *s, struct stack_owner owner)
{
    static const unsigned char nowhere[FXT_WORD_BYTES];
    uint32_t found = numbered_stacks_find(s, owner, 0);

    if (found == NUMBERED_STACK_NONE) {
        numbered_stacks_add(s, owner, 0, nowhere, 1);
        found = (uint32_t)(s->n - 1);
    }
    return found;
}

void numbered_stacks_free(struct numbered_stacks *s)
{
    memory_release(s->all);
    memory_release(s->pcs);
    table_free(&s->table);
}
