/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stubs of a procedure linkage table (PLT), which jump to functions of other files.
 *
 * No symbol table has them. A stub loads its target's address from the global offset
 * table (GOT), and the relocation of that word names the target. The instructions of x86,
 * AArch64, ARM and RISC-V linkers are known, with and without those for control-flow
 * integrity. Stubs are called TARGET@plt.
 */
#ifndef FXTPROFILE_SYMBOLS_ELF_STUBS_H
#define FXTPROFILE_SYMBOLS_ELF_STUBS_H

#include "elf_symbols.h"

/* All zero has not been read. */
struct elf_stubs {
    struct elf_symbols symbols;
    /* The sections of stubs, once they were looked for. */
    struct ranges sections;
    bool is_located;
    /* They were read, or the file is not there any more. */
    bool is_read;
};

/* Whether an address may be that of a stub that was not read. */
bool elf_stubs_may_be_at(const struct elf_stubs *stubs, uint64_t address);

/* Reads the stubs of a file if an address is in a section of them. `symbols` name the
 * functions that some of them jump to. */
void elf_stubs_read_at(struct elf_stubs *stubs, uint64_t address,
                       const struct elf_headers *headers, const struct elf_image *image,
                       const struct elf_symbols *symbols);

void elf_stubs_free(struct elf_stubs *stubs);

#endif
