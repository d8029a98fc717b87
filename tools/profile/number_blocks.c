/* SPDX-License-Identifier: BSD-2-Clause */
/* See number_blocks.h. */
#include "number_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "text.h"

/* The key of a row and its numbers from some place on, how many are left from there, if
 * that is no more than a block, and one more otherwise. The numbers are in the order that
 * they have in memory, and behind them is one that means nothing. */
struct block {
    uint64_t key;
    uint32_t numbers[NUMBER_BLOCK + 1];
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

/* Where the first of a block's numbers is. */
static size_t first_of(const struct number_ranks *ranks)
{
    return ranks->step > 0 ? 0 : NUMBER_BLOCK;
}

static struct block take_block(const struct number_ranks *ranks,
                               const struct number_row *row, uint32_t at)
{
    struct block block = {.key = row->key};
    uint32_t left = at < row->n ? row->n - at : 0;
    const uint32_t *from;
    uint32_t *to;

    if (left == 0)
        return block;
    from = row->numbers + (ptrdiff_t)at * ranks->step;
    block.left = left < NUMBER_BLOCK + 1 ? left : NUMBER_BLOCK + 1;
    to = block.numbers + first_of(ranks);
    if (left >= NUMBER_BLOCK) {
        to -= ranks->step > 0 ? 0 : NUMBER_BLOCK - 1;
        from -= ranks->step > 0 ? 0 : NUMBER_BLOCK - 1;
        memcpy(to, from, NUMBER_BLOCK * sizeof(*to));
        return block;
    }
    for (ptrdiff_t i = 0; i < (ptrdiff_t)left; i++)
        to[i * ranks->step] = from[i * ranks->step];
    return block;
}

static uint64_t hash_block(const struct block *block)
{
    uint64_t hash = hash_word(hash_start(), block->key ^ (uint64_t)block->left << 32);
    uint64_t words[NUMBER_BLOCK / 2];

    memcpy(words, block->numbers, sizeof(words));
    for (size_t i = 0; i < NUMBER_BLOCK / 2; i++)
        hash = hash_word(hash, words[i]);
    return hash_word(hash, block->numbers[NUMBER_BLOCK]);
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

static struct number_row row_of(const struct number_ranks *ranks,
                                const struct blocks *blocks, uint32_t number)
{
    const struct block *block = &blocks->items[number];

    return (struct number_row){block->key, block->numbers + first_of(ranks), block->left,
                               number};
}

/* Whether blocks have the same ranks. */
static bool same_ranks(const struct number_ranks *ranks, struct number_row a,
                       struct number_row b)
{
    if (a.key != b.key || a.n != b.n)
        return false;
    for (uint32_t i = 0; i < NUMBER_BLOCK; i++) {
        if (number_rank(ranks, &a, i) != number_rank(ranks, &b, i))
            return false;
    }
    return true;
}

/* Gives the blocks their places. */
static void place_blocks(const struct number_ranks *ranks, struct blocks *blocks)
{
    struct number_row *rows =
        (struct number_row *)must_reserve(blocks->n * sizeof(*rows));
    uint32_t place = 0;

    for (uint32_t i = 0; i < blocks->n; i++)
        rows[i] = row_of(ranks, blocks, i);
    number_sort(ranks, rows, NULL, blocks->n);
    for (size_t i = 0; i < blocks->n; i++) {
        /* Sorting used up the rows' keys. */
        if (i > 0 && !same_ranks(ranks, row_of(ranks, blocks, rows[i - 1].item),
                                 row_of(ranks, blocks, rows[i].item)))
            place++;
        blocks->items[rows[i].item].place = place;
    }
    free(rows);
}

uint32_t number_blocks_make_keys(const struct number_ranks *ranks,
                                 struct number_row *rows, size_t n, uint32_t at)
{
    unsigned bits = number_bits(ranks->max);
    uint32_t n_more = (NUMBER_KEY_BITS - number_bits(n)) / bits;
    unsigned shift = n_more * bits;
    struct blocks blocks = {.n = 0};

    for (size_t i = 0; i < n; i++) {
        struct block block;

        number_prefetch(ranks, rows + i, n - i, at);
        block = take_block(ranks, &rows[i], at);
        rows[i].key = number_add_ranks(ranks, bits, add_block(&blocks, &block), &rows[i],
                                       at + NUMBER_BLOCK, n_more);
    }
    place_blocks(ranks, &blocks);
    for (size_t i = 0; i < n; i++) {
        uint64_t place = blocks.items[rows[i].key >> shift].place;

        rows[i].key = place << shift | (rows[i].key & (((uint64_t)1 << shift) - 1));
    }
    free_blocks(&blocks);
    return NUMBER_BLOCK + n_more;
}
