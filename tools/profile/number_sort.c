/* SPDX-License-Identifier: BSD-2-Clause */
/* See number_sort.h. */
#include "number_sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/compiler.h>

#include "table.h"
#include "text.h"

/* Rows that were the same so far: what comes behind their next keys begins at number
 * `at`. */
struct part {
    size_t first;
    size_t n;
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

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, KEY_BITS = 64, AHEAD = 16, FEW = 16 };

/* How many numbers a block has, and how many rows it takes to look for blocks. */
enum { BLOCK = 8, GROUPED_MIN = 1024 };

static uint64_t rank_of(const struct number_ranks *ranks, const struct number_row *row,
                        uint32_t i)
{
    uint32_t number;

    if (i >= row->n)
        return 0;
    number = row->numbers[(ptrdiff_t)i * ranks->step];
    return i + 1 < row->n ? ranks->inner[number] : ranks->last[number];
}

/* The key for the ranks of the numbers from `at` on, 0 behind the last. */
static uint64_t key_at(const struct sorter *s, const struct number_row *row, uint32_t at)
{
    uint64_t key = 0;

    if (at >= row->n || s->ranks == NULL)
        return 0;
    for (uint32_t i = 0; i < s->per_key; i++)
        key = key << s->bits | rank_of(s->ranks, row, at + i);
    return key;
}

/* Says that a key will be needed. */
static void prefetch(const struct sorter *s, const struct number_row *row, uint32_t at)
{
    if (at < row->n)
        FXT_PREFETCH(&row->numbers[(ptrdiff_t)at * s->ranks->step]);
}

static void add_part(struct sorter *s, size_t first, size_t n, uint32_t at)
{
    s->parts =
        (struct part *)must_grow(s->parts, s->n_parts, &s->capacity, sizeof(*s->parts));
    s->parts[s->n_parts++] = (struct part){first, n, at};
}

/* Rows that are the same so far go on with the numbers before `at`. */
static void start_part(struct sorter *s, struct part part)
{
    struct number_row *rows = s->rows + part.first;
    uint32_t at = part.at - s->per_key;

    for (size_t i = 0; i < part.n; i++) {
        if (i + AHEAD < part.n && s->ranks != NULL)
            prefetch(s, &rows[i + AHEAD], at);
        rows[i].key = 1;
        rows[i].next = key_at(s, &rows[i], at);
    }
    add_part(s, part.first, part.n, part.at);
}

/* ---- Few rows ---------------------------------------------------------------------- */

static bool is_before(const struct sorter *s, const struct number_row *a,
                      const struct number_row *b, uint32_t at)
{
    uint64_t left = a->next;
    uint64_t right = b->next;

    if (a->key != b->key)
        return a->key < b->key;
    for (; left == right && left != 0; at += s->per_key) {
        left = key_at(s, a, at);
        right = key_at(s, b, at);
    }
    return left != right ? left < right : a->item < b->item;
}

static void sort_few(struct sorter *s, struct part part)
{
    struct number_row *rows = s->rows + part.first;

    for (size_t i = 1; i < part.n; i++) {
        struct number_row row = rows[i];
        size_t at = i;

        for (; at > 0 && is_before(s, &row, &rows[at - 1], part.at); at--)
            rows[at] = rows[at - 1];
        rows[at] = row;
    }
}

/* ---- Groups ------------------------------------------------------------------------ */

/* Many stacks begin alike, and with much the same numbers. What the next numbers of rows
 * are is then one of few blocks, which are sorted in place of the rows. */
struct block {
    uint32_t ranks[BLOCK];
    /* Its number in the order of the rows; its place among all, and where its rows end. */
    uint32_t number;
    uint32_t place;
    size_t end;
};

struct blocks {
    struct block *items;
    size_t n;
    size_t capacity;
    struct table table;
};

