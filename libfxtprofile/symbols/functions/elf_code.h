/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file's code in pieces, and what its instructions do: as far as that tells where
 * functions begin and end. The machines are x86-64, AArch64 and RISC-V of 64 bits; of
 * others nothing is known.
 */
#ifndef FXTPROFILE_SYMBOLS_ELF_CODE_H
#define FXTPROFILE_SYMBOLS_ELF_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/elf/elf_headers.h"
#include "common/elf/elf_image.h"

/* The longest instruction of interest; padding for alignment can have longer ones. */
enum { ELF_INSTRUCTION_MAX = 8, ELF_PADDING_MAX = 16 };

/* Up to four bytes, little-endian, as instructions are on all of these machines. */
static inline uint32_t elf_code_load(const unsigned char *bytes, size_t size)
{
    uint32_t value = 0;

    for (size_t i = 0; i < size; i++)
        value |= (uint32_t)bytes[i] << 8 * i;
    return value;
}

/* Whether a file has code of one of these machines, in this one's byte order. */
bool elf_code_is_known(const struct elf_headers *headers);

/* The size of the instruction there, of which ELF_INSTRUCTION_MAX bytes can be read, and
 * whether execution goes on elsewhere after it; 0 for machines that are not known. On
 * x86-64 all others count as one byte. */
size_t elf_code_size(uint16_t machine, const unsigned char *bytes, bool *is_last);

/* The size of an instruction between functions, for alignment, in which ELF_PADDING_MAX
 * bytes can be read; 0 if it is none. */
size_t elf_code_padding(uint16_t machine, const unsigned char *bytes);

/* As much of some code as the file has: what follows in memory is zeros, of any size. */
struct elf_code elf_code_in_file(const struct elf_headers *headers, struct elf_code code);

struct elf_code_piece {
    /* ELF_INSTRUCTION_MAX more can be read. */
    const unsigned char *bytes;
    size_t n;
    uint64_t address;
};

/* Gives a segment's code to `take`, until the file ends. */
void elf_code_read(const struct elf_headers *headers, const struct elf_code *code,
                   void (*take)(void *context, const struct elf_code_piece *piece),
                   void *context);

#endif
