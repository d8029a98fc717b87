/* SPDX-License-Identifier: BSD-2-Clause */
/* See sort.h: rows, by a quicksort that continues with the next keys where keys are equal
 * (Bentley and Sedgewick, "Fast Algorithms for Sorting and Searching Strings", 1997). */
#include "sort.h"

#include <assert.h>

#include "parallel.h"
#include "table.h"

struct part {
    struct sort_row *rows;
    size_t n;
    /* How many keys each was given. */
    uint64_t n_keys;
    /* No row has another key: the items are the last keys. */
    bool by_item;
};

struct sorting {
    sort_next_fn *next;
    const void *context;
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
static size_t move_to_front(struct sort_row *rows, size_t n_rows, uint64_t first,
                            uint64_t n_keys)
{
    struct sort_row taken;
    size_t n = 0;

    if (n_rows == 0)
        return 0;
    taken = rows[0];
    for (size_t i = 1; i < n_rows; i++) {
        rows[i - 1] = rows[n];
        rows[n] = rows[i];
        n += rows[i].key - first < n_keys;
    }
    rows[n_rows - 1] = rows[n];
    rows[n] = taken;
    return n + (taken.key - first < n_keys);
}

/* Divides a part into the rows below, at and above the pivot. */
static void partition_rows(struct part part, uint64_t pivot, struct part parts[3])
{
    parts[0] = parts[1] = parts[2] = part;
    parts[0].n = move_to_front(part.rows, part.n, 0, pivot);
    parts[1].rows += parts[0].n;
    parts[1].n = move_to_front(parts[1].rows, part.n - parts[0].n, pivot, 1);
    parts[2].rows = parts[1].rows + parts[1].n;
    parts[2].n -= parts[0].n + parts[1].n;
}

/* Gives rows with equal keys their next ones. */
static void next_keys(const struct sorting *s, struct part *part)
{
    part->by_item =
        s->next == NULL || !s->next(s->context, part->rows, part->n, part->n_keys);
    part->n_keys++;
    for (size_t i = 0; i < part->n && part->by_item; i++)
        part->rows[i].key = part->rows[i].item;
}

/* Divides a part, of at least two rows, into three that are still to be sorted. */
static void divide(const struct sorting *s, struct part part, struct part parts[3],
                   uint64_t *random)
{
    partition_rows(part, choose_pivot(part, random), parts);
    if (part.by_item)
        parts[1].n = 0;
    else if (parts[1].n > 1)
        next_keys(s, &parts[1]);
}

/* The largest part is left to the loop, so that a recursion has at most half the rows. */
static void sort_part(const struct sorting *s, struct part part, uint64_t random)
{
    while (part.n > 1) {
        struct part parts[3];
        int largest = 0;

        divide(s, part, parts, &random);
        for (int i = 1; i < 3; i++)
            largest = parts[i].n > parts[largest].n ? i : largest;
        for (int i = 0; i < 3; i++) {
            if (i != largest)
                sort_part(s, parts[i], random);
        }
        part = parts[largest];
    }
}

/* How many parts there are, and at most; and the fewest rows of one that is divided for
 * several threads. */
enum { PARTS_A_THREAD = 6, PARTS_MAX = 129, DIVIDED_MIN = 1 << 13 };

struct shared {
    struct sorting sorting;
    struct part parts[PARTS_MAX];
    size_t n;
};

static void sort_shared(void *context, size_t thread, size_t piece)
{
    struct shared *shared = (struct shared *)context;

    (void)thread;
    sort_part(&shared->sorting, shared->parts[piece], hash_start());
}

void sort_rows(size_t n_threads, struct sort_row *rows, size_t n, sort_next_fn *next,
               const void *context)
{
    struct shared shared = {{next, context}, {{rows, n, 0, false}}, 1};
    uint64_t random = hash_start();

    assert(rows != NULL || n == 0);
    while (n_threads > 1 && shared.n < PARTS_A_THREAD * n_threads &&
           shared.n + 2 <= PARTS_MAX) {
        struct part *largest = &shared.parts[0];
        struct part parts[3];

        for (size_t i = 1; i < shared.n; i++)
            largest = shared.parts[i].n > largest->n ? &shared.parts[i] : largest;
        if (largest->n < DIVIDED_MIN)
            break;
        divide(&shared.sorting, *largest, parts, &random);
        *largest = parts[0];
        shared.parts[shared.n++] = parts[1];
        shared.parts[shared.n++] = parts[2];
    }
    parallel_run(shared.n > 1 ? n_threads : 1, shared.n, sort_shared, &shared);
}
