/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers as people read them: the same at each border as on either side of it. */
#include "tests/support/pooled.h"
#include "tools/fxtreport/units.h"

static const struct {
    int64_t value;
    const char *unit;
    const char *expected;
} values[] = {
    {0, "nanoseconds", "0 ns"},
    {1, "nanoseconds", "1 ns"},
    {999, "nanoseconds", "999 ns"},
    {1000, "nanoseconds", "1.00 us"},
    {1004, "nanoseconds", "1.00 us"},
    {9994, "nanoseconds", "9.99 us"},
    {9996, "nanoseconds", "10.0 us"},
    {99940, "nanoseconds", "99.9 us"},
    {99960, "nanoseconds", "100 us"},
    {999499, "nanoseconds", "999 us"},
    {999500, "nanoseconds", "1.00 ms"},
    {999500000, "nanoseconds", "1.00 s"},
    {123456789012, "nanoseconds", "123 s"},
    {1234567890123, "nanoseconds", "1,235 s"},
    {INT64_MAX, "nanoseconds", "9,223,372,037 s"},
    {0, "bytes", "0 B"},
    {1023, "bytes", "1023 B"},
    {1024, "bytes", "1.00 KiB"},
    {1047552, "bytes", "1,023 KiB"},
    {1048063, "bytes", "1,023 KiB"},
    {1048064, "bytes", "1.00 MiB"},
    {INT64_MAX, "bytes", "8,388,608 TiB"},
    {-1536, "bytes", "-1.50 KiB"},
    {INT64_MIN, "bytes", "-8,388,608 TiB"},
    {0, "count", "0"},
    {999, "count", "999"},
    {1000, "count", "1,000"},
    {-1234567, "count", "-1,234,567"},
    {9999999999, "count", "9,999,999,999"},
    {10000000000, "count", "1e+10"},
    {INT64_MAX, "count", "9.22e+18"},
};

POOLED_TEST(units, values_have_three_digits_or_more)
{
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        struct text text = {NULL, 0, 0};

        units_value(&text, values[i].value, values[i].unit);
        text_char(&text, '\0');
        cr_assert_str_eq(text.data, values[i].expected);
    }
}

static void assert_share(double part, double whole, const char *expected)
{
    struct text text = {NULL, 0, 0};

    units_share(&text, part, whole);
    text_char(&text, '\0');
    cr_assert_str_eq(text.data, expected);
}

POOLED_TEST(units, shares_of_nothing_are_unknown)
{
    assert_share(1, 3, "33.3%");
    assert_share(0, 3, "0.0%");
    assert_share(3, 3, "100.0%");
    assert_share(0, 0, "-");
}

POOLED_TEST(units, dates_are_of_any_year)
{
    struct text text = {NULL, 0, 0};

    units_date(&text, 1700000000123456789);
    text_char(&text, ' ');
    units_date(&text, UINT64_MAX);
    text_char(&text, '\0');
    cr_assert_str_eq(text.data, "2023-11-14 22:13:20 UTC 2554-07-21 23:34:33 UTC");
}
