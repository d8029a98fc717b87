/* SPDX-License-Identifier: BSD-2-Clause */
/* See unwind_go_section.h. */
#include "unwind_go_section.h"

#include "common/base/memory.h"

/* Where in .gopclntab the address of Go's code is. */
enum { TEXT_AT = 24 };

/* The number that the dynamic linker stores at an address. */
static uint64_t find_relocation(const struct elf_headers *headers,
                                const struct elf_section *section, uint64_t address)
{
    uint64_t entry_size = elf_relocation_size(headers, true);
    unsigned char *bytes = elf_bytes_read(headers, section->offset, section->size);
    uint64_t found = 0;

    for (uint64_t at = 0; bytes && found == 0 && section->size - at >= entry_size;
         at += entry_size) {
        struct elf_relocation r = elf_relocation_get(headers, true, bytes + at);

        if (r.offset == address && r.symbol == 0)
            found = r.addend;
    }
    memory_release(bytes);
    return found;
}

/* Of position independent programs, whose file has 0 instead. Without a relocation it is
 * where all code begins, unless another linker than Go's has put C code before it; such
 * programs have .eh_frame. */
static uint64_t find_text(const struct elf_headers *headers, uint64_t gopclntab)
{
    static const char *const names[] = {".rela", ".rela.dyn"};
    struct elf_section section;
    uint64_t text = 0;

    for (unsigned i = 0; i < 2 && text == 0; i++) {
        if (elf_section_find(headers, names[i], &section))
            text = find_relocation(headers, &section, gopclntab + TEXT_AT);
    }
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
