/* SPDX-License-Identifier: BSD-2-Clause */
/* Sections that may be compressed. */
#ifndef FXTUNWIND_UNWIND_SECTION_H
#define FXTUNWIND_UNWIND_SECTION_H

#include "common/elf/elf_headers.h"

/* Reads the content of a section: as it is, or inflated, if it is compressed by zlib,
 * marked by SHF_COMPRESSED or by the magic of older .zdebug sections. The memory is the
 * caller's. NULL if it is damaged, or compressed by another method. */
unsigned char *unwind_section_read(const struct elf_headers *headers,
                                   const struct elf_section *section, uint64_t *size);

#endif
