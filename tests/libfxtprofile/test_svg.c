/* SPDX-License-Identifier: BSD-2-Clause */
/* The pieces of an SVG, and the colours of a flame graph. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>

#include "libfxtprofile/output/palette.h"
#include "libfxtprofile/output/flame/svg.h"

/* Asserts what was added, and empties it. */
static void assert_added(struct text *text, const char *expected)
{
    text_char(text, '\0');
    cr_assert_str_eq(text->data, expected);
    text_free(text);
}

Test(svg, lengths_have_the_decimals_that_they_need)
{
    struct text text = {NULL, 0, 0};

    svg_add_length(&text, "x", 0);
    svg_add_length(&text, "y", 7);
    svg_add_length(&text, "a", 120);
    svg_add_length(&text, "b", 123456);
    assert_added(&text, " x=\"0\" y=\"0.07\" a=\"1.2\" b=\"1234.56\"");
}

Test(svg, times_and_bytes_have_the_largest_unit_that_fits)
{
    static const struct {
        uint64_t value;
        const char *time;
        const char *bytes;
    } cases[] = {
        {0, "0 ns", "0 bytes"},
        {999, "999 ns", "999 bytes"},
        {1000, "1 \xc2\xb5s", "1,000 bytes"},
        {1024, "1.024 \xc2\xb5s", "1 KiB"},
        {1048575, "1.048 ms", "1,023.999 KiB"},
        {59999999999, "59.999 s", "55.879 GiB"},
        {UINT64_MAX, "18,446,744,073.709 s", "16,777,215.999 TiB"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct text text = {NULL, 0, 0};

        svg_add_time(&text, cases[i].value);
        assert_added(&text, cases[i].time);
        text = (struct text){NULL, 0, 0};
        svg_add_bytes(&text, cases[i].value);
        assert_added(&text, cases[i].bytes);
    }
}

Test(svg, counts_are_grouped_by_thousands)
{
    static const struct {
        uint64_t count;
        const char *text;
    } cases[] = {{0, "0"},
                 {999, "999"},
                 {1000, "1,000"},
                 {123456, "123,456"},
                 {UINT64_MAX, "18,446,744,073,709,551,615"}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct text text = {NULL, 0, 0};

        svg_add_count(&text, cases[i].count);
        assert_added(&text, cases[i].text);
    }
}

Test(svg, shares_have_two_decimals)
{
    struct text text = {NULL, 0, 0};

    svg_add_percent(&text, 0);
    svg_add_percent(&text, 5);
    svg_add_percent(&text, 1230);
    svg_add_percent(&text, 10000);
    assert_added(&text, "0.00 %0.05 %12.30 %100.00 %");
}

static void assert_shortened(const char *name, uint64_t n_cells, const char *expected)
{
    struct text text = {NULL, 0, 0};

    svg_add_shortened(&text, string_from(name), n_cells);
    assert_added(&text, expected);
}

#define ELLIPSIS "\xe2\x80\xa6"

Test(svg, names_are_cut_between_characters)
{
    assert_shortened("sort", 4, "sort");
    assert_shortened("sort", 3, "so" ELLIPSIS);
    assert_shortened("sort", 1, ELLIPSIS);
    assert_shortened("", 1, "");
    assert_shortened("\xc3\xa9t\xc3\xa9s", 4, "\xc3\xa9t\xc3\xa9s");
    assert_shortened("\xc3\xa9t\xc3\xa9s", 2, "\xc3\xa9" ELLIPSIS);
    assert_shortened("<<<<<", 4, "&lt;&lt;&lt;" ELLIPSIS);
}

/* U+6F22 U+5B57: two cells each. */
Test(svg, wide_characters_take_two_cells)
{
    assert_shortened("\xe6\xbc\xa2\xe5\xad\x97", 4, "\xe6\xbc\xa2\xe5\xad\x97");
    assert_shortened("\xe6\xbc\xa2\xe5\xad\x97", 3, "\xe6\xbc\xa2" ELLIPSIS);
    assert_shortened("\xe6\xbc\xa2\xe5\xad\x97", 2, ELLIPSIS);
    assert_shortened("a\xf0\x9f\x94\xa5z", 3, "a" ELLIPSIS);
}

/* ---- Colours ---- */

/* As WCAG 2.1 defines it. */
static double luminance(uint32_t color)
{
    static const double weights[] = {0.2126, 0.7152, 0.0722};
    double sum = 0;

    for (int i = 0; i < 3; i++) {
        double part = (double)(color >> (16 - 8 * i) & 0xff) / 255;

        part = part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
        sum += weights[i] * part;
    }
    return sum;
}

/* 4.5 is what text of this size should have at the least. */
Test(palette, all_colours_are_light_enough_for_dark_text)
{
    const double dark = luminance(0x222222);

    for (int palette = 0; palette < PALETTES; palette++) {
        for (uint32_t i = 0; i < 2000; i++) {
            char name[16];
            struct string string = {name, (size_t)sprintf(name, "name%u", i)};
            uint32_t color =
                palette_color((enum fxt_profile_palette)palette, string, i % 40);

            cr_assert_gt((luminance(color) + 0.05) / (dark + 0.05), 4.5, "%06x", color);
        }
    }
}

/* They are part of the bytes that every machine writes alike. */
Test(palette, colours_follow_from_names)
{
    const struct string name = {"sort_range", 10};

    cr_assert_eq(palette_color(FXT_PROFILE_PALETTE_HOT, name, 0), 0xf07248);
    cr_assert_eq(palette_color(FXT_PROFILE_PALETTE_HOT, name, 1), 0xf07248);
    cr_assert_eq(palette_color(FXT_PROFILE_PALETTE_MODULE, name, 1),
                 palette_color(FXT_PROFILE_PALETTE_MODULE, name, 9));
    cr_assert_neq(palette_color(FXT_PROFILE_PALETTE_MODULE, name, 1),
                  palette_color(FXT_PROFILE_PALETTE_MODULE, name, 2));
    cr_assert_neq(palette_color(FXT_PROFILE_PALETTE_MODULE, name, 0),
                  palette_color(FXT_PROFILE_PALETTE_MODULE, name, PALETTE_NO_MODULE));
}

Test(palette, palettes_have_names)
{
    static const char *const names[] = {"hot", "mem", "io", "module"};
    enum fxt_profile_palette palette;

    for (int i = 0; i < PALETTES; i++) {
        cr_assert(fxt_profile_palette_find(names[i], &palette));
        cr_assert_eq((int)palette, i);
    }
    cr_assert_not(fxt_profile_palette_find("", &palette));
    cr_assert_not(fxt_profile_palette_find("hott", &palette));
}
