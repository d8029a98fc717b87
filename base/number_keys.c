/* SPDX-License-Identifier: BSD-2-Clause */
/* See number_keys.h. */
#include "number_keys.h"

#include <stdlib.h>

#include <fxt/compiler.h>

#include "text.h"

/* How many bits encode the number of main successors, and their maximum: values below it
 * are for rows that continue with less than the main successor, or end; RUN_MAX itself is
 * for those that may continue with main successors; and the values above, the higher the
 * fewer successors, for those that continue with more. */
enum { RUN_BITS = 5, RUN_MAX = (1 << (RUN_BITS - 1)) - 1 };

/* From how many rows on it is found out what mostly follows; from how many of them, and
 * of how many of their numbers: long rows may differ in their first one. */
enum { MANY = 64, VOTERS = 1 << 13, VOTES = 64 };

/* ---- Main successors --------------------------------------------------------------- */

/* By the rank of a number, which rank may be that of most of its successors, and how many
 * more voted for it than against it (Boyer and Moore, "MJRTY", 1981). */
struct vote {
    uint32_t rank;
    uint32_t lead;
};

static void vote_for(struct vote *vote, uint32_t rank)
{
    if (vote->lead == 0)
        vote->rank = rank;
    if (vote->rank == rank)
        vote->lead++;
    else
        vote->lead--;
}

static void vote_in_row(const struct number_ranks *ranks, const struct number_row *row,
                        struct vote *votes)
{
    for (uint32_t i = 0; i + 2 < row->n && i < VOTES; i++) {
        const uint32_t *number = row->numbers + (ptrdiff_t)i * ranks->step;

        vote_for(&votes[ranks->inner[*number]], ranks->inner[number[ranks->step]]);
    }
}

void number_keys_start(struct number_keys *keys, const struct number_ranks *ranks,
                       const struct number_row *rows, size_t n)
{
    struct vote *votes =
        (struct vote *)memory_allocate(((size_t)ranks->max + 1) * sizeof(*votes));
    size_t distance = n / VOTERS + 1;

    *keys = (struct number_keys){.ranks = ranks, .bits = number_bits(ranks->max)};
    keys->successors = (struct number_successor *)memory_reserve(
        ranks->n_numbers * sizeof(*keys->successors));
    for (size_t i = 0; i < n && n >= MANY; i += distance)
        vote_in_row(ranks, &rows[i], votes);
    for (size_t i = 0; i < ranks->n_numbers; i++)
        keys->successors[i] =
            (struct number_successor){ranks->inner[i], votes[ranks->inner[i]].rank};
    memory_release(votes);
}

void number_keys_free(struct number_keys *keys)
{
    memory_release(keys->successors);
}

/* ---- Keys -------------------------------------------------------------------------- */

/* How many main successors there are from a number on, after which there are `n`. What
 * comes last is not counted, since it may have another rank. */
static inline uint32_t count_run(const struct number_keys *keys, const uint32_t *number,
                                 uint32_t n)
{
    struct number_successor successor = keys->successors[*number];
    uint32_t max = n > RUN_MAX ? RUN_MAX : n > 0 ? n - 1 : 0;
    uint32_t run = 0;

    for (; run < max; run++) {
        uint32_t main = successor.main;

        number += keys->ranks->step;
        successor = keys->successors[*number];
        if (successor.rank != main)
            break;
    }
    return run;
}

/* The rank of what follows a number; `n` is how many numbers that are. */
static inline uint64_t rank_behind(const struct number_ranks *ranks,
                                   const uint32_t *number, uint32_t n)
{
    if (n == 0)
        return 0;
    return (n == 1 ? ranks->last : ranks->inner)[number[ranks->step]];
}

uint64_t number_keys_make(const struct number_keys *keys, struct number_row *row,
                          uint64_t key, unsigned n_free)
{
    const struct number_ranks *ranks = keys->ranks;
    const uint32_t *numbers = row->numbers;
    uint32_t n = row->n;

    if (!keys->has_begun && n > 0) {
        key = key << keys->bits | number_rank(ranks, row, 0);
        n_free -= keys->bits;
    }
    while (n > 0 && n_free >= RUN_BITS) {
        uint32_t run = count_run(keys, numbers, n - 1);
        uint64_t rank;
        bool is_more;

        numbers += (ptrdiff_t)run * ranks->step;
        n -= run;
        n_free -= RUN_BITS;
        if (run == RUN_MAX) {
            key = key << RUN_BITS | RUN_MAX;
            continue;
        }
        rank = rank_behind(ranks, numbers, n - 1);
        /* A row that ends with a main successor comes before one that continues after it,
         * also where the two ranks are the same. */
        is_more = rank > keys->successors[*numbers].main;
        key = key << RUN_BITS | (run + is_more * (2 * (RUN_MAX - run)));
        if (n_free < keys->bits)
            break;
        key = key << keys->bits | rank;
        n_free -= keys->bits;
        n--;
        if (n > 0)
            numbers += ranks->step;
    }
    row->numbers = numbers;
    row->n = n;
    return key << n_free;
}
