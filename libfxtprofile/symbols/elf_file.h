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

#include "common/elf/elf_image.h"
#include "elf_stubs.h"
#include "elf_symbols.h"

/* Far more than any file has. */
enum { ELF_DEBUG_LINK_MAX = 256, ELF_SHARED_NAME_MAX = 1024 };

struct elf {
    struct elf_image image;
    struct elf_symbols symbols;
    struct elf_stubs stubs;
    /* The file has code. Separate debug files have none, and their segments have no valid
     * file offsets. */
    bool has_code;
    /* There is DWARF. */
    bool has_debug_info;
    /* The name of the file that holds debug information, and its CRC-32; or "". */
    char debug_link[ELF_DEBUG_LINK_MAX];
    uint32_t debug_link_crc;
    /* The name of the file with the DWARF that this one shares with others, which dwz has
     * extracted (.gnu_debugaltlink), and its build id; or "". */
    char shared_name[ELF_SHARED_NAME_MAX];
    unsigned char shared_id[ELF_BUILD_ID_MAX];
    size_t shared_id_size;
};

/* Reads a program, a library or a kernel. On failure returns false, adds the reason to
 * `why`, and there is nothing to free. A file without symbols is no failure. */
bool elf_read(struct elf *elf, struct file *file, struct text *why);

/* Reads the PLT stubs if an address may be that of one: they are not read at first, since
 * few profiles have one. `file` is the same as before. */
void elf_read_stubs_at(struct elf *elf, struct file *file, uint64_t address);

/* The symbol that has an address, or NULL: one of those, and of the stubs if they were
 * read. */
const struct elf_symbol *elf_find(const struct elf *elf, uint64_t address);

void elf_free(struct elf *elf);

#endif