/* Stores the ranks from `at` on, and returns their hash. */
static uint64_t take_ranks(const struct sorter *s, const struct number_row *row,
                           uint32_t at, uint32_t ranks[BLOCK])
{
    uint64_t hash = hash_start();

    for (uint32_t i = 0; i < BLOCK; i++)
        ranks[i] = at < row->n ? (uint32_t)rank_of(s->ranks, row, at + i) : 0;
    for (uint32_t i = 0; i < BLOCK; i += 2)
        hash = hash_word(hash, (uint64_t)ranks[i] << 32 | ranks[i + 1]);
    return hash;
}

static uint32_t add_block(struct blocks *blocks, uint64_t hash,
                          const uint32_t ranks[BLOCK])
{
    struct table_probe probe = table_probe(&blocks->table, hash);
    struct block *block;
    uint32_t number;

    while (table_next(&blocks->table, &probe, &number)) {
        if (memcmp(blocks->items[number].ranks, ranks, sizeof(block->ranks)) == 0)
            return number;
    }
    table_add(&blocks->table, hash, blocks->n);
    blocks->items = (struct block *)must_grow(blocks->items, blocks->n, &blocks->capacity,
                                              sizeof(*blocks->items));
    block = &blocks->items[blocks->n];
    *block = (struct block){.number = (uint32_t)blocks->n};
    memcpy(block->ranks, ranks, sizeof(block->ranks));
    return (uint32_t)blocks->n++;
}

static void free_blocks(struct blocks *blocks)
{
    free(blocks->items);
    table_free(&blocks->table);
}

/* Whether of some rows, from all over the part, several have a block in common. */
static bool are_alike(const struct sorter *s, struct part part)
{
    enum { TRIED = 64 };
    struct blocks blocks = {.n = 0};
    uint32_t ranks[BLOCK];
    bool alike;

    for (size_t i = 0; i < TRIED; i++) {
        const struct number_row *row = &s->rows[part.first + part.n / TRIED * i];
        uint64_t hash = take_ranks(s, row, part.at - s->per_key, ranks);

        add_block(&blocks, hash, ranks);
    }
    alike = blocks.n <= TRIED / 4 * 3;
    free_blocks(&blocks);
    return alike;
}

static int order_blocks(const void *left, const void *right)
{
    const uint32_t *a = ((const struct block *)left)->ranks;
    const uint32_t *b = ((const struct block *)right)->ranks;
    int order = 0;

    for (uint32_t i = 0; i < BLOCK && order == 0; i++)
        order = order_numbers(a[i], b[i]);
    return order;
}

/* Puts the rows, whose keys are the numbers of their blocks, into the order of these. */
static void distribute_groups(struct sorter *s, struct part part, struct blocks *blocks)
{
    struct number_row *rows = s->rows + part.first;
    size_t *ends = (size_t *)must_allocate((blocks->n + 1) * sizeof(*ends));
    uint32_t *places = (uint32_t *)must_allocate(blocks->n * sizeof(*places));

    qsort(blocks->items, blocks->n, sizeof(*blocks->items), order_blocks);
    for (uint32_t i = 0; i < blocks->n; i++)
        places[blocks->items[i].number] = i;
    for (size_t i = 0; i < part.n; i++)
        ends[places[rows[i].key] + 1]++;
    for (size_t i = 0; i < blocks->n; i++)
        ends[i + 1] += ends[i];
    for (size_t i = 0; i < part.n; i++)
        s->spare[ends[places[rows[i].key]]++] = rows[i];
    memcpy(rows, s->spare, part.n * sizeof(*rows));
    for (size_t i = 0; i < blocks->n; i++)
        blocks->items[i].end = ends[i];
    free(ends);
    free(places);
}

