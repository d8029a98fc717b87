/* SPDX-License-Identifier: BSD-2-Clause */
/* The sections of DWARF that are read without libdw; what a file does not have is empty.
 */
#ifndef FXTPROFILE_SYMBOLS_DWARF_DEBUG_SECTIONS_H
#define FXTPROFILE_SYMBOLS_DWARF_DEBUG_SECTIONS_H

#include <string.h>

#include <fxt/compiler.h>

#include "common/unwind/unwind_cursor.h"

struct debug_sections {
    /* DIEs, those of types (version 4), and the forms of both. */
    struct unwind_bytes info;
    struct unwind_bytes types;
    struct unwind_bytes abbreviations;
    /* Line tables. */
    struct unwind_bytes lines;
    struct unwind_bytes strings;
    struct unwind_bytes line_strings;
    bool is_big_endian;
};

/* A number in the file's byte order. */
static inline uint64_t debug_number(const struct debug_sections *sections,
                                    struct unwind_cursor *c, unsigned n_bytes)
{
    uint64_t value = cursor_number(c, n_bytes);

    if (!sections->is_big_endian || n_bytes == 0)
        return value;
    return FXT_SWAP64(value) >> (64 - 8 * n_bytes);
}

/* The string at the cursor; "" where it does not end. */
static inline const char *debug_string(struct unwind_cursor *c)
{
    const char *string;

    if (c->failed || c->at == c->end) {
        c->failed = true;
        return "";
    }
    string = (const char *)c->bytes + c->at;
    cursor_skip(c, strnlen(string, (size_t)(c->end - c->at)) + 1);
    return c->failed ? "" : string;
}

/* The length that units and line tables begin with, after which the cursor's bytes end:
 * 32 bits, or 64 after a word of ones. Returns the size of offsets, of as many bits. */
static inline unsigned debug_length(const struct debug_sections *sections,
                                    struct unwind_cursor *c)
{
    uint64_t length = debug_number(sections, c, 4);
    unsigned offset_size = 4;

    if (length == UINT32_MAX) {
        offset_size = 8;
        length = debug_number(sections, c, 8);
    }
    if (c->failed || length > c->end - c->at)
        c->failed = true;
    else
        c->end = c->at + length;
    return offset_size;
}

#endif
