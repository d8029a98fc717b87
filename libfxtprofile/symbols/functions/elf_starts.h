/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where functions begin that an ELF file names by other means than symbols: its entry
 * point, main, and what runs before and after that.
 */
#ifndef FXTPROFILE_SYMBOLS_ELF_STARTS_H
#define FXTPROFILE_SYMBOLS_ELF_STARTS_H

#include <stddef.h>
#include <stdint.h>

#include "common/elf/elf_headers.h"

enum { ELF_STARTS_MAX = 4 };

struct elf_start {
    uint64_t start;
    /* Where it ends; 0 if that is not known. */
    uint64_t limit;
    /* "_start", "main", "_init" or "_fini". */
    const char *name;
};

struct elf_starts {
    struct elf_start items[ELF_STARTS_MAX];
    size_t n;
};

/* Finds them, in no order. Some may be of no code: nothing is checked. */
void elf_starts_read(struct elf_starts *starts, const struct elf_headers *headers);

#endif
