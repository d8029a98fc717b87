/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_debugdata.h: without liblzma. */
#include "elf_debugdata.h"

#include <elf.h>

unsigned char *elf_debugdata_read(const struct elf_headers *h, size_t *size,
                                  const char **damage)
{
    struct elf_section section;

    (void)size;
    if (elf_section_find(h, ".gnu_debugdata", &section) && section.type != SHT_NOBITS)
        *damage = "its section .gnu_debugdata is not read: built without liblzma";
    return NULL;
}
