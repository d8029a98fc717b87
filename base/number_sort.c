/* SPDX-License-Identifier: BSD-2-Clause */
/* See number_sort.h. */
#include "number_sort.h"

#include <stdlib.h>
#include <string.h>

#include <fxt/compiler.h>

#include "number_keys.h"
#include "text.h"

/* A number of rows, one after the other. */
struct part {
    uint32_t first;
    uint32_t n;
};

struct parts {
    struct part *items;
    size_t n;
    size_t capacity;
};

struct sorter {
    struct number_keys keys;
    struct number_row *rows;
    /* Room for as many rows, where those with one key are to stay in order; else NULL. */
    struct number_row *spare;
    /* What is still to be sorted by the keys that it has; and what has one key, and gets
     * another when all else is sorted: the numbers of rows are anywhere in memory, and
     * there is time to fetch them where many are needed. */
    struct parts unsorted;
    struct parts same;
};

/* How many rows are put in order one by one; and of how many bits of a key a digit is at
 * most. */
enum { FEW = 16, DIGIT_BITS_MAX = 11 };

/* ---- Parts ------------------------------------------------------------------------- */

static void add_part(struct parts *parts, size_t first, size_t n)
{
    parts->items = (struct part *)memory_grow(parts->items, parts->n, &parts->capacity,
                                              sizeof(*parts->items));
    parts->items[parts->n++] = (struct part){(uint32_t)first, (uint32_t)n};
}

/* Adds rows of one key, unless that is all there is. */
static void add_same(struct sorter *s, size_t first, size_t n)
{
    if (n > 1 && s->keys.ranks != NULL && s->rows[first].n > 0)
        add_part(&s->same, first, n);
}

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
    for (size_t first = 0, end; first < part.n; first = end) {
        end = number_same_end(rows, first, part.n);
        add_same(s, part.first + first, end - first);
    }
}

/* The more rows there are, the longer a digit may be. */
static unsigned digit_bits(size_t n)
{
    if (n < 512)
        return 4;
    return n < 1 << 14 ? 8 : DIGIT_BITS_MAX;
}

/* Puts rows where those with the same digit go, by way of the spare ones: those with the
 * same digit stay in order. `heads` are the places of the first rows of each digit. */
static void spread(struct sorter *s, struct number_row *rows, size_t n, uint32_t *heads,
                   unsigned n_digits, unsigned shift)
{
    for (size_t i = 0; i < n; i++)
        s->spare[heads[rows[i].key >> shift & (n_digits - 1)]++] = rows[i];
    memcpy(rows, s->spare, n * sizeof(*rows));
}

/* The same where there are none to spare: each in exchange for the one that was there
 * ("American flag sort": McIlroy, Bostic and McIlroy, "Engineering Radix Sort", 1993). */
static void exchange(struct number_row *rows, uint32_t *heads, const uint32_t *ends,
                     unsigned n_digits, unsigned shift)
{
    for (unsigned i = 0; i < n_digits; i++) {
        while (heads[i] < ends[i]) {
            struct number_row row = rows[heads[i]];
            unsigned digit = row.key >> shift & (n_digits - 1);

            while (digit != i) {
                struct number_row *to = &rows[heads[digit]++];
                struct number_row other = *to;

                *to = row;
                row = other;
                digit = row.key >> shift & (n_digits - 1);
            }
            rows[heads[i]++] = row;
        }
    }
}

/* Distributes rows by a digit that begins at the highest bit in which their keys differ.
 * Unlike a quicksort it takes no longer for one input than for another. */
static void distribute(struct sorter *s, struct part part, uint64_t differs)
{
    unsigned bits = digit_bits(part.n);
    unsigned n_digits = 1U << bits;
    unsigned end_bit = number_bits(differs);
    unsigned shift = end_bit > bits ? end_bit - bits : 0;
    struct number_row *rows = s->rows + part.first;
    uint32_t heads[1 << DIGIT_BITS_MAX];
    uint32_t ends[1 << DIGIT_BITS_MAX];
    uint32_t end = 0;

    memset(ends, 0, n_digits * sizeof(*ends));
    for (size_t i = 0; i < part.n; i++)
        ends[rows[i].key >> shift & (n_digits - 1)]++;
    for (size_t i = 0; i < n_digits; i++) {
        heads[i] = end;
        end += ends[i];
        ends[i] = end;
    }
    if (s->spare != NULL)
        spread(s, rows, part.n, heads, n_digits, shift);
    else
        exchange(rows, heads, ends, n_digits, shift);
    for (size_t i = 0, first = 0; i < n_digits; first = ends[i++]) {
        if (ends[i] - first > 1)
            add_part(&s->unsorted, part.first + first, ends[i] - first);
    }
}

