/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source files, lines and inlined functions, from the DWARF of an ELF file.
 *
 * It is read by libdw, which a damaged file can crash or exploit: debug_lines.c runs this
 * in a sandboxed process.
 */
#ifndef FXTPROFILE_SYMBOLS_DWARF_DEBUG_INFO_H
#define FXTPROFILE_SYMBOLS_DWARF_DEBUG_INFO_H

#include "debug_answers.h"
#include "libfxtprofile/symbols/elf_file.h"

/* Where the DWARF of a file is. */
struct debug_source {
    const struct elf *elf;
    /* The file, and the one with its shared DWARF (.gnu_debugaltlink), or NULL. */
    struct file *file;
    struct file *shared;
};

/* False without libdw. */
bool debug_info_is_there(void);

/* Writes what is known of each address. The addresses are sorted. For a process that was
 * started for it (see isolate.h): nothing is freed, and the files are mapped if they were
 * before, so that only what is needed of them is read. */
void debug_info_read(const struct debug_source *source, const uint64_t *addresses,
                     size_t n_addresses, debug_take_fn *take, void *context);

#endif
