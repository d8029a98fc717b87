/* SPDX-License-Identifier: BSD-2-Clause */
/* See table_sort.h. */
#include "table_sort.h"

#include <stdlib.h>

#include <fxt/compiler.h>

#include "common/base/sort.h"
#include "common/base/table.h"

/* ---- Stacks ------------------------------------------------------------------------ */

SORT_ORDER(order_stacks, struct table_stack, BY(number));

void table_sort_stacks(struct table_copy *copy)
{
    size_t n = 0;

    SORT(copy->stacks, copy->n_stacks, order_stacks);
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
static FXT_ALWAYS_INLINE bool is_younger(const struct table_block *a,
                                         const struct table_block *b)
{
    return a->is_moving != b->is_moving ? b->is_moving : a->time_ns > b->time_ns;
}

static FXT_ALWAYS_INLINE bool is_before(const struct table_block *a,
                                        const struct table_block *b)
{
    return a->address != b->address ? a->address < b->address : is_younger(a, b);
}

static FXT_ALWAYS_INLINE bool is_group_before(const struct table_block *a,
                                              const struct table_block *b)
{
    return a->stack != b->stack ? a->stack < b->stack : a->size < b->size;
}

typedef bool before_fn(const struct table_block *a, const struct table_block *b);

struct part {
    struct table_block *blocks;
    size_t n;
};

/* Divides a part into the blocks below, at and above a pivot that no input can foresee,
 * or it could make the sort slow. */
static FXT_ALWAYS_INLINE void divide_part(struct part part, before_fn *before,
                                          uint64_t random, struct part *low,
                                          struct part *high)
{
    const struct table_block pivot = part.blocks[random % part.n];
    struct table_block *below = part.blocks;
    struct table_block *above = part.blocks + part.n;

    for (struct table_block *at = below; at < above;) {
        struct table_block block = *at;

        if (before(&pivot, &block)) {
            *at = *--above;
            *above = block;
        } else {
            if (before(&block, &pivot)) {
                *at = *below;
                *below++ = block;
            }
            at++;
        }
    }
    *low = (struct part){part.blocks, (size_t)(below - part.blocks)};
    *high = (struct part){above, part.n - (size_t)(above - part.blocks)};
}

/* In place, unlike qsort, which takes as much memory again. The larger part of two waits,
 * so that there are at most as many as a size has bits. */
static FXT_ALWAYS_INLINE void sort_blocks(struct table_copy *copy, before_fn *before)
{
    struct part waiting[8 * sizeof(size_t)];
    struct part part = {copy->blocks, copy->n_blocks};
    uint64_t random = hash_start();
    size_t n = 0;

    while (part.n > 1 || n > 0) {
        struct part low;
        struct part high;

        if (part.n <= 1) {
            part = waiting[--n];
            continue;
        }
        random = hash_word(random, part.n);
        divide_part(part, before, random, &low, &high);
        part = low.n < high.n ? low : high;
        waiting[n++] = low.n < high.n ? high : low;
    }
}

void table_sort_blocks(struct table_copy *copy)
{
    sort_blocks(copy, is_before);
}

void table_sort_groups(struct table_copy *copy)
{
    sort_blocks(copy, is_group_before);
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
        if ((uint64_t)all[i].address + all[i].size >= (uint64_t)low->address + low->size)
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
