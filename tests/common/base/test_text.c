/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers have the digits that printf gives them, and strings all that it would. */
#include <inttypes.h>
#include <string.h>
#include <stdio.h>

#include "tests/support/pooled.h"
#include "common/base/text.h"

static void check_number(uint64_t number)
{
    struct text text = {NULL, 0, 0};
    char expected[32];

    text_str(&text, "=");
    text_u64(&text, number);
    text_char(&text, '\0');
    snprintf(expected, sizeof(expected), "=%" PRIu64, number);
    cr_assert_str_eq(text.data, expected);
    cr_assert_eq(text.size, strlen(expected) + 1);
}

POOLED_TEST(text, numbers_around_powers_of_ten_have_all_their_digits)
{
    uint64_t power = 1;

    for (int i = 0; i < 20; i++, power *= 10) {
        for (uint64_t digit = 1; digit < 10; digit++) {
            check_number(power * digit - 1);
            check_number(power * digit);
            check_number(power * digit + 1);
        }
    }
    check_number(UINT64_MAX);
    check_number((uint64_t)INT64_MAX + 1);
}

static void check_decimals(uint32_t value)
{
    struct text text = {NULL, 0, 0};
    char expected[32];
    size_t size;

    snprintf(expected, sizeof(expected), "=.%08" PRIu32, value);
    for (size = strlen(expected); expected[size - 1] == '0';)
        size--;
    text_char(&text, '=');
    text_decimals(&text, value);
    cr_assert_eq(text.size, value > 0 ? size : 1);
    cr_assert_eq(memcmp(text.data, expected, text.size), 0);
}

POOLED_TEST(text, decimals_have_no_zeros_at_the_end)
{
    for (uint32_t i = 0; i < 100000000; i += i / 50 + 1)
        check_decimals(i);
    for (uint32_t power = 1; power < 100000000; power *= 10) {
        check_decimals(power);
        check_decimals(100000000 - power);
    }
}

POOLED_TEST(text, random_numbers_have_all_their_digits)
{
    uint64_t number = 88172645463325252;

    for (int i = 0; i < 100000; i++) {
        number ^= number << 13;
        number ^= number >> 7;
        number ^= number << 17;
        check_number(number >> i % 64);
    }
}

POOLED_TEST(text, formatted_strings_are_whole)
{
    const char *string = text_format("%s/%0*d", "directory", 5000, 7);

    cr_assert_eq(strlen(string), strlen("directory/") + 5000);
    cr_assert_eq(strncmp(string, "directory/000", 13), 0);
    cr_assert_eq(string[strlen(string) - 1], '7');
}

POOLED_TEST(text, what_failed_is_added)
{
    struct text why = {NULL, 0, 0};

    text_str(&why, "one, ");
    cr_assert(!text_fail(&why, "two and %d", 3));
    text_char(&why, '\0');
    cr_assert_str_eq(why.data, "one, two and 3");
}
