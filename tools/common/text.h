/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text (or bytes) being put together in memory, and number formatting that does not go
 * through printf: every digit of 64 bits, and fast.
 *
 * Running out of memory ends the program with a message, here and in all of tools/: there
 * is nothing better that a command could do.
 */
#ifndef TOOLS_TEXT_H
#define TOOLS_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct text {
    char *data;
    size_t size;
    size_t capacity;
};

void text_free(struct text *text);

/* Room for `size` more bytes, at the pointer returned; text->size is the caller's to
 * move. */
char *text_room(struct text *text, size_t size);

void text_add(struct text *text, const void *bytes, size_t size);
void text_str(struct text *text, const char *string);
void text_char(struct text *text, char c);
void text_u64(struct text *text, uint64_t value);
void text_i64(struct text *text, int64_t value);

/* Lower-case hex digits, at least `digits` of them, without a prefix. */
void text_hex(struct text *text, uint64_t value, int digits);

/* Each byte as two hex digits. */
void text_hex_bytes(struct text *text, const void *bytes, size_t size);

/* The shortest of the usual forms that reads back to the same double; it must be finite.
 */
void text_double(struct text *text, double value);

/* As printf; for what is rare. */
void text_printf(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* malloc, realloc and strdup that end the program where there is no memory. */
void *must_allocate(size_t size);
void *must_resize(void *old, size_t size);
char *must_copy(const char *string);

#endif
