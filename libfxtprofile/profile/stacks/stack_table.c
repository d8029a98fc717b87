/* SPDX-License-Identifier: BSD-2-Clause */
/* See stack_table.h. */
#include "stack_table.h"

#include "common/base/table.h"

/* The slots are made of the entries, so that the old ones need not be kept until then. */
void stack_table_grow(struct stack_table *table)
{
    size_t n_slots;
    size_t mask;

    if (table->n > TABLE_MAX / 2)
        table_too_many();
    n_slots = table->n_slots > 0 ? table->n_slots * 2 : 64;
    stack_table_forget(table);
    table->n_slots = n_slots;
    table->slots = (uint32_t *)memory_allocate(table->n_slots * sizeof(*table->slots));
    mask = table->n_slots - 1;
    for (size_t i = 0; i < table->n; i++) {
        struct fingerprint print = table->entries[i].print;
        size_t at = print.low & mask;

        while (table->slots[at] != 0)
            at = (at + 1) & mask;
        table->slots[at] = ((uint32_t)print.high & ~(uint32_t)mask) | (uint32_t)(i + 1);
    }
}

void stack_table_forget(struct stack_table *table)
{
    memory_release(table->slots);
    table->slots = NULL;
    table->n_slots = 0;
}

void stack_table_free(struct stack_table *table)
{
    memory_release(table->entries);
    memory_release(table->slots);
    *table = (struct stack_table){.n = 0};
}
