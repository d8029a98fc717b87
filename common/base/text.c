/* SPDX-License-Identifier: BSD-2-Clause */
/* See text.h. */
#include "text.h"

#include <endian.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hex.h"

void text_free(struct text *text)
{
    memory_release(text->data);
    *text = (struct text){NULL, 0, 0};
}

void text_grow(struct text *text, size_t size)
{
    size_t capacity = text->capacity > 0 ? text->capacity : 256;

    if (size > SIZE_MAX / 2 - text->size)
        memory_fail(MEMORY_EXHAUSTED);
    while (capacity - text->size < size)
        capacity *= 2;
    text->data = memory_reallocate(text->data, capacity);
    text->capacity = capacity;
}

enum { DIGITS_AT_ONCE = 8, TEN_TO_THE_8TH = 100000000 };

/* The eight decimal digits of a number below that, the first in the lowest byte: as two
 * numbers of four digits in a word, then four of two, and then eight of one. The products
 * are divisions by 100 and by 10 that are exact for numbers of so few digits. */
static uint64_t split_digits(uint32_t value)
{
    uint64_t word = value / 10000 | (uint64_t)(value % 10000) << 32;
    uint64_t high = word * 10486 >> 20 & 0x0000007f0000007f;

    word = high | (word - 100 * high) << 16;
    high = word * 103 >> 10 & 0x000f000f000f000f;
    return high | (word - 10 * high) << 8;
}

/* Stores digits without the first `skip` ones. */
static void add_digits(struct text *text, uint64_t digits, unsigned skip)
{
    uint64_t word = htole64((digits | 0x3030303030303030) >> 8 * skip);

    memcpy(text_room(text, DIGITS_AT_ONCE), &word, sizeof(word));
    text->size += DIGITS_AT_ONCE - skip;
}

/* Lists of numbers of unpredictable sizes are long: their digits need no branch. */
void text_u64(struct text *text, uint64_t value)
{
    uint64_t digits;

    if (value >= TEN_TO_THE_8TH) {
        text_u64(text, value / TEN_TO_THE_8TH);
        add_digits(text, split_digits((uint32_t)(value % TEN_TO_THE_8TH)), 0);
        return;
    }
    digits = split_digits((uint32_t)value);
    /* At least the last one. */
    add_digits(text, digits, (unsigned)__builtin_ctzll(digits | (uint64_t)1 << 56) / 8);
}

void text_decimals(struct text *text, uint32_t value)
{
    uint64_t digits = split_digits(value);
    char *to;
    uint64_t word;

    if (value == 0)
        return;
    to = text_room(text, 1 + DIGITS_AT_ONCE);
    to[0] = '.';
    word = htole64(digits | 0x3030303030303030);
    memcpy(to + 1, &word, sizeof(word));
    text->size += 1 + DIGITS_AT_ONCE - (unsigned)__builtin_clzll(digits) / 8;
}

void text_count(struct text *text, uint64_t n, const char *noun)
{
    text_u64(text, n);
    text_char(text, ' ');
    text_str(text, noun);
    text_str(text, text_plural(n));
}

void text_i64(struct text *text, int64_t value)
{
    if (value < 0) {
        text_char(text, '-');
        text_u64(text, 0 - (uint64_t)value);
    } else {
        text_u64(text, (uint64_t)value);
    }
}

/* How many hex digits a number has. */
static int count_digits(uint64_t value)
{
    int n = 1;

    if (value >> 32 != 0) {
        n += 8;
        value >>= 32;
    }
    if (value >> 16 != 0) {
        n += 4;
        value >>= 16;
    }
    if (value >> 8 != 0) {
        n += 2;
        value >>= 8;
    }
    return value >> 4 != 0 ? n + 1 : n;
}

void text_hex(struct text *text, uint64_t value, int digits)
{
    int n = count_digits(value);

    if (n < digits)
        n = digits;
    /* All 16 are stored, from the first that counts on. */
    hex_word(text_room(text, 16), value << (4 * (16 - n)));
    text->size += (size_t)n;
}

void text_share(struct text *text, uint64_t part, uint64_t whole)
{
    double tenths = (double)part / (double)whole * 1000 + 0.5;
    uint64_t rounded = (uint64_t)tenths;

    text_u64(text, rounded / 10);
    text_char(text, '.');
    text_u64(text, rounded % 10);
    text_str(text, " %");
}

void text_hex_bytes(struct text *text, const void *bytes, size_t size)
{
    const unsigned char *from = (const unsigned char *)bytes;
    char *to;

    if (size == 0)
        return;
    if (size > SIZE_MAX / 2)
        memory_fail(MEMORY_EXHAUSTED);
    to = text_room(text, 2 * size);
    for (size_t i = 0; i < size; i++)
        hex_byte(to + 2 * i, from[i]);
    text->size += 2 * size;
}

void text_double(struct text *text, double value)
{
    char buffer[32];

    /* 15 digits are enough for most doubles that people write, 17 for all. */
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    text_str(text, buffer);
    if (strpbrk(buffer, ".e") == NULL)
        text_str(text, ".0");
}

static void add_formatted(struct text *text, const char *format, va_list args)
{
    va_list again;
    int size;

    va_copy(again, args);
    size = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (size < 0)
        return;
    vsnprintf(text_room(text, (size_t)size + 1), (size_t)size + 1, format, args);
    text->size += (size_t)size;
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_formatted(text, format, args);
    va_end(args);
}

bool text_fail(struct text *why, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_formatted(why, format, args);
    va_end(args);
    return false;
}

char *text_format(const char *format, ...)
{
    struct text text = {NULL, 0, 0};
    va_list args;

    va_start(args, format);
    add_formatted(&text, format, args);
    va_end(args);
    text_char(&text, '\0');
    return text.data;
}
