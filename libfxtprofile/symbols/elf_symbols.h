/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbols of an ELF file as ranges of addresses.
 *
 * Functions count, and labels of no type in sections of code, as hand-written assembly
 * has them. A symbol that states its size has these addresses, less what a symbol inside
 * it has; one that states none reaches to the next symbol or to the end of its section,
 * unless it is inside another one and so a mere label there.
 */
#ifndef FXTPROFILE_SYMBOLS_ELF_SYMBOLS_H
#define FXTPROFILE_SYMBOLS_ELF_SYMBOLS_H

#include "elf_file.h"
#include "elf_headers.h"

/* Fills in elf->symbols and elf->names; elf->code must be there. */
void elf_symbols_read(struct elf *elf, const struct elf_headers *headers);

#endif
