/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ELF files that the user named, at the addresses where they were loaded: from an
 * address of the running program to a symbol.
 */
#ifndef TOOLS_SYMBOLIZE_H
#define TOOLS_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf_file.h"
#include "text.h"

/* A function at some address, and the line of it there. */
struct source_line {
    /* As a symbol table has it. It stays as long as the symbolizer. */
    const char *name;
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

struct image {
    /* As the user wrote it. */
    char *name;
    /* In lower-case hex; empty if the file has none. */
    char *build_id;
    /* What to add to an address of the file (modulo 2^64) to have that of the program. */
    uint64_t bias;
    struct elf elf;
};

/* All zero is an empty one. */
struct symbolizer {
    struct image *images;
    size_t n;
    size_t capacity;
};

/*
 * Adds FILE@ADDRESS: the start of the page of the file's lowest segment was loaded to
 * that address (decimal, or hex with 0x). FILE alone stays where it was linked. A file's
 * name may have an @ in it; what stands behind the last one counts if it is a number.
 *
 * Returns false, with the reason added to `why`, if the file cannot be used, or would be
 * where another one is.
 */
bool symbolizer_add(struct symbolizer *symbolizer, const char *file_and_address,
                    struct text *why);

/* The image that has code at an address, or NULL. */
const struct image *symbolizer_find(const struct symbolizer *symbolizer,
                                    uint64_t address);

/* The segment of an image that has an address, or NULL. Its addresses are the file's. */
const struct elf_code *image_code(const struct image *image, uint64_t address);

/* The first segment of an image between two addresses, or NULL. */
const struct elf_code *image_code_in(const struct image *image, uint64_t start,
                                     uint64_t limit);

/* The symbol at an address, or NULL. */
const char *image_symbol(const struct image *image, uint64_t address);

void symbolizer_free(struct symbolizer *symbolizer);

#endif
