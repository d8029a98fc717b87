/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_file.h. */
#include "elf_file.h"

#include <elf.h>
#include <string.h>

#include "common/elf/elf_headers.h"
#include "common/base/memory.h"
#include "libfxtprofile/symbols/kernel/kernel_file.h"

/* ---- Debug information --------------------------------------------------------- */

/* A name, padded with zeros to four bytes, and the CRC. */
static void read_debug_link(struct elf *elf, const struct elf_headers *h)
{
    struct elf_section section;
    unsigned char *bytes;
    size_t size;
    size_t crc_at;

    if (!elf_section_find(h, ".gnu_debuglink", &section) || section.size < 8 ||
        section.size > ELF_DEBUG_LINK_MAX)
        return;
    bytes = elf_bytes_read(h, section.offset, section.size);
    if (bytes == NULL)
        return;
    size = strlen((const char *)bytes) + 1;
    crc_at = (size + 3) / 4 * 4;
    if (crc_at + 4 <= section.size && memchr(bytes, '/', size) == NULL) {
        memcpy(elf->debug_link, bytes, size);
        elf->debug_link_crc = elf_word_get(h, bytes + crc_at);
    }
    memory_release(bytes);
}

/* A path, and the build id, which is not padded. */
static void read_shared_name(struct elf *elf, const struct elf_headers *h)
{
    struct elf_section section;
    unsigned char *bytes;
    size_t size;

    if (!elf_section_find(h, ".gnu_debugaltlink", &section) ||
        section.size > ELF_SHARED_NAME_MAX)
        return;
    bytes = elf_bytes_read(h, section.offset, section.size);
    if (bytes == NULL)
        return;
    size = strlen((const char *)bytes) + 1;
    if (size < section.size && section.size - size <= ELF_BUILD_ID_MAX) {
        memcpy(elf->shared_name, bytes, size);
        elf->shared_id_size = (size_t)section.size - size;
        memcpy(elf->shared_id, bytes + size, elf->shared_id_size);
    }
    memory_release(bytes);
}

static void read_contents(struct elf *elf, const struct elf_headers *h)
{
    struct elf_section section;

    for (uint64_t i = 0; elf_section_read(h, i, &section); i++) {
        if ((section.flags & SHF_EXECINSTR) != 0 && section.type != SHT_NOBITS)
            elf->has_code = true;
    }
    /* Without sections, only the segments are known. */
    elf->has_code |= h->n_sections == 0;
    elf->has_debug_info = elf_section_find(h, ".debug_info", &section) &&
                          section.type != SHT_NOBITS && section.size > 0;
    read_debug_link(elf, h);
    read_shared_name(elf, h);
}

/* ---- The whole --------------------------------------------------------------------- */

bool elf_read(struct elf *elf, struct file *file, struct text *why)
{
    struct elf_headers headers;

    *elf = (struct elf){.has_code = false};
    if (!elf_headers_read(&headers, file, why) ||
        !elf_image_read(&elf->image, &headers, why))
        return false;
    read_contents(elf, &headers);
    elf_symbols_read(&elf->symbols, &headers, &elf->image);
    if (elf->symbols.names[0] == NULL && kernel_file_is_one(&headers, &elf->image))
        kernel_file_read(&elf->symbols, &headers, &elf->image);
    return true;
}

void elf_read_stubs_at(struct elf *elf, struct file *file, uint64_t address)
{
    struct text ignored = {NULL, 0, 0};
    struct elf_headers headers;

    if (elf_headers_read(&headers, file, &ignored))
        elf_stubs_read_at(&elf->stubs, address, &headers, &elf->image, &elf->symbols);
    text_free(&ignored);
}

/* Inside a stub a symbol is used only if it has a size. */
const struct elf_symbol *elf_find(const struct elf *elf, uint64_t address)
{
    const struct elf_symbol *symbol = elf_symbols_find(&elf->symbols, address);
    const struct elf_symbol *stub = elf_symbols_find(&elf->stubs.symbols, address);

    if (stub == NULL ||
        (symbol != NULL && symbol->is_sized && symbol->start >= stub->start))
        return symbol;
    return stub;
}

void elf_free(struct elf *elf)
{
    elf_symbols_free(&elf->symbols);
    elf_stubs_free(&elf->stubs);
    *elf = (struct elf){.has_code = false};
}
