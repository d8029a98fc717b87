/* SPDX-License-Identifier: BSD-2-Clause */
/* See number_sort.h. */
#include "number_sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/compiler.h>

#include "table.h"
#include "text.h"

/* Rows that were the same so far; what their keys stand for ends before number `at`. */
struct part {
    uint32_t first;
    uint32_t n;
    uint32_t at;
};

struct sorter {
    const struct number_ranks *ranks;
    /* How many bits a rank has, and how many ranks a key. */
    unsigned bits;
    uint32_t per_key;
    struct number_row *rows;
    /* Room for as many rows. */
    struct number_row *spare;
    /* What is still to be sorted. */
    struct part *parts;
    size_t n_parts;
    size_t capacity;
};

/* A key's digits are of many bits only where there are enough rows for them. */
enum { DIGIT_BITS = 8, FEWER_BITS = 4, DIGITS_MIN = 512 };
enum { KEY_BITS = 64, AHEAD = 16, FEW = 16 };

/* ---- Keys -------------------------------------------------------------------------- */

static uint64_t rank_of(const struct number_ranks *ranks, const struct number_row *row,
                        uint32_t i)
{
    uint32_t number;

    if (i >= row->n)
        return 0;
    number = row->numbers[(ptrdiff_t)i * ranks->step];
    return i + 1 < row->n ? ranks->inner[number] : ranks->last[number];
}

/* A key that goes on with `n` ranks from `at` on, which are 0 behind the last. */
static uint64_t add_ranks(const struct sorter *s, uint64_t key,
                          const struct number_row *row, uint32_t at, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        key = key << s->bits | rank_of(s->ranks, row, at + i);
    return key;
}

static uint64_t key_at(const struct sorter *s, const struct number_row *row, uint32_t at)
{
    return at < row->n ? add_ranks(s, 0, row, at, s->per_key) : 0;
}

/* Says that a row's numbers from `at` on will be needed. */
static void prefetch_row(const struct sorter *s, const struct number_row *row,
                         uint32_t at)
{
    if (at < row->n)
        FXT_PREFETCH(&row->numbers[(ptrdiff_t)at * s->ranks->step]);
}

/* The same of one that is not far ahead of the first of some rows. */
static void prefetch(const struct sorter *s, const struct number_row *rows, size_t n,
                     uint32_t at)
{
    if (n > AHEAD)
        prefetch_row(s, &rows[AHEAD], at);
}

static void add_part(struct sorter *s, size_t first, size_t n, uint32_t at)
{
    s->parts =
        (struct part *)must_grow(s->parts, s->n_parts, &s->capacity, sizeof(*s->parts));
    s->parts[s->n_parts++] = (struct part){(uint32_t)first, (uint32_t)n, at};
}

/* Makes the keys of rows that are the same before number `at`. */
static void make_keys(const struct sorter *s, struct number_row *rows, size_t n,
                      uint32_t at)
{
    for (size_t i = 0; i < n; i++) {
        prefetch(s, rows + i, n - i, at);
        rows[i].key = key_at(s, &rows[i], at);
    }
}

/* ---- Blocks ------------------------------------------------------------------------ */

/*
 * Many stacks begin alike, so that it takes many numbers to tell one from another, and
 * yet there are few different beginnings. Where that is so, the next numbers of all rows
 * are found among the different blocks of numbers that there are, and these are sorted.
 */
enum { BLOCK = 8, BLOCKS_MIN = 1024 };

/* The key of a row and its numbers from some place on, how many are left from there, if
 * that is no more than a block, and one otherwise; the numbers are then in the order that
 * they have in memory. */
struct block {
    uint64_t key;
    uint32_t numbers[BLOCK];
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
    uint32_t ranks[BLOCK];
    uint32_t number;
};

static struct block take_block(const struct sorter *s, const struct number_row *row,
                               uint32_t at)
{
    struct block block = {.key = row->key};
    uint32_t left = at < row->n ? row->n - at : 0;
    const uint32_t *first = row->numbers + (ptrdiff_t)at * s->ranks->step;

    block.left = left < BLOCK + 1 ? left : BLOCK + 1;
    if (left >= BLOCK) {
        memcpy(block.numbers, s->ranks->step > 0 ? first : first - (BLOCK - 1),
               sizeof(block.numbers));
        return block;
    }
    for (uint32_t i = 0; i < left; i++)
        block.numbers[i] = first[(ptrdiff_t)i * s->ranks->step];
    return block;
}

