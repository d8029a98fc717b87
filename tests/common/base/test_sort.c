/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorting rows: the order is that of a comparison, whatever keys they have. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/pooled.h"
#include "common/base/sort.h"
#include "tests/support/pick.h"

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

/* By a row's source, its numbers. */
struct run {
    const uint32_t *numbers;
    uint32_t n;
};

/* The rank of each number, where others follow it and where it comes last, of so many
 * bits; and how far a run's next number is from one. */
struct ranks {
    struct run *runs;
    const uint32_t *inner;
    const uint32_t *last;
    unsigned bits;
    int step;
};

/* What comparisons need to know. */
static const struct ranks *ranks_now;

static uint64_t rank_at(const struct ranks *ranks, const struct run *run, uint64_t i)
{
    uint32_t number = run->numbers[(ptrdiff_t)i * ranks->step];

    return i + 1 < run->n ? ranks->inner[number] : ranks->last[number];
}

/* As many ranks as a key has room for. */
static bool next_ranks(const void *context, struct sort_row *rows, size_t n_rows,
                       uint64_t n)
{
    const struct ranks *ranks = (const struct ranks *)context;
    uint64_t first = n * (64 / ranks->bits);
    bool has_more = false;

    for (size_t i = 0; i < n_rows; i++) {
        const struct run *run = &ranks->runs[rows[i].source];
        uint64_t at = first;

        rows[i].key = 0;
        for (unsigned used = ranks->bits; used <= 64; used += ranks->bits, at++) {
            rows[i].key <<= ranks->bits;
            if (at < run->n)
                rows[i].key |= rank_at(ranks, run, at);
        }
        has_more |= first < run->n;
    }
    return has_more;
}

/* How rows are to be ordered; by nothing but their keys where there are no ranks. */
static int order_rows(const struct sort_row *a, const struct sort_row *b)
{
    const struct run *left;
    const struct run *right;

    if (a->key != b->key || ranks_now == NULL)
        return order_numbers(a->key, b->key);
    left = &ranks_now->runs[a->source];
    right = &ranks_now->runs[b->source];
    for (uint32_t i = 0; i < left->n && i < right->n; i++) {
        uint64_t rank = rank_at(ranks_now, left, i);
        uint64_t other = rank_at(ranks_now, right, i);

        if (rank != other)
            return order_numbers(rank, other);
    }
    return order_numbers(left->n, right->n);
}

static int order_stably(const void *left, const void *right)
{
    const struct sort_row *a = (const struct sort_row *)left;
    const struct sort_row *b = (const struct sort_row *)right;
    int order = order_rows(a, b);

    return order != 0 ? order : order_numbers(a->item, b->item);
}

static void fill(struct run *run, uint32_t *numbers, const struct how *how)
{
    uint32_t n = 1 + (uint32_t)pick(how->longest);
    uint32_t number = 0;

    *run = (struct run){how->step < 0 ? numbers + n - 1 : numbers, n};
    for (uint32_t i = 0; i < n; i++) {
        number = (number * 7 + 3) % how->n_numbers;
        if (pick(how->one_in) == 0)
            number = (uint32_t)pick(how->n_numbers);
        numbers[how->step > 0 ? i : n - 1 - i] = number;
    }
}

/* Rows that are the same are in the order of their items. */
static void check_order(const struct sort_row *rows, const struct sort_row *expected,
                        size_t n, size_t n_threads)
{
    struct sort_row *sorted = (struct sort_row *)memory_allocate(n * sizeof(*sorted));

    for (size_t i = 0; i < n; i++)
        sorted[i] = rows[i];
    sort_rows(n_threads, sorted, n, ranks_now != NULL ? next_ranks : NULL, ranks_now);
    for (size_t i = 0; i < n; i++)
        cr_assert_eq(sorted[i].item, expected[i].item, "row %zu of %zu", i, n);
}

