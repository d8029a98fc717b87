/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting runs of numbers: the order is that of a comparison, whatever runs they are. */
#include <criterion/criterion.h>

#include <stdbool.h>
#include <stdlib.h>

#include "base/number_sort.h"
#include "tests/support/pick.h"
#include "base/text.h"

/* Runs to be sorted: of so many numbers, of which several may have one rank, up to so
 * long, with so many keys. One in `one_in` numbers is any; the others are what they
 * mostly are after the one before. */
struct how {
    size_t n_rows;
    uint32_t n_numbers;
    uint32_t n_ranks;
    uint32_t longest;
    uint64_t n_keys;
    uint64_t one_in;
    int step;
    /* How far the rank of a number that comes last is from its other one. */
    int last;
};

/* What comparisons need to know. */
static const struct number_ranks *ranks_now;

static uint64_t rank_at(const struct number_row *row, uint32_t i)
{
    uint32_t number = row->numbers[(ptrdiff_t)i * ranks_now->step];

    return i + 1 < row->n ? ranks_now->inner[number] : ranks_now->last[number];
}

/* How rows are to be ordered; by nothing but their keys where there are no ranks. */
static int order_rows(const struct number_row *a, const struct number_row *b)
{
    if (a->key != b->key || ranks_now == NULL)
        return order_numbers(a->key, b->key);
    for (uint32_t i = 0; i < a->n && i < b->n; i++) {
        if (rank_at(a, i) != rank_at(b, i))
            return order_numbers(rank_at(a, i), rank_at(b, i));
    }
    return order_numbers(a->n, b->n);
}

static int order_stably(const void *left, const void *right)
{
    const struct number_row *a = (const struct number_row *)left;
    const struct number_row *b = (const struct number_row *)right;
    int order = order_rows(a, b);

    return order != 0 ? order : order_numbers(a->item, b->item);
}

static void fill(struct number_row *row, uint32_t *numbers, const struct how *how,
                 uint32_t item)
{
    uint32_t n = 1 + (uint32_t)pick(how->longest);
    uint32_t number = 0;

    *row = (struct number_row){1 + pick(how->n_keys), numbers, n, item};
    if (how->step < 0)
        row->numbers += n - 1;
    for (uint32_t i = 0; i < n; i++) {
        number = (number * 7 + 3) % how->n_numbers;
        if (pick(how->one_in) == 0)
            number = (uint32_t)pick(how->n_numbers);
        numbers[how->step > 0 ? i : n - 1 - i] = number;
    }
}

/* Those with the same key stay in order. */
static void check_keys(const struct number_row *rows, const struct number_row *expected,
                       size_t n)
{
    struct number_row *sorted = (struct number_row *)memory_allocate(n * sizeof(*sorted));

    for (size_t i = 0; i < n; i++)
        sorted[i] = rows[i];
    number_sort_keys(sorted, NULL, n);
    for (size_t i = 0; i < n; i++)
        cr_assert_eq(sorted[i].item, expected[i].item, "row %zu of %zu", i, n);
    memory_release(sorted);
}

/* Each row is there once; those that are the same are in any order. */
static void check_ranks(const struct number_row *rows, const struct number_row *expected,
                        size_t n)
{
    struct number_row *sorted = (struct number_row *)memory_allocate(n * sizeof(*sorted));
    bool *is_there = (bool *)memory_allocate(n * sizeof(*is_there));

    for (size_t i = 0; i < n; i++)
        sorted[i] = rows[i];
    number_sort(ranks_now, sorted, n);
    for (size_t i = 0; i < n; i++) {
        uint32_t item = sorted[i].item;

        cr_assert_not(is_there[item]);
        is_there[item] = true;
        cr_assert_eq(order_rows(&rows[item], &expected[i]), 0, "row %zu of %zu", i, n);
    }
    memory_release(sorted);
    memory_release(is_there);
}

static void check(struct how how, bool with_ranks)
{
    size_t n = how.n_rows;
    uint32_t *numbers = (uint32_t *)memory_allocate(n * how.longest * sizeof(*numbers));
    uint32_t *inner = (uint32_t *)memory_allocate(how.n_numbers * sizeof(*inner));
    uint32_t *last = (uint32_t *)memory_allocate(how.n_numbers * sizeof(*last));
    struct number_row *rows = (struct number_row *)memory_allocate(n * sizeof(*rows));
    struct number_row *expected =
        (struct number_row *)memory_allocate(n * sizeof(*expected));
    struct number_ranks ranks = {inner, last, how.n_numbers, 3 * how.n_ranks, how.step};

    for (uint32_t i = 0; i < how.n_numbers; i++) {
        inner[i] = 2 + 3 * (uint32_t)pick(how.n_ranks);
        last[i] = inner[i] + (uint32_t)how.last;
    }
    for (size_t i = 0; i < n; i++)
        fill(&rows[i], numbers + i * how.longest, &how, (uint32_t)i);
    for (size_t i = 0; i < n; i++)
        expected[i] = rows[i];
    ranks_now = with_ranks ? &ranks : NULL;
    qsort(expected, n, sizeof(*expected), order_stably);
    if (with_ranks)
        check_ranks(rows, expected, n);
    else
        check_keys(rows, expected, n);
    memory_release(numbers);
    memory_release(inner);
    memory_release(last);
    memory_release(rows);
    memory_release(expected);
}

static void check_both_ways(struct how how)
{
    how.step = 1;
    check(how, false);
    for (how.last = -1; how.last <= 1; how.last++) {
        how.step = 1;
        check(how, true);
        how.step = -1;
        check(how, true);
    }
}

Test(number_sort, few_rows)
{
    for (size_t n = 0; n < 200; n++) {
        check_both_ways((struct how){n, 5, 5, 4, 1, 1, 0, 0});
        check_both_ways((struct how){n, 300, 200, 3, 3, 1, 0, 0});
    }
}

Test(number_sort, rows_that_differ_at_once)
{
    check_both_ways((struct how){20000, 50000, 50000, 30, 1, 1, 0, 0});
    check_both_ways((struct how){20000, 1 << 20, 1 << 22, 30, 1000, 1, 0, 0});
}

Test(number_sort, rows_that_begin_alike)
{
    check_both_ways((struct how){20000, 5000, 5000, 40, 1, 8, 0, 0});
    check_both_ways((struct how){20000, 5000, 3000, 40, 8, 16, 0, 0});
    check_both_ways((struct how){30000, 100, 70, 60, 2, 30, 0, 0});
}

Test(number_sort, rows_that_are_the_same)
{
    check_both_ways((struct how){5000, 1, 1, 1, 1, 1, 0, 0});
    check_both_ways((struct how){5000, 1, 1, 20, 1, 1, 0, 0});
    check_both_ways((struct how){5000, 2, 1, 9, 1, 1, 0, 0});
    check_both_ways((struct how){5000, 3, 2, 8, UINT64_C(1) << 62, 4, 0, 0});
}
