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

/* A block that is being moved is older than any other at its address. */
static bool is_younger(const struct table_block *a, const struct table_block *b)
{
    return a->is_moving != b->is_moving ? b->is_moving : a->time_ns > b->time_ns;
}

static int order_blocks(const void *left, const void *right)
{
    const struct table_block *a = left;
    const struct table_block *b = right;

    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return is_younger(a, b) - is_younger(b, a);
}

void table_sort_blocks(struct table_copy *copy)
{
    if (copy->n_blocks > 0)
        qsort(copy->blocks, copy->n_blocks, sizeof(*copy->blocks), order_blocks);
}

static bool blocks_overlap(const struct table_block *low, const struct table_block *high)
{
    return low->address == high->address || high->address - low->address < low->size;
}

void table_remove_older(struct table_copy *copy)
{
    struct table_block *all = copy->blocks;
    size_t n = 0;

    for (size_t i = 0; i < copy->n_blocks; i++) {
        if (n > 0 && blocks_overlap(&all[n - 1], &all[i])) {
            copy->n_replaced++;
            if (!is_younger(&all[n - 1], &all[i]))
                all[n - 1] = all[i];
        } else {
            all[n++] = all[i];
        }
    }
    copy->n_blocks = n;
}

size_t table_mark_overlaps(struct table_copy *copy)
{
    struct table_block *all = copy->blocks;
    size_t reaches_furthest = 0;
    size_t n = 0;

    for (size_t i = 0; i < copy->n_blocks; i++)
        all[i].overlaps = false;
    for (size_t i = 1; i < copy->n_blocks; i++) {
        struct table_block *low = &all[reaches_furthest];

        if (blocks_overlap(low, &all[i])) {
            n += !low->overlaps + 1U;
            low->overlaps = true;
            all[i].overlaps = true;
        }
        if (all[i].address + all[i].size >= low->address + low->size)
            reaches_furthest = i;
    }
    return n;
}

void table_find_stacks(struct table_copy *copy)
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
