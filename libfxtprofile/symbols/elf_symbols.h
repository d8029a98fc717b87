/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbols of an ELF file as ranges of addresses.
 *
 * Functions count, and labels of no type in sections of code, as hand-written assembly
 * has them. A symbol that states its size has these addresses, less what a symbol inside
 * it has; one that states none reaches to the next symbol or to the end of its section,
 * unless it is inside another one and so a mere label there. PLT stubs are called
 * TARGET@plt.
 *
 * Of several names at one address it is the one that a programmer would write: read and
 * not __GI___libc_read.
 */
#ifndef FXTPROFILE_SYMBOLS_ELF_SYMBOLS_H
#define FXTPROFILE_SYMBOLS_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/elf/elf_headers.h"
#include "base/elf/elf_image.h"

/* The addresses from `start` up to `limit` belong to a symbol. `name` is terminated. */
struct elf_symbol {
    uint64_t start;
    uint64_t limit;
    const char *name;
    /* Other files may use the symbol, under this name. */
    bool is_public;
};

struct elf_symbols {
    /* Sorted, without overlap. */
    struct elf_symbol *all;
    size_t n;
    /* There is the full table of symbols, not only that of dynamic ones. */
    bool has_full_table;
    /* Why symbols may be missing that were in the file once; or NULL. */
    const char *damage;
    /* The bytes of the symbols' names: of .symtab, or of that in .gnu_debugdata; of
     * .dynsym; and of those that are in no table as they are. */
    unsigned char *names[2];
    char *made_names;
};

/* Reads the symbols of a file whose segments are `image`. */
void elf_symbols_read(struct elf_symbols *symbols, const struct elf_headers *headers,
                      const struct elf_image *image);

/* The symbol that has an address, or NULL. */
const struct elf_symbol *elf_symbols_find(const struct elf_symbols *symbols,
                                          uint64_t address);

void elf_symbols_free(struct elf_symbols *symbols);

#endif
