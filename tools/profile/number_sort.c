/* SPDX-License-Identifier: BSD-2-Clause */
/* See number_sort.h. */
#include "number_sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/compiler.h>

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
