/* SPDX-License-Identifier: BSD-2-Clause */
/* See text.h. */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory)
{
    if (memory == NULL) {
        fputs("out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return memory;
}

void *must_allocate(size_t size)
{
    return checked(calloc(1, size > 0 ? size : 1));
}

void *must_resize(void *old, size_t size)
{
    return checked(realloc(old, size > 0 ? size : 1));
}

char *must_copy(const char *string)
{
    return (char *)checked(strdup(string));
}

void *must_grow(void *items, size_t n_items, size_t *capacity, size_t item_size)
{
    if (n_items < *capacity)
        return items;
    if (*capacity > SIZE_MAX / 2 / item_size)
        checked(NULL);
    *capacity = *capacity > 0 ? *capacity * 2 : 16;
    return must_resize(items, *capacity * item_size);
}

void text_free(struct text *text)
{
    free(text->data);
    *text = (struct text){NULL, 0, 0};
}

void text_grow(struct text *text, size_t size)
{
    size_t capacity = text->capacity > 0 ? text->capacity : 256;

    if (size > SIZE_MAX / 2 - text->size)
        checked(NULL);
    while (capacity - text->size < size)
        capacity *= 2;
    text->data = (char *)must_resize(text->data, capacity);
    text->capacity = capacity;
}

void text_u64(struct text *text, uint64_t value)
{
    char digits[20];
    size_t n = sizeof(digits);

    do {
        digits[--n] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    text_add(text, digits + n, sizeof(digits) - n);
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

static const char hex_digits[] = "0123456789abcdef";

void text_hex(struct text *text, uint64_t value, int digits)
{
    char buffer[16];
    int n = 16;

    do {
        buffer[--n] = hex_digits[value & 15];
        value >>= 4;
    } while (value > 0 || 16 - n < digits);
    text_add(text, buffer + n, (size_t)(16 - n));
}

void text_hex_bytes(struct text *text, const void *bytes, size_t size)
{
    const unsigned char *from = (const unsigned char *)bytes;
    char *to;

    if (size == 0)
        return;
    if (size > SIZE_MAX / 2)
        checked(NULL);
    to = text_room(text, 2 * size);
    for (size_t i = 0; i < size; i++) {
        *to++ = hex_digits[from[i] >> 4];
        *to++ = hex_digits[from[i] & 15];
    }
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
