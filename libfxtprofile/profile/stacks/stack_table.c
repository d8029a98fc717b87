/* SPDX-License-Identifier: BSD-2-Clause */
/* See stack_table.h. */
#include "stack_table.h"

#include <stdlib.h>

#include "common/base/table.h"
#include "common/base/text.h"

void stack_table_grow(struct stack_table *table)
{
    struct stack_table old = *table;

    if (old.n_used > TABLE_MAX / 2)
        table_too_many();
    table->n_slots = old.n_slots > 0 ? old.n_slots * 2 : 64;
    /* One more, never used, so that each slot has a next one to prefetch. */
    table->slots = (struct stack_slot *)memory_allocate((table->n_slots + 1) *
                                                        sizeof(*table->slots));
    for (size_t i = 0; i < old.n_slots; i++) {
        if (old.slots[i].entry != 0)
            *stack_table_find(table, old.slots[i].print) = old.slots[i];
    }
    memory_release(old.slots);
}

void stack_table_free(struct stack_table *table)
{
    memory_release(table->slots);
    *table = (struct stack_table){NULL, 0, 0};
}
