/* SPDX-License-Identifier: BSD-2-Clause */
/* See table_sort.h. */
#include "table_sort.h"

#include <stdlib.h>

/* ---- Stacks ------------------------------------------------------------------------ */

static int order_stacks(const void *left, const void *right)
{
    const struct table_stack *a = left;
    const struct table_stack *b = right;

    return (a->number > b->number) - (a->number < b->number);
}

void table_sort_stacks(struct table_copy *copy)
{
    size_t n = 0;

    if (copy->n_stacks > 0)
        qsort(copy->stacks, copy->n_stacks, sizeof(*copy->stacks), order_stacks);
    for (size_t i = 0; i < copy->n_stacks; i++) {
        if (n > 0 && copy->stacks[n - 1].number == copy->stacks[i].number)
            copy->n_damaged++;
        else
            copy->stacks[n++] = copy->stacks[i];
    }
    copy->n_stacks = n;
}

/* ---- Blocks ------------------------------------------------------------------------ */

static int order_blocks(const void *left, const void *right)
{
    const struct table_block *a = left;
    const struct table_block *b = right;

    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

static bool overlap(const struct table_block *low, const struct table_block *high)
{
    return low->address == high->address || high->address - low->address < low->size;
}

/* Of two blocks in one place the older one was given back meanwhile. */
static void settle_overlaps(struct table_copy *copy)
{
    struct table_block *all = copy->blocks;
    size_t n = 0;

    if (copy->n_blocks > 0)
        qsort(all, copy->n_blocks, sizeof(*all), order_blocks);
    for (size_t i = 0; i < copy->n_blocks; i++) {
        if (n > 0 && overlap(&all[n - 1], &all[i])) {
            copy->n_replaced++;
            if (all[i].time_ns >= all[n - 1].time_ns)
                all[n - 1] = all[i];
        } else {
            all[n++] = all[i];
        }
    }
    copy->n_blocks = n;
}

/* From the table's numbers of stacks to this copy's. */
static void find_stacks(struct table_copy *copy)
{
    for (size_t i = 0; i < copy->n_blocks; i++) {
        struct table_block *block = &copy->blocks[i];
        struct table_stack wanted = {.number = block->stack};
        const struct table_stack *found = NULL;

        if (copy->n_stacks > 0)
            found = bsearch(&wanted, copy->stacks, copy->n_stacks, sizeof(wanted),
                            order_stacks);
        copy->n_damaged += found == NULL && block->stack != 0;
        block->stack = found != NULL ? (uint32_t)(found - copy->stacks) : TABLE_NO_STACK;
    }
}

void table_sort_blocks(struct table_copy *copy)
{
    settle_overlaps(copy);
    find_stacks(copy);
}
