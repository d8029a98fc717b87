/* SPDX-License-Identifier: BSD-2-Clause */
/* See arena.h. */
#include "arena.h"

#include "text.h"

/* How many numbers a block has room for: in the first one, and at most, unless a run has
 * more. */
enum {
    BLOCK_MIN = 1 << 12,
    BLOCK_MAX = ((8 << 20) - MEMORY_BLOCK_BYTES) / sizeof(uint32_t)
};

static struct run_block *add_block(struct arena *runs, size_t n)
{
    struct run_block *block;
    size_t capacity = BLOCK_MIN;

    if (runs->n_blocks > 0)
        capacity = runs->blocks[runs->n_blocks - 1].capacity * 4;
    if (capacity > BLOCK_MAX)
        capacity = BLOCK_MAX;
    if (capacity < n)
        capacity = n;
    runs->blocks =
        memory_grow(runs->blocks, runs->n_blocks, &runs->capacity, sizeof(*runs->blocks));
    block = &runs->blocks[runs->n_blocks++];
    *block = (struct run_block){NULL, 0, capacity};
    block->numbers = (uint32_t *)memory_reserve(capacity * sizeof(*block->numbers));
    return block;
}

uint32_t *arena_add(struct arena *runs, size_t n)
{
    struct run_block *block = NULL;
    uint32_t *run;

    if (runs->n_blocks > 0)
        block = &runs->blocks[runs->n_blocks - 1];
    if (block == NULL || block->capacity - block->n < n)
        block = add_block(runs, n);
    run = block->numbers + block->n;
    block->n += n;
    return run;
}

void arena_move(struct arena *runs, struct arena *from)
{
    for (size_t i = 0; i < from->n_blocks; i++)
        MEMORY_ADD(runs->blocks, runs->n_blocks, runs->capacity, from->blocks[i]);
    memory_release(from->blocks);
    *from = (struct arena){NULL, 0, 0};
}

void arena_free(struct arena *runs)
{
    for (size_t i = 0; i < runs->n_blocks; i++)
        memory_release(runs->blocks[i].numbers);
    memory_release(runs->blocks);
    *runs = (struct arena){NULL, 0, 0};
}
