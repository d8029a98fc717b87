/* SPDX-License-Identifier: BSD-2-Clause */
/* See names.h. */
#include "names.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/base/quote.h"

/* ---- Columns ----------------------------------------------------------------------- */

struct code_range {
    uint32_t first;
    uint32_t last;
};

/* Both in ascending order. Characters that are put on top of the one before them. */
static const struct code_range combining[] = {
    {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},    {0x5bf, 0x5bf},
    {0x5c1, 0x5c2},   {0x610, 0x61a},   {0x64b, 0x65f},    {0x900, 0x902},
    {0xe31, 0xe31},   {0xe34, 0xe3a},   {0xe47, 0xe4e},    {0x1ab0, 0x1aff},
    {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0x302a, 0x302d},  {0x3099, 0x309a},
    {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef}};

/* Characters of two columns: all that Unicode has as wide or fullwidth, and a few among
 * them that are not. */
static const struct code_range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},
    {0x23f0, 0x23f0},   {0x23f3, 0x23f3},   {0x25fd, 0x25fe},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x267f, 0x267f},   {0x2693, 0x2693},   {0x26a1, 0x26a1},
    {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},   {0x26ce, 0x26ce},
    {0x26d4, 0x26d4},   {0x26ea, 0x26ea},   {0x26f2, 0x26f3},   {0x26f5, 0x26f5},
    {0x26fa, 0x26fa},   {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},
    {0x2728, 0x2728},   {0x274c, 0x274c},   {0x274e, 0x274e},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27b0, 0x27b0},   {0x27bf, 0x27bf},
    {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2b55, 0x2b55},   {0x2e80, 0x303e},
    {0x3041, 0xa4cf},   {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe10, 0xfe19},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
    {0x16fe0, 0x1b2fb}, {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e},
    {0x1f191, 0x1f19a}, {0x1f200, 0x1f265}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff},
    {0x1f7e0, 0x1f7f0}, {0x1f900, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd}};

static bool is_in(const struct code_range *ranges, size_t n, uint32_t code)
{
    for (size_t i = 0; i < n && code >= ranges[i].first; i++) {
        if (code <= ranges[i].last)
            return true;
    }
    return false;
}

/* Of a character of valid UTF-8, at its first byte; and stores its size. */
static size_t char_columns(const char *data, size_t *size)
{
    const unsigned char *s = (const unsigned char *)data;
    uint32_t code;

    *size = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (*size == 1)
        return 1;
    code = s[0] & (0xffU >> (*size + 1));
    for (size_t i = 1; i < *size; i++)
        code = code << 6 | (s[i] & 0x3f);
    if (is_in(combining, sizeof(combining) / sizeof(combining[0]), code))
        return 0;
    return is_in(wide, sizeof(wide) / sizeof(wide[0]), code) ? 2 : 1;
}

size_t names_columns(const char *data, size_t size)
{
    size_t n = 0;

    for (size_t at = 0, step; at < size; at += step)
        n += char_columns(data + at, &step);
    return n;
}

/* How many bytes from the start take at most `columns`. */
static size_t head_size(const char *data, size_t size, size_t columns)
{
    size_t at = 0;
    size_t n = 0;

    while (at < size) {
        size_t step;

        n += char_columns(data + at, &step);
        if (n > columns)
            break;
        at += step;
    }
    return at;
}

/* From which byte on the rest takes at most `columns`. */
static size_t tail_start(const char *data, size_t size, size_t columns)
{
    size_t all = names_columns(data, size);
    size_t at = 0;

    while (all > columns) {
        size_t step;

        all -= char_columns(data + at, &step);
        at += step;
    }
    return at;
}

/* ---- Cutting ----------------------------------------------------------------------- */

/* The end of a name says more than its start. */
size_t names_cut(struct text *text, const char *data, size_t size, size_t width)
{
    size_t columns = names_columns(data, size);
    size_t start = text->size;
    size_t head;
    size_t tail;

    if (columns <= width) {
        text_add(text, data, size);
        return columns;
    }
    head = head_size(data, size, (width - 1) / 3);
    tail = tail_start(data, size, width - 1 - (width - 1) / 3);
    text_add(text, data, head);
    text_str(text, NAMES_ELLIPSIS);
    text_add(text, data + tail, size - tail);
    return names_columns(text->data + start, text->size - start);
}

size_t names_add_plain(struct text *text, const char *data, size_t size, size_t width)
{
    struct text name = {NULL, 0, 0};
    size_t columns;

    quote_text(&name, data, size);
    columns = names_cut(text, name.data, name.size, width);
    text_free(&name);
    return columns;
}

size_t names_add_start(struct text *text, const char *data, size_t size, size_t width)
{
    struct text name = {NULL, 0, 0};
    size_t columns;

    quote_text(&name, data, size);
    columns = names_columns(name.data, name.size);
    if (columns <= width) {
        text_add(text, name.data, name.size);
    } else {
        size_t head = head_size(name.data, name.size, width - 1);

        text_add(text, name.data, head);
        text_str(text, NAMES_ELLIPSIS);
        columns = names_columns(name.data, head) + 1;
    }
    text_free(&name);
    return columns;
}
