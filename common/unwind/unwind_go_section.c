/* SPDX-License-Identifier: BSD-2-Clause */
/* See unwind_parts.h: where a file has .gopclntab. */
#include "unwind_parts.h"

/* Where in .gopclntab the address of Go's code is. */
enum { TEXT_AT = 24 };

/* Of position independent programs, whose file has 0 instead. Without a relocation it is
 * where all code begins, unless another linker than Go's has put C code before it; such
 * programs have .eh_frame. */
static uint64_t find_text(const struct elf_headers *headers, uint64_t gopclntab)
{
    uint64_t text = elf_relocated_word(headers, gopclntab + TEXT_AT);
    struct elf_section section;

    if (text == 0 && !elf_section_find(headers, ".eh_frame", &section) &&
        elf_section_find(headers, ".text", &section))
        text = section.address;
    return text;
}

unsigned char *unwind_go_section_read(const struct elf_headers *headers,
                                      struct unwind_bytes *go)
{
    struct elf_section section;
    unsigned char *bytes;

    if (!elf_section_find(headers, ".gopclntab", &section) &&
        !elf_section_find(headers, ".data.rel.ro.gopclntab", &section))
        return NULL;
    bytes = elf_bytes_read(headers, section.offset, section.size);
    if (bytes)
        *go = (struct unwind_bytes){bytes, section.size,
                                    find_text(headers, section.address)};
    return bytes;
}
