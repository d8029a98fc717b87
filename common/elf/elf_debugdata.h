/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The section .gnu_debugdata ("MiniDebugInfo"): an ELF file, compressed with xz, whose
 * .symtab has the functions that .dynsym lacks. Android's also have .debug_frame.
 */
#ifndef BASE_ELF_ELF_DEBUGDATA_H
#define BASE_ELF_ELF_DEBUGDATA_H

#include <stddef.h>

#include "elf_headers.h"

/* Decompresses the section of a file. Returns NULL, with *damage set to the reason, if
 * that fails, and NULL if there is no such section. The memory is the caller's. */
unsigned char *elf_debugdata_read(const struct elf_headers *headers, size_t *size,
                                  const char **damage);

#endif
