/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a profile needs of an ELF file: where its code is, its build id, and its symbols.
 * All addresses are those that the file was linked at.
 */
#ifndef FXTPROFILE_SYMBOLS_ELF_FILE_H
#define FXTPROFILE_SYMBOLS_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/io/file.h"

/* A segment with code: the addresses from `vaddr` up to `limit`, from `offset` in the
 * file on. */
struct elf_code {
    uint64_t vaddr;
    uint64_t limit;
    uint64_t offset;
};

/* The addresses from `start` up to `limit` belong to a symbol. `name` is terminated. */
struct elf_symbol {
    uint64_t start;
    uint64_t limit;
    const char *name;
};

/* Far more than any file has. */
enum {
    ELF_BUILD_ID_MAX = 64,
    ELF_CODE_MAX = 64,
    ELF_DEBUG_LINK_MAX = 256,
    ELF_SHARED_NAME_MAX = 1024
};

struct elf {
    /* The start of the page that the file's lowest segment is loaded to. */
    uint64_t lowest;
    /* In the order of the file, at least one. */
    struct elf_code code[ELF_CODE_MAX];
    size_t n_code;
    /* Sorted, without overlap; see elf_symbols.h. */
    struct elf_symbol *symbols;
    size_t n_symbols;
    /* There is code in the file. Files that only hold what a debugger wants have none;
     * where code has its place in the file they do not know. */
    bool has_code;
    /* There is the full table of symbols; there is DWARF. */
    bool has_symbol_table;
    bool has_debug_info;
    /* The name of the file that holds what a debugger wants, and its CRC-32; or "". */
    char debug_link[ELF_DEBUG_LINK_MAX];
    uint32_t debug_link_crc;
    /* The name of the file with the DWARF that this one shares with others, as dwz takes
     * it out of several files, and its build id; or "". */
    char shared_name[ELF_SHARED_NAME_MAX];
    unsigned char shared_id[ELF_BUILD_ID_MAX];
    size_t shared_id_size;
    unsigned char build_id[ELF_BUILD_ID_MAX];
    size_t build_id_size;
    /* Why symbols may be missing that were in the file once; or NULL. */
    const char *damage;
    /* The bytes of the symbols' names. */
    unsigned char *names[2];
};

/* Reads a program, a library or a kernel. On failure returns false, adds the reason to
 * `why`, and there is nothing to free. A file without symbols is no failure. */
bool elf_read(struct elf *elf, struct file *file, struct text *why);

/* Whether a file, an ELF file of any type, has this build id. */
bool elf_has_build_id(struct file *file, const unsigned char *build_id, size_t size);

/* The segment that has an address, or NULL. */
const struct elf_code *elf_find_code(const struct elf *elf, uint64_t address);

/* The symbol that has an address, or NULL. */
const struct elf_symbol *elf_find_symbol(const struct elf *elf, uint64_t address);

void elf_free(struct elf *elf);

#endif
