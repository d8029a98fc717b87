/* SPDX-License-Identifier: BSD-2-Clause */
/* See number_sort.h. */
#include "number_sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/compiler.h>

#include "text.h"

/* Rows that were the same so far; what comes after their keys begins at number `at`. */
struct part {
    size_t first;
    size_t n;
    uint32_t at;
};

struct sorter {
    const struct number_ranks *ranks;
    struct number_row *rows;
    /* Room for as many rows. */
    struct number_row *spare;
    /* What is still to be sorted. */
    struct part *parts;
    size_t n_parts;
    size_t capacity;
};

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, KEY_BITS = 64, AHEAD = 16 };

static uint64_t rank_of(const struct number_ranks *ranks, const struct number_row *row,
                        uint32_t i)
{
    uint32_t number;

    if (i >= row->n)
        return 0;
    number = ranks->numbers[row->first + i];
    return i + 1 < row->n ? ranks->inner[number] : ranks->last[number];
}

uint64_t number_key(const struct number_ranks *ranks, const struct number_row *row,
                    uint32_t at)
{
    return rank_of(ranks, row, at) << 32 | rank_of(ranks, row, at + 1);
}

static void add_part(struct sorter *s, size_t first, size_t n, uint32_t at)
{
    s->parts =
        (struct part *)must_grow(s->parts, s->n_parts, &s->capacity, sizeof(*s->parts));
    s->parts[s->n_parts++] = (struct part){first, n, at};
}

static bool is_before(const struct sorter *s, const struct number_row *a,
                      const struct number_row *b, uint32_t at)
{
    uint64_t left = a->key;
    uint64_t right = b->key;

    for (; left == right && left != 0; at += 2) {
        left = number_key(s->ranks, a, at);
        right = number_key(s->ranks, b, at);
    }
    return left < right;
}

/* Shell's sort, by all that a row has. */
static void sort_few(struct sorter *s, struct part part)
{
    static const size_t gaps[] = {10, 4, 1};
    struct number_row *rows = s->rows + part.first;

    for (size_t g = 0; g < sizeof(gaps) / sizeof(*gaps); g++) {
        size_t gap = gaps[g];

        for (size_t i = gap; i < part.n; i++) {
            struct number_row row = rows[i];
            size_t at = i;

            for (; at >= gap && is_before(s, &row, &rows[at - gap], part.at); at -= gap)
                rows[at] = rows[at - gap];
            rows[at] = row;
        }
    }
}

/* Distributes rows by one digit of their keys; those with the same stay in order. */
static void distribute(const struct number_row *from, struct number_row *to, size_t n,
                       int shift)
{
    size_t starts[DIGITS] = {0};
    size_t start = 0;

    for (size_t i = 0; i < n; i++)
        starts[from[i].key >> shift & (DIGITS - 1)]++;
    for (size_t i = 0; i < DIGITS; i++) {
        size_t count = starts[i];

        starts[i] = start;
        start += count;
    }
    for (size_t i = 0; i < n; i++)
        to[starts[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

/* Sorts rows by their keys, one digit after the other, the lowest first, but for digits
 * that all keys have in common. Unlike a quicksort it takes no longer for one input than
 * for another. */
static void sort_by_keys(struct sorter *s, struct part part)
{
    struct number_row *rows = s->rows + part.first;
    struct number_row *from = rows;
    struct number_row *to = s->spare;
    uint64_t differs = 0;

    for (size_t i = 1; i < part.n; i++)
        differs |= rows[i].key ^ rows[0].key;
    for (int shift = 0; shift < KEY_BITS; shift += DIGIT_BITS) {
        struct number_row *sorted = to;

        if ((differs >> shift & (DIGITS - 1)) == 0)
            continue;
        distribute(from, to, part.n, shift);
        to = from;
        from = sorted;
    }
    if (from != rows)
        memcpy(rows, from, part.n * sizeof(*rows));
}

/* Says that a row's next ranks may be needed. */
static void prefetch(const struct sorter *s, size_t row, size_t end, uint32_t at)
{
    if (row < end && at < s->rows[row].n)
        FXT_PREFETCH(&s->ranks->numbers[s->rows[row].first + at]);
}

/* Rows with the same key, unless it says that they have ended, go on with the next
 * ranks. */
static void sort_many(struct sorter *s, struct part part)
{
    size_t end = part.first + part.n;

    sort_by_keys(s, part);
    for (size_t first = part.first; first < end;) {
        uint64_t key = s->rows[first].key;
        size_t n = 1;

        prefetch(s, first + AHEAD, end, part.at);
        for (; first + n < end && s->rows[first + n].key == key; n++)
            prefetch(s, first + n + AHEAD, end, part.at);
        if (n > 1 && key != 0) {
            for (size_t i = 0; i < n; i++)
                s->rows[first + i].key =
                    number_key(s->ranks, &s->rows[first + i], part.at);
            add_part(s, first, n, part.at + 2);
        }
        first += n;
    }
}

void number_sort_by_keys(struct number_row *rows, size_t n)
{
    struct sorter s = {.rows = rows};

    s.spare = (struct number_row *)must_allocate(n * sizeof(*s.spare));
    sort_by_keys(&s, (struct part){0, n, 0});
    free(s.spare);
}

void number_sort(const struct number_ranks *ranks, struct number_row *rows, size_t n,
                 uint32_t at)
{
    enum { FEW = 32 };
    struct sorter s = {.ranks = ranks, .rows = rows};

    if (n > FEW)
        s.spare = (struct number_row *)must_allocate(n * sizeof(*s.spare));
    add_part(&s, 0, n, at);
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