/* Sorts rows by the numbers that their next keys and some more stand for. */
static void sort_groups(struct sorter *s, struct part part)
{
    struct number_row *rows = s->rows + part.first;
    struct blocks blocks = {.n = 0};
    uint32_t at = part.at - s->per_key;
    uint32_t ranks[BLOCK];

    for (size_t i = 0; i < part.n; i++) {
        if (i + AHEAD < part.n)
            prefetch(s, &rows[i + AHEAD], at);
        rows[i].key = add_block(&blocks, take_ranks(s, &rows[i], at, ranks), ranks);
    }
    distribute_groups(s, part, &blocks);
    for (size_t i = 0, first = 0; i < blocks.n; first = blocks.items[i++].end) {
        struct part group = {part.first + first, blocks.items[i].end - first,
                             at + BLOCK + s->per_key};

        if (group.n > 1 && blocks.items[i].ranks[BLOCK - 1] != 0)
            start_part(s, group);
    }
    free_blocks(&blocks);
}

/* ---- Many rows --------------------------------------------------------------------- */

/* Distributes rows by the highest digit in which their keys differ; those with the same
 * digit stay in order. Unlike a quicksort it takes no longer for one input than for
 * another. */
static void distribute(struct sorter *s, struct part part, uint64_t differs)
{
    unsigned shift = (unsigned)(KEY_BITS - 1 - __builtin_clzll(differs)) & ~7U;
    struct number_row *rows = s->rows + part.first;
    size_t ends[DIGITS] = {0};
    size_t end = 0;

    for (size_t i = 0; i < part.n; i++)
        ends[rows[i].key >> shift & (DIGITS - 1)]++;
    for (size_t i = 0; i < DIGITS; i++) {
        size_t count = ends[i];

        ends[i] = end;
        end += count;
    }
    for (size_t i = 0; i < part.n; i++)
        s->spare[ends[rows[i].key >> shift & (DIGITS - 1)]++] = rows[i];
    memcpy(rows, s->spare, part.n * sizeof(*rows));
    for (size_t i = 0, first = 0; i < DIGITS; first = ends[i++]) {
        if (ends[i] - first > 1)
            add_part(s, part.first + first, ends[i] - first, part.at);
    }
}

/* Rows with the same key go on with the next one, unless it said that they have ended. */
static void go_on(struct sorter *s, struct part part)
{
    struct number_row *rows = s->rows + part.first;

    if (rows[0].key == 0 || s->ranks == NULL)
        return;
    if (part.n >= GROUPED_MIN && are_alike(s, part)) {
        sort_groups(s, part);
        return;
    }
    for (size_t i = 0; i < part.n; i++) {
        if (i + AHEAD < part.n)
            prefetch(s, &rows[i + AHEAD], part.at);
        rows[i].key = rows[i].next;
        rows[i].next = key_at(s, &rows[i], part.at);
    }
    add_part(s, part.first, part.n, part.at + s->per_key);
}

static void sort_many(struct sorter *s, struct part part)
{
    const struct number_row *rows = s->rows + part.first;
    uint64_t differs = 0;

    for (size_t i = 1; i < part.n; i++)
        differs |= rows[i].key ^ rows[0].key;
    if (differs != 0)
        distribute(s, part, differs);
    else
        go_on(s, part);
}

/* ---- The whole --------------------------------------------------------------------- */

static void start(struct sorter *s, size_t n)
{
    uint32_t max = s->ranks != NULL ? s->ranks->max : 0;

    s->bits = max > 0 ? (unsigned)(32 - __builtin_clz(max)) : 1;
    s->per_key = KEY_BITS / s->bits;
    if (n > FEW)
        s->spare = (struct number_row *)must_reserve(n * sizeof(*s->spare));
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n && s->ranks != NULL)
            prefetch(s, &s->rows[i + AHEAD], 0);
        s->rows[i].next = key_at(s, &s->rows[i], 0);
    }
    add_part(s, 0, n, s->per_key);
}

void number_sort(const struct number_ranks *ranks, struct number_row *rows, size_t n)
{
    struct sorter s = {.ranks = ranks, .rows = rows};

    start(&s, n);
    while (s.n_parts > 0) {
        struct part part = s.parts[--s.n_parts];

        if (part.n <= FEW)
            sort_few(&s, part);
        else
            sort_many(&s, part);
    }
    free(s.parts);
    free(s.spare);
}
