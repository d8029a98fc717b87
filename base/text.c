/* SPDX-License-Identifier: BSD-2-Clause */
/* See text.h. */
#include "text.h"

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
    text->data = (char *)memory_reallocate(text->data, capacity);
    text->capacity = capacity;
}

/* The numbers from 00 to 99, one after the other. */
/* clang-format off */
static const char decimal_pairs[] =
    "0001020304050607080910111213141516171819"
    "2021222324252627282930313233343536373839"
    "4041424344454647484950515253545556575859"
    "6061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";
/* clang-format on */

static size_t count_decimals(uint64_t value)
{
    size_t n = 1;

    for (; value >= 10000; value /= 10000)
        n += 4;
    return n + (value >= 10) + (value >= 100) + (value >= 1000);
}

void text_u64(struct text *text, uint64_t value)
{
    size_t n = count_decimals(value);
    char *to = text_room(text, n) + n;

    text->size += n;
    for (; value >= 100; value /= 100)
        memcpy(to -= 2, decimal_pairs + 2 * (value % 100), 2);
    if (value >= 10)
        memcpy(to - 2, decimal_pairs + 2 * value, 2);
    else
        to[-1] = (char)('0' + value);
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

void text_printf(struct text *text, const char *format, ...)
{
    va_list args;
    int size;

    va_start(args, format);
    size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (size < 0)
        return;
    va_start(args, format);
    vsnprintf(text_room(text, (size_t)size + 1), (size_t)size + 1, format, args);
    va_end(args);
    text->size += (size_t)size;
}
