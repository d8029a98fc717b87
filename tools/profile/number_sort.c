/* SPDX-License-Identifier: BSD-2-Clause */
/* See number_sort.h. */
#include "number_sort.h"

#include <stdbool.h>
#include <stdlib.h>

#include "table.h"
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
    /* What is still to be sorted. */
    struct part *parts;
    size_t n_parts;
    size_t capacity;
};

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
    if (n < 2)
        return;
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

static uint64_t median(uint64_t a, uint64_t b, uint64_t c)
{
    if (a < b)
        return b < c ? b : a < c ? c : a;
    return a < c ? a : b < c ? c : b;
}

/* Not always from the same places, where an input could have put the worst pivots. */
static uint64_t choose_pivot(const struct number_row *rows, size_t n)
{
    uint64_t hash = hash_word(hash_word(n, rows[0].key), rows[n - 1].key);

    return median(rows[hash % n].key, rows[(hash >> 20) % n].key,
                  rows[(hash >> 40) % n].key);
}

static void swap(struct number_row *a, struct number_row *b)
{
    struct number_row row = *a;

    *a = *b;
    *b = row;
}

/* Quicksort by one key, in three parts; those that are equal in it go on with the next.
 */
static void sort_many(struct sorter *s, struct part part)
{
    struct number_row *rows = s->rows + part.first;
    uint64_t pivot = choose_pivot(rows, part.n);
    size_t low = 0;
    size_t high = part.n;

    for (size_t i = 0; i < high;) {
        if (rows[i].key < pivot)
            swap(&rows[low++], &rows[i++]);
        else if (rows[i].key > pivot)
            swap(&rows[--high], &rows[i]);
        else
            i++;
    }
    for (size_t i = low; high - low > 1 && i < high; i++)
        rows[i].key = number_key(s->ranks, &rows[i], part.at);
    add_part(s, part.first, low, part.at);
    add_part(s, part.first + high, part.n - high, part.at);
    if (pivot != 0)
        add_part(s, part.first + low, high - low, part.at + 2);
}

void number_sort(const struct number_ranks *ranks, struct number_row *rows, size_t n,
                 uint32_t at)
{
    enum { FEW = 8 };
    struct sorter s = {.ranks = ranks, .rows = rows};

    add_part(&s, 0, n, at);
    while (s.n_parts > 0) {
        struct part part = s.parts[--s.n_parts];

        if (part.n <= FEW)
            sort_few(&s, part);
        else
            sort_many(&s, part);
    }
    free(s.parts);
}
