/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbols of an ELF file's tables that may name code, and which of several at one
 * address does.
 */
#ifndef FXTPROFILE_SYMBOLS_ELF_CANDIDATES_H
#define FXTPROFILE_SYMBOLS_ELF_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/elf/elf_headers.h"
#include "common/elf/elf_image.h"

/* An entry of a symbol table. */
struct candidate {
    uint64_t start;
    /* Its end; if it has no size, the limit of it. */
    uint64_t limit;
    /* The source file of a local symbol, or NULL. */
    const char *source;
    /* Where its name begins in those of its table, its size without a version, and
     * whether it has one. */
    uint32_t name;
    uint16_t name_size;
    bool has_version;
    bool is_dynamic;
    bool is_sized;
    /* Not even other parts of the file could use it. */
    bool is_local;
    /* The lowest is chosen. Of a dynamic symbol it and the name's size are known once it
     * was one to choose from. */
    uint32_t rank;
};

/* The names of a table: `bytes` are NULL until the first is needed. */
struct candidate_names {
    const struct elf_headers *headers;
    uint64_t offset;
    uint64_t size;
    unsigned char *bytes;
    /* They were needed, and could not be read. */
    bool is_broken;
};

struct candidates {
    struct candidate *items;
    size_t n;
    size_t capacity;
    /* Of the full table, and of .dynsym. The bytes are the caller's. */
    struct candidate_names names[2];
    /* In the order of their addresses, the numbers of those that name code. */
    uint32_t *chosen;
    size_t n_chosen;
};

/* Adds the symbols of the file's first table of a type, SHT_SYMTAB or SHT_DYNSYM: a
 * linker makes no second one, and a forger could make thousands over the same bytes.
 * Returns false if it cannot be read. The names of SHT_SYMTAB are read with it, and are
 * NULL if there is no such table. */
bool candidates_read(struct candidates *candidates, const struct elf_headers *headers,
                     const struct elf_image *image, uint32_t type);

/* Chooses one of those at each address, after all were read, and removes the version that
 * a linker appends to a name: read@@GLIBC_2.2.5. */
void candidates_choose(struct candidates *candidates);

/* The name of a candidate; "" if it is not within the file. */
const char *candidate_name(struct candidates *candidates,
                           const struct candidate *candidate);

/* Whether other files may use the symbol in its default version; known of chosen ones. */
bool candidate_is_public(const struct candidate *candidate);

/* Frees all but the names. */
void candidates_free(struct candidates *candidates);

#endif
