/* SPDX-License-Identifier: BSD-2-Clause */
/* See sort.h. Of rows a quicksort that continues with the next keys where keys are equal
 * (Bentley and Sedgewick, "Fast Algorithms for Sorting and Searching Strings", 1997). */
#include "sort.h"

#include <assert.h>
#include <stdlib.h>

#include <fxt/compiler.h>

#include "table.h"

void sort_array(void *items, size_t n, size_t size,
                int (*order)(const void *left, const void *right))
{
    if (n > 0)
        qsort(items, n, size, order);
}

/* ---- Numbers ----------------------------------------------------------------------- */

static int compare_numbers(const void *left, const void *right)
{
    return order_numbers(*(const uint64_t *)left, *(const uint64_t *)right);
}

void sort_numbers(uint64_t *numbers, size_t n)
{
    SORT(numbers, n, compare_numbers);
}

size_t sort_unique(uint64_t *numbers, size_t n)
{
    size_t kept = 0;

    sort_numbers(numbers, n);
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || numbers[kept - 1] != numbers[i])
            numbers[kept++] = numbers[i];
    }
    return kept;
}

/* ---- Rows -------------------------------------------------------------------------- */

struct part {
    struct sort_row *rows;
    size_t n;
    /* No row has another key: the items are the last keys. */
    bool by_item;
};

/* The median of three keys that no input can foresee, or it could make the sort slow. */
static uint64_t choose_pivot(struct part part, uint64_t *random)
{
    uint64_t a = part.rows[(*random = hash_word(*random, 1)) % part.n].key;
    uint64_t b = part.rows[(*random = hash_word(*random, 2)) % part.n].key;
    uint64_t c = part.rows[(*random = hash_word(*random, 3)) % part.n].key;

    if ((a < b) == (b < c))
        return b;
    return (a < b) == (c < a) ? a : c;
}

/* Moves the rows whose keys are `first` or one of the `n_keys` numbers from there on to
 * the front, and returns how many these are. It moves two rows for each whatever its key,
 * through a gap, since no processor can predict which keys are less than the pivot. */
static size_t move_to_front(struct part part, uint64_t first, uint64_t n_keys)
{
    struct sort_row *rows = part.rows;
    struct sort_row taken;
    size_t n = 0;

    if (part.n == 0)
        return 0;
    taken = rows[0];
    for (size_t i = 1; i < part.n; i++) {
        rows[i - 1] = rows[n];
        rows[n] = rows[i];
        n += rows[i].key - first < n_keys;
    }
    rows[part.n - 1] = rows[n];
    rows[n] = taken;
    return n + (taken.key - first < n_keys);
}

/* Divides a part into the rows below, at and above the pivot. */
static void partition_rows(struct part part, uint64_t pivot, struct part parts[3])
{
    size_t n_below = move_to_front(part, 0, pivot);
    struct part rest = {part.rows + n_below, part.n - n_below, part.by_item};
    size_t n_equal = move_to_front(rest, pivot, 1);

    parts[0] = (struct part){part.rows, n_below, part.by_item};
    parts[1] = (struct part){rest.rows, n_equal, part.by_item};
    parts[2] = (struct part){rest.rows + n_equal, rest.n - n_equal, part.by_item};
}

/* Gives rows with equal keys their next ones. */
static void next_keys(struct part *part, sort_next_fn *next, const void *context)
{
    enum { AHEAD = 8 };
    bool has_more = false;

    for (size_t i = 0; i < part->n && next != NULL; i++) {
        if (i + AHEAD < part->n)
            FXT_PREFETCH(part->rows[i + AHEAD].numbers);
        has_more |= next(context, &part->rows[i]);
    }
    part->by_item = !has_more;
    for (size_t i = 0; i < part->n && !has_more; i++)
        part->rows[i].key = part->rows[i].item;
}

/* The largest part is left to the loop, so that a recursion has at most half the rows. */
static void sort_part(struct part part, sort_next_fn *next, const void *context,
                      uint64_t random)
{
    while (part.n > 1) {
        struct part parts[3];
        int largest = 0;

        partition_rows(part, choose_pivot(part, &random), parts);
        if (part.by_item)
            parts[1].n = 0;
        else if (parts[1].n > 1)
            next_keys(&parts[1], next, context);
        for (int i = 1; i < 3; i++)
            largest = parts[i].n > parts[largest].n ? i : largest;
        for (int i = 0; i < 3; i++) {
            if (i != largest)
                sort_part(parts[i], next, context, random);
        }
        part = parts[largest];
    }
}

void sort_rows(struct sort_row *rows, size_t n, sort_next_fn *next, const void *context)
{
    assert(rows != NULL || n == 0);
    sort_part((struct part){rows, n, false}, next, context, hash_start());
}
