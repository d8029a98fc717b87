/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions at an address, inlined into each other, and their lines. */
#ifndef FXTPROFILE_SYMBOLS_SOURCE_LINE_H
#define FXTPROFILE_SYMBOLS_SOURCE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"

/* A function at an address, and the line there. The strings belong to the binary. */
struct source_line {
    /* The name in the symbol table; if it `is_plain`, the name in the source, and the
     * function begins at `entry`. */
    const char *name;
    bool is_plain;
    /* The prefix of a plain name, as in "std::"; or NULL. */
    const char *scope;
    uint64_t entry;
    /* The file that declares it, or the source file that its symbol is of; NULL where
     * that is not known. It does not depend on the address. */
    const char *home;
    /* Without a home, where the function begins in its file, if that has several of the
     * name and of sources of one name; otherwise 0. */
    uint64_t start;
    /* It may have another one: the symbol is that of a part or a copy, which may be local
     * to a file though the function is not, or the file is not stated. */
    bool is_vague;
    /* NULL, and 0, where they are not known: the source file and the line in it, and the
     * line in the same file at which the function begins. */
    const char *file;
    uint32_t line;
    uint32_t start_line;
};

struct source_lines {
    struct source_line *items;
    size_t n;
    size_t capacity;
};

static inline void source_lines_add(struct source_lines *lines, struct source_line line)
{
    lines->items = (struct source_line *)memory_grow(
        lines->items, lines->n, &lines->capacity, sizeof(*lines->items));
    lines->items[lines->n++] = line;
}

#endif
