/* SPDX-License-Identifier: BSD-2-Clause */
/* See numbered_stacks.h. */
#include "numbered_stacks.h"

#include <fxt/format.h>

#include "common/base/memory.h"
#include "common/base/table_items.h"
#include "common/records/record_args.h"

uint32_t numbered_stacks_find(const struct numbered_stacks *s, struct stack_owner owner,
                              uint64_t number)
{
    struct numbered_stack key = {.owner = owner, .number = number};

    return TABLE_FIND(&s->table, s->all, &key, owner.stream, owner.number, number);
}

struct numbered_stack *numbered_stacks_add(struct numbered_stacks *s,
                                           struct stack_owner owner, uint64_t number,
                                           const unsigned char *pcs, uint64_t n_pcs)
{
    struct numbered_stack added = {
        .owner = owner, .number = number, .first_pc = s->n_pcs, .n_pcs = n_pcs};
    uint32_t index;

    for (uint64_t i = 0; i < n_pcs; i++) {
        MEMORY_ADD(s->pcs, s->n_pcs, s->pc_capacity, record_word_at(pcs, i));
    }
    index = TABLE_PUT(&s->table, s->all, s->n, s->capacity, &added, owner.stream,
                      owner.number, number);
    return &s->all[index];
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
