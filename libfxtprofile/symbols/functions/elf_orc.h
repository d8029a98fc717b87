/* SPDX-License-Identifier: BSD-2-Clause */
/* Where functions begin by ORC, the unwind tables of x86-64 Linux kernels: one that was
 * built without kallsyms has no names, and no other tables. */
#ifndef FXTPROFILE_SYMBOLS_ELF_ORC_H
#define FXTPROFILE_SYMBOLS_ELF_ORC_H

#include "common/elf/elf_headers.h"
#include "elf_starts.h"

/* Adds the starts in gaps, which end where these do, in the order of the table. */
void elf_orc_find_starts(const struct elf_headers *headers, const struct elf_starts *gaps,
                         struct elf_starts *starts);

#endif
