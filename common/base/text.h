/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text (or bytes) being put together in memory, and number formatting that does not go
 * through printf: every digit of 64 bits, and fast.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "memory.h"

struct text {
    char *data;
    size_t size;
    size_t capacity;
};

void text_free(struct text *text);

/* Makes room for `size` more bytes, which text_room found missing. */
void text_grow(struct text *text, size_t size);

/* Room for `size` more bytes, at the pointer returned; the caller advances text->size.
 * This and the next three are inline, so that adding a few known bytes costs no more than
 * storing them: a tool's output is millions of such steps. */
static inline char *text_room(struct text *text, size_t size)
{
    if (text->capacity - text->size < size)
        text_grow(text, size);
    return text->data + text->size;
}

static inline void text_add(struct text *text, const void *bytes, size_t size)
{
    if (size == 0)
        return;
    memcpy(text_room(text, size), bytes, size);
    text->size += size;
}

static inline void text_str(struct text *text, const char *string)
{
    text_add(text, string, strlen(string));
}

static inline void text_char(struct text *text, char c)
{
    *text_room(text, 1) = c;
    text->size++;
}

void text_u64(struct text *text, uint64_t value);
void text_i64(struct text *text, int64_t value);

/* A fraction as a point and decimals, without zeros at the end; nothing of 0. `value` is
 * its first eight decimals, as a number. */
void text_decimals(struct text *text, uint32_t value);

/* Lower-case hex digits, at least `digits` of them, without a prefix. */
void text_hex(struct text *text, uint64_t value, int digits);

/* "1 sample", "2 samples" */
void text_count(struct text *text, uint64_t n, const char *noun);

/* "12.5 %", rounded to the nearest tenth; `whole` is not 0. */
void text_share(struct text *text, uint64_t part, uint64_t whole);

/* What a noun after that number ends in: "" or "s". */
static inline const char *text_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* Each byte as two hex digits. */
void text_hex_bytes(struct text *text, const void *bytes, size_t size);

/* A number that reads back to the same double, which must be finite; of the forms with
 * 15, 16 and 17 digits the shortest that does. A whole number ends in ".0" (and zero
 * keeps its sign), so that it is read as a double and not as an integer. */
void text_double(struct text *text, double value);

/* As printf; for what is rare. */
void text_printf(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same of why something failed; returns false, for callers that do. */
bool text_fail(struct text *why, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What text_printf adds, as a string, which is to be released. */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
