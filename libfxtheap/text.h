/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers and names to text and back, where the C library's ways might allocate. */
#ifndef LIBFXTHEAP_TEXT_H
#define LIBFXTHEAP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>

#include "libfxtheap/shared/layout.h"

/* A string that is being composed. What does not fit makes it too long, which text_end
 * reports. */
struct text_line {
    char *data;
    size_t capacity;
    size_t size;
};

static inline void text_add(struct text_line *line, const char *string)
{
    size_t size = strlen(string);

    if (line->size < line->capacity && size < line->capacity - line->size)
        memcpy(line->data + line->size, string, size);
    line->size += size;
}

static inline void text_add_number(struct text_line *line, uint64_t number)
{
    char digits[21];
    size_t at = sizeof(digits) - 1;

    digits[at] = '\0';
    do
        digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    text_add(line, digits + at);
}

/* Ends the string with a zero byte; false if it was too long. */
static inline bool text_end(struct text_line *line)
{
    if (line->size >= line->capacity)
        return false;
    line->data[line->size] = '\0';
    return true;
}

/* The number at `*at`, which is moved past it; 0 if there is none. */
static inline uint64_t text_number(const char **at, unsigned base)
{
    uint64_t number = 0;

    for (;; ++*at) {
        char c = **at;
        unsigned digit =
            c >= '0' && c <= '9' ? (unsigned)(c - '0') : (unsigned)(c | 0x20) - 'a' + 10;

        if (digit >= base)
            return number;
        number = number * base + digit;
    }
}

/* The name of the current thread. */
static inline void text_thread_name(char name[HEAP_NAME_SIZE])
{
    memset(name, 0, HEAP_NAME_SIZE);
    prctl(PR_GET_NAME, name);
    name[HEAP_NAME_SIZE - 1] = '\0';
}

#endif
