/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of nested ranges an address is in. */
#include <stdlib.h>

#include "tests/support/pooled.h"
#include "libfxtprofile/symbols/ranges.h"

POOLED_TEST(ranges, the_innermost_range_counts_and_the_one_around_it_continues_after_it)
{
    struct ranges r = {NULL, 0, 0};

    ranges_add(&r, 40, 50, 2);
    ranges_add(&r, 10, 100, 0);
    ranges_add(&r, 20, 60, 1);
    ranges_add(&r, 70, 80, 3);
    ranges_finish(&r);
    cr_assert_eq(ranges_find(&r, 9), RANGES_NONE);
    cr_assert_eq(ranges_find(&r, 10), 0);
    cr_assert_eq(ranges_find(&r, 20), 1);
    cr_assert_eq(ranges_find(&r, 40), 2);
    cr_assert_eq(ranges_find(&r, 49), 2);
    cr_assert_eq(ranges_find(&r, 50), 1);
    cr_assert_eq(ranges_find(&r, 60), 0);
    cr_assert_eq(ranges_find(&r, 75), 3);
    cr_assert_eq(ranges_find(&r, 99), 0);
    cr_assert_eq(ranges_find(&r, 100), RANGES_NONE);
}

POOLED_TEST(ranges, of_those_that_start_together_the_higher_item_is_inside)
{
    struct ranges r = {NULL, 0, 0};

    ranges_add(&r, 10, 20, 5);
    ranges_add(&r, 10, 40, 4);
    ranges_add(&r, 30, 30, 6);
    ranges_add(&r, 35, 34, 7);
    ranges_finish(&r);
    cr_assert_eq(ranges_find(&r, 10), 5);
    cr_assert_eq(ranges_find(&r, 20), 4);
    cr_assert_eq(ranges_find(&r, 35), 4);
}

POOLED_TEST(ranges, an_empty_set_and_the_last_address_are_no_special_cases)
{
    struct ranges r = {NULL, 0, 0};

    ranges_finish(&r);
    cr_assert_eq(ranges_find(&r, 0), RANGES_NONE);
    ranges_add(&r, 0, UINT64_MAX, 1);
    ranges_add(&r, UINT64_MAX - 1, UINT64_MAX, 2);
    ranges_finish(&r);
    cr_assert_eq(ranges_find(&r, 0), 1);
    cr_assert_eq(ranges_find(&r, UINT64_MAX - 1), 2);
    cr_assert_eq(ranges_find(&r, UINT64_MAX), RANGES_NONE);
}

/* A slow way to the same answer, for ranges that need not be properly nested. */
static uint32_t find_slowly(const struct range *all, size_t n, uint64_t address)
{
    const struct range *best = NULL;

    for (size_t i = 0; i < n; i++) {
        if (address < all[i].start || address >= all[i].limit)
            continue;
        if (best == NULL || all[i].start > best->start ||
            (all[i].start == best->start && all[i].item > best->item))
            best = &all[i];
    }
    return best != NULL ? best->item : RANGES_NONE;
}

POOLED_TEST(ranges, any_ranges_give_what_a_slow_search_gives)
{
    srand(5);
    for (int round = 0; round < 2000; round++) {
        struct ranges r = {NULL, 0, 0};
        struct range all[20];
        size_t n = (size_t)rand() % 20;

        for (uint32_t i = 0; i < n; i++) {
            uint64_t start = (uint64_t)rand() % 60;

            all[i] = (struct range){start, start + 1 + (uint64_t)rand() % 30, i};
            ranges_add(&r, all[i].start, all[i].limit, i);
        }
        ranges_finish(&r);
        for (uint64_t a = 0; a < 100; a++)
            cr_assert_eq(ranges_find(&r, a), find_slowly(all, n, a));
        ranges_free(&r);
    }
}
