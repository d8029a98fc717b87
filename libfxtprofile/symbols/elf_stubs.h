/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stubs of a procedure linkage table (PLT), which jump to functions of other files.
 *
 * No symbol table has them. A stub loads its target's address from the global offset
 * table (GOT), and the relocation of that word names the target. The instructions of x86,
 * AArch64, ARM and RISC-V linkers are known, with and without those for control-flow
 * integrity.
 */
#ifndef FXTPROFILE_SYMBOLS_ELF_STUBS_H
#define FXTPROFILE_SYMBOLS_ELF_STUBS_H

#include "elf_candidates.h"

/* The names of .dynsym; NULL and 0 if there are none. */
struct stub_names {
    const char *bytes;
    uint64_t size;
};

/* Adds the stubs of a file. */
void elf_stubs_read(struct candidates *candidates, const struct elf_headers *headers,
                    const struct elf_image *image, struct stub_names names);

#endif
