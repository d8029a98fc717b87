/* SPDX-License-Identifier: BSD-2-Clause */
/* The table and the set of strings that the profile is built on. */
#include <stdio.h>

#include "tests/support/pooled.h"
#include "common/base/string_table.h"

POOLED_TEST(string_set, a_string_keeps_the_number_it_got_first)
{
    struct string_table set = {.n = 0};

    cr_assert_eq(string_table_add(&set, "a", 1), 0);
    cr_assert_eq(string_table_add(&set, "b", 1), 1);
    cr_assert_eq(string_table_add(&set, "a", 1), 0);
    cr_assert_eq(set.n, 2);
}

POOLED_TEST(string_set, finding_a_string_does_not_add_it)
{
    struct string_table set = {.n = 0};
    uint32_t number;

    cr_assert_not(string_table_find(&set, "a", 1, &number));
    string_table_add(&set, "a", 1);
    string_table_add(&set, "", 0);
    cr_assert(string_table_find(&set, NULL, 0, &number));
    cr_assert_eq(number, 1);
    cr_assert(string_table_find(&set, "a", 1, &number));
    cr_assert_eq(number, 0);
    cr_assert_not(string_table_find(&set, "b", 1, &number));
    cr_assert_eq(set.n, 2);
}

POOLED_TEST(string_set, the_empty_string_and_zero_bytes_are_strings)
{
    struct string_table set = {.n = 0};

    cr_assert_eq(string_table_add(&set, NULL, 0), 0);
    cr_assert_eq(string_table_add(&set, "", 0), 0);
    cr_assert_eq(string_table_get(&set, 0).size, 0);
    cr_assert_eq(string_table_add(&set, "\0", 1), 1);
    cr_assert_eq(string_table_add(&set, "\0\0", 2), 2);
    cr_assert_eq(string_table_add(&set, "a\0b", 3), 3);
    cr_assert_eq(string_table_add(&set, "a\0c", 3), 4);
    cr_assert_eq(string_table_get(&set, 3).data[2], 'b');
}

POOLED_TEST(string_set, a_hundred_thousand_strings_are_found_again)
{
    struct string_table set = {.n = 0};
    char name[16];

    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 100000; i++) {
            int size = snprintf(name, sizeof(name), "%u", i);

            cr_assert_eq(string_table_add(&set, name, (size_t)size), i);
        }
    }
}

POOLED_TEST(string_set, string_table_are_ordered_as_bytes)
{
    const struct string a = {"a", 1};
    const struct string ab = {"ab", 2};
    const struct string high = {"\xff", 1};
    const struct string none = {"", 0};

    cr_assert_lt(string_compare(a, ab), 0);
    cr_assert_gt(string_compare(ab, a), 0);
    cr_assert_eq(string_compare(ab, ab), 0);
    cr_assert_lt(string_compare(ab, high), 0);
    cr_assert_lt(string_compare(none, a), 0);
    cr_assert_eq(string_compare(none, none), 0);
}

/* Different things may have the same hash, even all of them. */
POOLED_TEST(table, every_number_with_a_hash_is_offered_once)
{
    struct table table = {NULL, 0, 0};
    unsigned seen[200] = {0};
    uint32_t number;

    for (uint64_t i = 0; i < 200; i++)
        table_add(&table, i % 2 == 0 ? 0x1234567800000000 : i << 32, i);
    for (struct table_probe probe = table_probe(&table, 0x1234567800000000);
         table_next(&table, &probe, &number);)
        seen[number]++;
    for (unsigned i = 0; i < 200; i++)
        cr_assert_eq(seen[i], i % 2 == 0 ? 1 : 0);
}

POOLED_TEST(table, an_empty_table_offers_nothing)
{
    struct table table = {NULL, 0, 0};
    struct table_probe probe = table_probe(&table, 42);
    uint32_t number;

    cr_assert_not(table_next(&table, &probe, &number));
}