static void check(struct how how, bool with_ranks)
{
    size_t n = how.n_rows;
    uint32_t *numbers = (uint32_t *)memory_allocate(n * how.longest * sizeof(*numbers));
    uint32_t *inner = (uint32_t *)memory_allocate(how.n_numbers * sizeof(*inner));
    uint32_t *last = (uint32_t *)memory_allocate(how.n_numbers * sizeof(*last));
    struct sort_row *rows = (struct sort_row *)memory_allocate(n * sizeof(*rows));
    struct sort_row *expected = (struct sort_row *)memory_allocate(n * sizeof(*expected));
    struct run *runs = (struct run *)memory_allocate(n * sizeof(*runs));
    struct ranks ranks = {runs, inner, last, count_bits(3 * how.n_ranks), how.step};

    for (uint32_t i = 0; i < how.n_numbers; i++) {
        inner[i] = 2 + 3 * (uint32_t)pick(how.n_ranks);
        last[i] = inner[i] + (uint32_t)how.last;
    }
    for (uint32_t i = 0; i < n; i++) {
        rows[i] = (struct sort_row){1 + pick(how.n_keys), (uint32_t)n - 1 - i, i};
        fill(&runs[rows[i].source], numbers + i * (size_t)how.longest, &how);
        expected[i] = rows[i];
    }
    ranks_now = with_ranks ? &ranks : NULL;
    qsort(expected, n, sizeof(*expected), order_stably);
    check_order(rows, expected, n, 1);
    check_order(rows, expected, n, 3);
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

POOLED_TEST(sort, numbers_ascend_and_are_there_once)
{
    uint64_t numbers[] = {3, UINT64_MAX, 0, 3, 1ull << 63, 0, 2, 3};
    static const uint64_t sorted[] = {0, 0, 2, 3, 3, 3, 1ull << 63, UINT64_MAX};
    static const uint64_t unique[] = {0, 2, 3, 1ull << 63, UINT64_MAX};

    sort_numbers(numbers, 8);
    cr_expect_arr_eq(numbers, sorted, sizeof(sorted));
    numbers[0] = 3;
    numbers[3] = 0;
    cr_expect_eq(sort_unique(numbers, 8), 5);
    cr_expect_arr_eq(numbers, unique, sizeof(unique));
    sort_numbers(NULL, 0);
    cr_expect_eq(sort_unique(NULL, 0), 0);
}

POOLED_TEST(sort, few_rows)
{
    for (size_t n = 0; n < 200; n++) {
        check_both_ways((struct how){n, 5, 5, 4, 1, 1, 0, 0});
        check_both_ways((struct how){n, 300, 200, 3, 3, 1, 0, 0});
    }
}

POOLED_TEST(sort, rows_that_differ_at_once)
{
    check_both_ways((struct how){20000, 50000, 50000, 30, 1, 1, 0, 0});
    check_both_ways((struct how){20000, 1 << 20, 1 << 22, 30, 1000, 1, 0, 0});
}

POOLED_TEST(sort, rows_that_begin_alike)
{
    check_both_ways((struct how){20000, 5000, 5000, 40, 1, 8, 0, 0});
    check_both_ways((struct how){20000, 5000, 3000, 40, 8, 16, 0, 0});
    check_both_ways((struct how){30000, 100, 70, 60, 2, 30, 0, 0});
}

POOLED_TEST(sort, rows_that_are_the_same)
{
    check_both_ways((struct how){5000, 1, 1, 1, 1, 1, 0, 0});
    check_both_ways((struct how){5000, 1, 1, 20, 1, 1, 0, 0});
    check_both_ways((struct how){5000, 2, 1, 9, 1, 1, 0, 0});
    check_both_ways((struct how){5000, 3, 2, 8, UINT64_C(1) << 62, 4, 0, 0});
}

/* Rows with so many keys, all of them the same. */
static bool next_same(const void *context, struct sort_row *rows, size_t n_rows,
                      uint64_t n)
{
    const uint64_t *n_keys = (const uint64_t *)context;

    for (size_t i = 0; i < n_rows; i++)
        rows[i].key = n < *n_keys;
    return n < *n_keys;
}

/* Sorts rows whose items are a permutation. If equal rows took quadratic time, or each
 * key a recursion, then this would not end well. */
static void check_same(size_t n, uint64_t n_keys)
{
    struct sort_row *rows = (struct sort_row *)memory_allocate(n * sizeof(*rows));

    for (size_t i = 0; i < n; i++)
        rows[i] = (struct sort_row){7, 0, (uint32_t)(i * 7919 % n)};
    sort_rows(1, rows, n, next_same, &n_keys);
    for (size_t i = 0; i < n; i++)
        cr_assert_eq(rows[i].item, i);
}

POOLED_TEST(sort, a_million_rows_that_are_the_same)
{
    check_same(1000000, 0);
    check_same(1000000, 5);
}

POOLED_TEST(sort, rows_with_a_million_keys)
{
    check_same(50, 1000000);
}

/* Orders that are bad for a pivot from a place that is known. */
static uint64_t patterned_key(unsigned pattern, uint64_t i, uint64_t n)
{
    const uint64_t keys[] = {i, n - i, i < n / 2 ? i : n - i, i % 2 > 0 ? i : n - i};

    return keys[pattern];
}

POOLED_TEST(sort, orders_with_a_pattern)
{
    size_t n = 1000000;
    struct sort_row *rows = (struct sort_row *)memory_allocate(n * sizeof(*rows));

    for (unsigned pattern = 0; pattern < 4; pattern++) {
        for (size_t i = 0; i < n; i++)
            rows[i] = (struct sort_row){patterned_key(pattern, i, n), 0, (uint32_t)i};
        sort_rows(2, rows, n, NULL, NULL);
        for (size_t i = 1; i < n; i++) {
            uint32_t a = rows[i - 1].item;
            uint32_t b = rows[i].item;
            int order =
                order_numbers(patterned_key(pattern, a, n), patterned_key(pattern, b, n));

            cr_assert(order < 0 || (order == 0 && a < b));
        }
    }
}

struct item {
    const char *name;
    int64_t balance;
    uint32_t size;
};

SORT_ORDER(order_all, struct item,
           BY(balance) || BY_DESCENDING(size) || BY_ORDER(strcmp(a->name, b->name)));

POOLED_TEST(sort, items_by_the_first_member_that_differs)
{
    const struct item sorted[] = {{"c", -5, 1}, {"b", 0, UINT32_MAX},
                                  {"a", 0, 7},  {"b", 0, 7},
                                  {"a", 0, 0},  {"a", INT64_MAX, 1}};
    enum { N = sizeof(sorted) / sizeof(sorted[0]) };

    for (size_t first = 0; first < N; first++) {
        struct item items[N];

        for (size_t i = 0; i < N; i++)
            items[i] = sorted[(first + 5 * i) % N];
        SORT(items, N, order_all);
        for (size_t i = 0; i < N; i++) {
            cr_expect_str_eq(items[i].name, sorted[i].name);
            cr_expect_eq(items[i].balance, sorted[i].balance);
            cr_expect_eq(items[i].size, sorted[i].size);
        }
    }
}

POOLED_TEST(sort, no_items)
{
    struct item *none = NULL;

    SORT(none, 0, order_all);
}
