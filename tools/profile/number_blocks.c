/* SPDX-License-Identifier: BSD-2-Clause */
/* See number_blocks.h. */
#include "number_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "text.h"

/* The key of a row and its numbers from some place on, how many are left from there, if
 * that is no more than a block, and one otherwise; the numbers are then in the order that
 * they have in memory. */
struct block {
    uint64_t key;
    uint32_t numbers[NUMBER_BLOCK];
    uint32_t left;
    /* Its place among all; those of the same ranks have the same. */
    uint32_t place;
};

struct blocks {
    struct block *items;
    size_t n;
    size_t capacity;
    struct table table;
};

/* A block's ranks. */
struct block_row {
    uint64_t key;
    uint32_t ranks[NUMBER_BLOCK];
    uint32_t number;
};

static struct block take_block(const struct number_ranks *ranks,
                               const struct number_row *row, uint32_t at)
{
    struct block block = {.key = row->key};
    uint32_t left = at < row->n ? row->n - at : 0;
    const uint32_t *first;

    if (left == 0)
        return block;
    first = row->numbers + (ptrdiff_t)at * ranks->step;
    block.left = left < NUMBER_BLOCK + 1 ? left : NUMBER_BLOCK + 1;
    if (left >= NUMBER_BLOCK) {
        memcpy(block.numbers, ranks->step > 0 ? first : first - (NUMBER_BLOCK - 1),
               sizeof(block.numbers));
        return block;
    }
    for (uint32_t i = 0; i < left; i++)
        block.numbers[i] = first[(ptrdiff_t)i * ranks->step];
    return block;
}

static uint64_t hash_block(const struct block *block)
{
    uint64_t hash = hash_word(hash_start(), block->key ^ (uint64_t)block->left << 32);
    uint64_t words[NUMBER_BLOCK / 2];

    memcpy(words, block->numbers, sizeof(words));
    for (size_t i = 0; i < NUMBER_BLOCK / 2; i++)
        hash = hash_word(hash, words[i]);
    return hash;
}

static bool same_block(const struct block *a, const struct block *b)
{
    return a->key == b->key && a->left == b->left &&
           memcmp(a->numbers, b->numbers, sizeof(a->numbers)) == 0;
}

static uint32_t add_block(struct blocks *blocks, const struct block *block)
{
    uint64_t hash = hash_block(block);
    struct table_probe probe = table_probe(&blocks->table, hash);
    uint32_t number;

    while (table_next(&blocks->table, &probe, &number)) {
        if (same_block(&blocks->items[number], block))
            return number;
    }
    table_add(&blocks->table, hash, blocks->n);
    blocks->items = (struct block *)must_grow(blocks->items, blocks->n, &blocks->capacity,
                                              sizeof(*blocks->items));
    blocks->items[blocks->n] = *block;
    return (uint32_t)blocks->n++;
}

static void free_blocks(struct blocks *blocks)
{
    free(blocks->items);
    table_free(&blocks->table);
}

bool number_blocks_are_few(const struct number_ranks *ranks,
                           const struct number_row *rows, size_t n, uint32_t at)
{
    enum { MANY = 1024, TRIED = 64 };
    struct blocks blocks = {.n = 0};
    bool are_few;

    if (n < MANY)
        return false;
    for (size_t i = 0; i < TRIED; i++) {
        struct block block = take_block(ranks, &rows[n / TRIED * i], at);

        add_block(&blocks, &block);
    }
    are_few = blocks.n <= TRIED / 4 * 3;
    free_blocks(&blocks);
    return are_few;
}

static int order_blocks(const void *left, const void *right)
{
    const struct block_row *a = (const struct block_row *)left;
    const struct block_row *b = (const struct block_row *)right;
    int order = order_numbers(a->key, b->key);

    for (uint32_t i = 0; i < NUMBER_BLOCK && order == 0; i++)
        order = order_numbers(a->ranks[i], b->ranks[i]);
    return order;
}

static struct block_row rank_block(const struct number_ranks *ranks,
                                   const struct block *block, uint32_t number)
{
    struct block_row row = {.key = block->key, .number = number};
    bool is_reversed = ranks->step < 0 && block->left >= NUMBER_BLOCK;

    for (uint32_t i = 0; i < NUMBER_BLOCK && i < block->left; i++) {
        uint32_t n = block->numbers[is_reversed ? NUMBER_BLOCK - 1 - i : i];

        row.ranks[i] = i + 1 < block->left ? ranks->inner[n] : ranks->last[n];
    }
    return row;
}

/* Gives the blocks their places, and returns how many there are. */
static uint32_t place_blocks(const struct number_ranks *ranks, struct blocks *blocks)
{
    struct block_row *rows = (struct block_row *)must_allocate(blocks->n * sizeof(*rows));
    uint32_t place = 0;

    for (uint32_t i = 0; i < blocks->n; i++)
        rows[i] = rank_block(ranks, &blocks->items[i], i);
    qsort(rows, blocks->n, sizeof(*rows), order_blocks);
    for (size_t i = 0; i < blocks->n; i++) {
        place += i > 0 && order_blocks(&rows[i - 1], &rows[i]) != 0;
        blocks->items[rows[i].number].place = place;
    }
    free(rows);
    return place + 1;
}

/* Puts the rows, whose keys are the numbers of their blocks, into the order of these.
 * Returns where the rows of each place end, for the caller to free. */
static size_t *distribute(struct number_row *rows, struct number_row *spare, size_t n,
                          const struct blocks *blocks, uint32_t n_places)
{
    size_t *ends = (size_t *)must_allocate(((size_t)n_places + 1) * sizeof(*ends));

    for (size_t i = 0; i < n; i++) {
        rows[i].key = blocks->items[rows[i].key].place;
        ends[rows[i].key + 1]++;
    }
    for (size_t i = 0; i < n_places; i++)
        ends[i + 1] += ends[i];
    for (size_t i = 0; i < n; i++)
        spare[ends[rows[i].key]++] = rows[i];
    memcpy(rows, spare, n * sizeof(*rows));
    return ends;
}

struct number_places number_blocks_sort(const struct number_ranks *ranks,
                                        struct number_row *rows, struct number_row *spare,
                                        size_t n, uint32_t at)
{
    struct blocks blocks = {.n = 0};
    struct number_places places;

    for (size_t i = 0; i < n; i++) {
        struct block block;

        number_prefetch(ranks, rows + i, n - i, at);
        block = take_block(ranks, &rows[i], at);
        rows[i].key = add_block(&blocks, &block);
    }
    places.n = place_blocks(ranks, &blocks);
    places.ends = distribute(rows, spare, n, &blocks, places.n);
    free_blocks(&blocks);
    return places;
}