static void sort_part(struct sorter *s, struct part part)
{
    const struct number_row *rows = s->rows + part.first;
    uint64_t differs = 0;

    for (size_t i = 1; i < part.n; i++)
        differs |= rows[i].key ^ rows[0].key;
    if (differs == 0)
        add_same(s, part.first, part.n);
    else if (part.n <= FEW)
        insert(s, part);
    else
        distribute(s, part, differs);
}

/* ---- Keys -------------------------------------------------------------------------- */

/* A row of some parts. */
struct cursor {
    const struct part *part;
    const struct part *end;
    uint32_t row;
};

/* Prefetches a row's numbers, and moves to the next row. */
static FXT_ALWAYS_INLINE void prefetch(const struct sorter *s, struct cursor *c)
{
    if (c->part == c->end)
        return;
    number_keys_prefetch(&s->keys, &s->rows[c->part->first + c->row]);
    if (++c->row == c->part->n)
        *c = (struct cursor){c->part + 1, c->end, 0};
}

/* Makes new keys for the rows that have one in common. */
static void go_on(struct sorter *s)
{
    enum { AHEAD = 8 };
    struct cursor ahead = {s->same.items, s->same.items + s->same.n, 0};

    for (int i = 0; i < AHEAD; i++)
        prefetch(s, &ahead);
    for (size_t i = 0; i < s->same.n; i++) {
        struct part part = s->same.items[i];

        for (uint32_t j = 0; j < part.n; j++) {
            struct number_row *row = &s->rows[part.first + j];

            prefetch(s, &ahead);
            row->key = number_keys_make(&s->keys, row, 0, NUMBER_KEY_BITS);
        }
        add_part(&s->unsorted, part.first, part.n);
    }
    s->same.n = 0;
    s->keys.has_begun = true;
}

/* The rows' own keys continue with their numbers, if there is room for one. */
static void start(struct sorter *s, const struct number_ranks *ranks, size_t n)
{
    uint64_t all = 0;
    unsigned n_free;

    number_keys_start(&s->keys, ranks, s->rows, n);
    for (size_t i = 0; i < n; i++)
        all |= s->rows[i].key;
    n_free = NUMBER_KEY_BITS - number_bits(all);
    if (n_free < s->keys.bits)
        return;
    for (size_t i = 0; i < n; i++)
        s->rows[i].key = number_keys_make(&s->keys, &s->rows[i], s->rows[i].key, n_free);
    s->keys.has_begun = true;
}

/* ---- The whole --------------------------------------------------------------------- */

static void sort_parts(struct sorter *s, size_t n)
{
    add_part(&s->unsorted, 0, n);
    while (s->unsorted.n > 0) {
        struct part part = s->unsorted.items[--s->unsorted.n];

        sort_part(s, part);
        if (s->unsorted.n == 0 && s->same.n > 0)
            go_on(s);
    }
    memory_release(s->unsorted.items);
    memory_release(s->same.items);
}

void number_sort(const struct number_ranks *ranks, struct number_row *rows, size_t n)
{
    struct sorter s = {.rows = rows};

    if (n < 2)
        return;
    start(&s, ranks, n);
    sort_parts(&s, n);
    number_keys_free(&s.keys);
}

void number_sort_keys(struct number_row *rows, struct number_row *spare, size_t n)
{
    struct sorter s = {.rows = rows, .spare = spare};

    if (n < 2)
        return;
    if (spare == NULL)
        s.spare = (struct number_row *)memory_reserve(n * sizeof(*s.spare));
    sort_parts(&s, n);
    if (spare == NULL)
        memory_release(s.spare);
}
