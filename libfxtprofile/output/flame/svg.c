/* SPDX-License-Identifier: BSD-2-Clause */
/* See svg.h. */
#include "svg.h"

#include <stdbool.h>

#include "common/base/quote.h"

void svg_add_px(struct text *text, uint64_t length)
{
    text_u64(text, length / SVG_PX);
    length %= SVG_PX;
    if (length == 0)
        return;
    text_char(text, '.');
    text_char(text, (char)('0' + length / 10));
    if (length % 10 > 0)
        text_char(text, (char)('0' + length % 10));
}

void svg_add_length(struct text *text, const char *name, uint64_t length)
{
    text_char(text, ' ');
    text_str(text, name);
    text_str(text, "=\"");
    svg_add_px(text, length);
    text_char(text, '"');
}

void svg_add_string(struct text *text, const char *string)
{
    quote_xml(text, string, strlen(string));
}

void svg_add_count(struct text *text, uint64_t count)
{
    struct text digits = {NULL, 0, 0};

    text_u64(&digits, count);
    for (size_t i = 0; i < digits.size; i++) {
        if (i > 0 && (digits.size - i) % 3 == 0)
            text_char(text, ',');
        text_char(text, digits.data[i]);
    }
    text_free(&digits);
}

struct unit {
    const char *name;
    uint64_t size;
};

/* `units` begin with the largest one, and the last one has size 1. */
static void add_in_units(struct text *text, uint64_t value, const struct unit *units)
{
    while (value < units->size && units->size > 1)
        units++;
    svg_add_count(text, value / units->size);
    value = value % units->size * 1000 / units->size;
    if (value > 0) {
        text_printf(text, ".%03u", (unsigned)value);
        while (text->data[text->size - 1] == '0')
            text->size--;
    }
    text_char(text, ' ');
    text_str(text, units->name);
}

void svg_add_time(struct text *text, uint64_t ns)
{
    static const struct unit units[] = {
        {"s", 1000000000}, {"ms", 1000000}, {"\xc2\xb5s", 1000}, {"ns", 1}};

    add_in_units(text, ns, units);
}

void svg_add_bytes(struct text *text, uint64_t bytes)
{
    static const struct unit units[] = {{"TiB", (uint64_t)1 << 40},
                                        {"GiB", (uint64_t)1 << 30},
                                        {"MiB", 1 << 20},
                                        {"KiB", 1 << 10},
                                        {"bytes", 1}};

    add_in_units(text, bytes, units);
}

void svg_add_percent(struct text *text, uint64_t hundredths)
{
    text_u64(text, hundredths / 100);
    text_char(text, '.');
    text_char(text, (char)('0' + hundredths / 10 % 10));
    text_char(text, (char)('0' + hundredths % 10));
    text_str(text, " %");
}

/* Characters from U+1000 on, known by their first byte, may be as wide as two cells. */
static unsigned cells_of(char first)
{
    return (unsigned char)first >= 0xe1 ? 2 : 1;
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

void svg_add_shortened(struct text *text, struct string name, uint64_t n_cells)
{
    uint64_t used = 0;
    size_t cut = 0;

    for (size_t i = 0; i < name.size; i++) {
        if (is_continuation(name.data[i]))
            continue;
        /* The ellipsis fits after the previous character. */
        if (used < n_cells)
            cut = i;
        used += cells_of(name.data[i]);
    }
    quote_xml(text, name.data, used <= n_cells ? name.size : cut);
    if (used > n_cells)
        text_str(text, "\xe2\x80\xa6");
}
