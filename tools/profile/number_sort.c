/* SPDX-License-Identifier: BSD-2-Clause */
/* See number_sort.h. */
#include "number_sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "number_blocks.h"
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

/* How many rows are put in order one by one; and of how many bits of a key a digit is at
 * most. */
enum { FEW = 16, DIGIT_BITS_MAX = 11 };

/* ---- Keys -------------------------------------------------------------------------- */

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
        number_prefetch(s->ranks, rows + i, n - i, at);
        rows[i].key = number_add_ranks(s->ranks, s->bits, 0, &rows[i], at, s->per_key);
    }
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
    for (size_t first = 0, end; first < part.n; first = end) {
        end = number_same_end(rows, first, part.n);
        if (end - first > 1)
            add_part(s, part.first + first, end - first, part.at);
    }
}

/* The more rows there are, the longer a digit may be. */
static unsigned digit_bits(size_t n)
{
    if (n < 512)
        return 4;
    return n < 1 << 14 ? 8 : DIGIT_BITS_MAX;
}

/* Distributes rows by a digit that begins at the highest bit in which their keys differ;
 * those with the same digit stay in order. Unlike a quicksort it takes no longer for one
 * input than for another. */
static void distribute(struct sorter *s, struct part part, uint64_t differs)
{
    unsigned bits = digit_bits(part.n);
    unsigned n_digits = 1U << bits;
    unsigned end_bit = number_bits(differs);
    unsigned shift = end_bit > bits ? end_bit - bits : 0;
    struct number_row *rows = s->rows + part.first;
    size_t ends[1 << DIGIT_BITS_MAX];
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
    if (number_blocks_are_few(s->ranks, rows, part.n, part.at)) {
        part.at += number_blocks_make_keys(s->ranks, rows, part.n, part.at);
    } else {
        make_keys(s, rows, part.n, part.at);
        part.at += s->per_key;
    }
    add_part(s, part.first, part.n, part.at);
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

/* The rows' own keys go on with as many ranks as fit. Returns how many. */
static uint32_t extend_keys(const struct sorter *s, size_t n)
{
    uint64_t all = 0;
    uint32_t room;

    for (size_t i = 0; i < n; i++)
        all |= s->rows[i].key;
    room = (NUMBER_KEY_BITS - number_bits(all)) / s->bits;
    for (size_t i = 0; i < n; i++) {
        number_prefetch(s->ranks, s->rows + i, n - i, 0);
        s->rows[i].key =
            number_add_ranks(s->ranks, s->bits, s->rows[i].key, &s->rows[i], 0, room);
    }
    return room;
}

static uint32_t start(const struct sorter *s, size_t n)
{
    if (s->ranks == NULL)
        return 0;
    if (number_blocks_are_few(s->ranks, s->rows, n, 0))
        return number_blocks_make_keys(s->ranks, s->rows, n, 0);
    return extend_keys(s, n);
}

void number_sort(const struct number_ranks *ranks, struct number_row *rows,
                 struct number_row *spare, size_t n)
{
    struct sorter s = {.ranks = ranks, .rows = rows, .spare = spare};

    if (n < 2)
        return;
    if (spare == NULL && n > FEW)
        s.spare = (struct number_row *)must_reserve(n * sizeof(*s.spare));
    s.bits = number_bits(ranks != NULL ? ranks->max : 0);
    s.per_key = NUMBER_KEY_BITS / s.bits;
    add_part(&s, 0, n, start(&s, n));
    while (s.n_parts > 0)
        sort_part(&s, s.parts[--s.n_parts]);
    free(s.parts);
    if (spare == NULL)
        free(s.spare);
}
