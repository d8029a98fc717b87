/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbols of an ELF file as ranges of addresses.
 *
 * Functions are used, and untyped labels in sections of code, as in hand-written
 * assembly. A symbol with a size covers these addresses, except those of symbols inside
 * it. One without a size extends to the next symbol or the end of its section, unless it
 * is inside another symbol: then it is a label there, and is not used.
 *
 * Of several names at one address the one that a programmer would write is used: read,
 * not __GI___libc_read.
 */
#ifndef FXTPROFILE_SYMBOLS_ELF_SYMBOLS_H
#define FXTPROFILE_SYMBOLS_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/elf/elf_headers.h"
#include "common/elf/elf_image.h"
#include "ranges.h"

struct elf_symbol {
    /* Terminated. */
    const char *name;
    uint64_t start;
    /* The source file of a local symbol, terminated; NULL where it is not known. */
    const char *source;
    /* Other files may use the symbol, under this name; or it is local to a source file.
     */
    bool is_public;
    bool is_local;
    /* Another symbol has its name and its source, or neither has one. Known once
     * elf_symbols_find_repeated was called. */
    bool is_repeated;
    /* Where it ends is known. */
    bool is_sized;
};

struct elf_symbols {
    struct elf_symbol *all;
    size_t n;
    /* Their addresses, sorted and without overlap; items are indices in `all`. */
    struct ranges ranges;
    /* There is a full symbol table, not only .dynsym. */
    bool has_full_table;
    bool knows_repeated;
    /* The damage by which symbols may be missing; or NULL. */
    const char *damage;
    /* The bytes of the symbols' names: of .symtab, or of that in .gnu_debugdata; of
     * .dynsym; and generated names. */
    unsigned char *names[2];
    char *made_names;
};

/* Reads the symbols of a file whose segments are `image`. */
void elf_symbols_read(struct elf_symbols *symbols, const struct elf_headers *headers,
                      const struct elf_image *image);

/* The symbol that has an address, or NULL. */
const struct elf_symbol *elf_symbols_find(const struct elf_symbols *symbols,
                                          uint64_t address);

/* Finds the symbols of one name and source, unless that was done. */
void elf_symbols_find_repeated(struct elf_symbols *symbols);

void elf_symbols_free(struct elf_symbols *symbols);

#endif
