/* SPDX-License-Identifier: BSD-2-Clause */
/* Where main is, by the code at a program's entry point, which passes it to the C
 * library. */
#ifndef FXTPROFILE_SYMBOLS_ELF_MAIN_H
#define FXTPROFILE_SYMBOLS_ELF_MAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/elf/elf_headers.h"

struct elf_main {
    /* Its address; or that of the word which has its address once the program is loaded.
     * 0 if it is not known. */
    uint64_t address;
    bool is_in_word;
};

/* Of glibc's code for x86-64, AArch64 and RISC-V of 64 bits in this machine's byte
 * order. */
struct elf_main elf_main_find(const struct elf_headers *headers);

#endif
