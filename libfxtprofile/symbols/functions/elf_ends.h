/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far code reaches that is surely of one function: up to its first instruction after
 * which execution goes on elsewhere. Without a table the code after that could be of
 * another function that nothing names, such as one in assembly.
 */
#ifndef FXTPROFILE_SYMBOLS_ELF_ENDS_H
#define FXTPROFILE_SYMBOLS_ELF_ENDS_H

#include "common/elf/elf_headers.h"
#include "common/elf/elf_image.h"
#include "elf_starts.h"

/* The end of the function that begins there, at most that of its segment: its limit, if
 * it has one. That of no code ends where it begins. */
uint64_t elf_end_find(const struct elf_start *start, const struct elf_headers *headers,
                      const struct elf_image *image);

#endif