static uint64_t hash_block(const struct block *block)
{
    uint64_t hash = hash_word(hash_start(), block->key ^ (uint64_t)block->left << 32);
    uint64_t words[BLOCK / 2];

    memcpy(words, block->numbers, sizeof(words));
    for (size_t i = 0; i < BLOCK / 2; i++)
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

/* Whether of some rows, from all over the part, several have a block in common. */
static bool are_alike(const struct sorter *s, const struct number_row *rows, size_t n,
                      uint32_t at)
{
    enum { TRIED = 64 };
    struct blocks blocks = {.n = 0};
    bool alike;

    if (n < BLOCKS_MIN || s->ranks == NULL)
        return false;
    for (size_t i = 0; i < TRIED; i++) {
        struct block block = take_block(s, &rows[n / TRIED * i], at);

        add_block(&blocks, &block);
    }
    alike = blocks.n <= TRIED / 4 * 3;
    free_blocks(&blocks);
    return alike;
}

static int order_blocks(const void *left, const void *right)
{
    const struct block_row *a = (const struct block_row *)left;
    const struct block_row *b = (const struct block_row *)right;
    int order = order_numbers(a->key, b->key);

    for (uint32_t i = 0; i < BLOCK && order == 0; i++)
        order = order_numbers(a->ranks[i], b->ranks[i]);
    return order;
}

static struct block_row rank_block(const struct number_ranks *ranks,
                                   const struct block *block, uint32_t number)
{
    struct block_row row = {.key = block->key, .number = number};
    bool is_reversed = ranks->step < 0 && block->left >= BLOCK;

    for (uint32_t i = 0; i < BLOCK && i < block->left; i++) {
        uint32_t n = block->numbers[is_reversed ? BLOCK - 1 - i : i];

        row.ranks[i] = i + 1 < block->left ? ranks->inner[n] : ranks->last[n];
    }
    return row;
}

/* Gives the blocks their places, and returns how many there are. */
static uint32_t place_blocks(const struct sorter *s, struct blocks *blocks)
{
    struct block_row *rows =
        (struct block_row *)must_allocate(blocks->n * sizeof(*rows));
    uint32_t place = 0;

    for (uint32_t i = 0; i < blocks->n; i++)
        rows[i] = rank_block(s->ranks, &blocks->items[i], i);
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
static size_t *distribute_blocks(struct sorter *s, struct number_row *rows, size_t n,
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
        s->spare[ends[rows[i].key]++] = rows[i];
    memcpy(rows, s->spare, n * sizeof(*rows));
    return ends;
}

/* Sorts rows by their keys and a block from `at` on. */
static void sort_blocks(struct sorter *s, size_t first, size_t n, uint32_t at)
{
    struct number_row *rows = s->rows + first;
    struct blocks blocks = {.n = 0};
    uint32_t n_places;
    size_t *ends;

    for (size_t i = 0; i < n; i++) {
        struct block block;

        prefetch(s, rows + i, n - i, at);
        block = take_block(s, &rows[i], at);
        rows[i].key = add_block(&blocks, &block);
    }
    n_places = place_blocks(s, &blocks);
    ends = distribute_blocks(s, rows, n, &blocks, n_places);
    make_keys(s, rows, n, at + BLOCK);
    for (size_t i = 0, start = 0; i < n_places; start = ends[i++]) {
        if (ends[i] - start > 1)
            add_part(s, first + start, ends[i] - start, at + BLOCK + s->per_key);
    }
    free(ends);
    free_blocks(&blocks);
}

/* ---- Parts ------------------------------------------------------------------------- */

/* Puts few rows into the order of their keys. */
static void insert(struct sorter *s, struct part part)
{
    struct number_row *rows = s->rows + part.first;

    for (size_t i = 1; i < part.n; i++) {
        struct number_row row = rows[i];
        size_t at = i;

        for (; at > 0 && row.key < rows[at - 1].key; at--)
            rows[at] = rows[at - 1];
        rows[at] = row;
    }
    for (size_t i = 0, first = 0; i < part.n; i++) {
        if (i + 1 < part.n && rows[i + 1].key == rows[i].key)
            continue;
        if (i > first)
            add_part(s, part.first + first, i + 1 - first, part.at);
        first = i + 1;
    }
}

/* Distributes rows by the highest digit in which their keys differ; those with the same
 * digit stay in order. Unlike a quicksort it takes no longer for one input than for
 * another. */
static void distribute(struct sorter *s, struct part part, uint64_t differs)
{
    unsigned bits = part.n < DIGITS_MIN ? FEWER_BITS : DIGIT_BITS;
    unsigned n_digits = 1U << bits;
    unsigned shift = (unsigned)(KEY_BITS - 1 - __builtin_clzll(differs)) & ~(bits - 1);
    struct number_row *rows = s->rows + part.first;
    size_t ends[1 << DIGIT_BITS];
    size_t end = 0;

    memset(ends, 0, n_digits * sizeof(*ends));
    for (size_t i = 0; i < part.n; i++)
        ends[rows[i].key >> shift & (n_digits - 1)]++;
    for (size_t i = 0; i < n_digits; i++) {
        size_t count = ends[i];

        ends[i] = end;
        end += count;
    }
    for (size_t i = 0; i < part.n; i++)
        s->spare[ends[rows[i].key >> shift & (n_digits - 1)]++] = rows[i];
    memcpy(rows, s->spare, part.n * sizeof(*rows));
    for (size_t i = 0, first = 0; i < n_digits; first = ends[i++]) {
        if (ends[i] - first > 1)
            add_part(s, part.first + first, ends[i] - first, part.at);
    }
}

/* Rows with the same key go on, unless it says that they have ended. */
static void go_on(struct sorter *s, struct part part)
{
    struct number_row *rows = s->rows + part.first;

    if (rows[0].key == 0 || s->ranks == NULL)
        return;
    if (are_alike(s, rows, part.n, part.at)) {
        sort_blocks(s, part.first, part.n, part.at);
    } else {
        make_keys(s, rows, part.n, part.at);
        add_part(s, part.first, part.n, part.at + s->per_key);
    }
}

static void sort_part(struct sorter *s, struct part part)
{
    const struct number_row *rows = s->rows + part.first;
    uint64_t differs = 0;

    for (size_t i = 1; i < part.n; i++)
        differs |= rows[i].key ^ rows[0].key;
    if (differs == 0)
        go_on(s, part);
    else if (part.n <= FEW)
        insert(s, part);
    else
        distribute(s, part, differs);
}

/* ---- The whole --------------------------------------------------------------------- */

static unsigned bits_of(uint64_t number)
{
    return number > 0 ? (unsigned)(KEY_BITS - __builtin_clzll(number)) : 1;
}

/* The keys go on with as many ranks as fit. */
static void start(struct sorter *s, size_t n)
{
    uint64_t all = 0;
    uint32_t room;

    for (size_t i = 0; i < n; i++)
        all |= s->rows[i].key;
    room = (KEY_BITS - bits_of(all)) / s->bits;
    for (size_t i = 0; i < n; i++) {
        prefetch(s, s->rows + i, n - i, 0);
        s->rows[i].key = add_ranks(s, s->rows[i].key, &s->rows[i], 0, room);
    }
    add_part(s, 0, n, room);
}

void number_sort(const struct number_ranks *ranks, struct number_row *rows, size_t n)
{
    struct sorter s = {.ranks = ranks, .rows = rows};

    if (n < 2)
        return;
    if (n > FEW)
        s.spare = (struct number_row *)must_reserve(n * sizeof(*s.spare));
    s.bits = ranks != NULL ? bits_of(ranks->max) : 1;
    s.per_key = KEY_BITS / s.bits;
    if (are_alike(&s, rows, n, 0))
        sort_blocks(&s, 0, n, 0);
    else if (ranks != NULL)
        start(&s, n);
    else
        add_part(&s, 0, n, 0);
    while (s.n_parts > 0)
        sort_part(&s, s.parts[--s.n_parts]);
    free(s.parts);
    free(s.spare);
}
