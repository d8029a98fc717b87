/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_file.h: segments, the build id, and looking things up. */
#include "elf_file.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "elf_headers.h"
#include "elf_symbols.h"

/* What an image is loaded to starts at a page, even where its first segment does not. */
enum { PAGE = 4096 };

/* How many bytes of notes are looked through for a build id. */
enum { NOTES_MAX = 1 << 20 };

/* ---- Segments ---------------------------------------------------------------------- */

/* Returns false if there are more segments with code than can be kept. */
static bool read_segments(struct elf *elf, const struct elf_headers *h)
{
    struct elf_segment segment;

    elf->lowest = UINT64_MAX;
    for (uint64_t i = 0; elf_segment_read(h, i, &segment); i++) {
        if (segment.type != PT_LOAD || segment.memory_size == 0 ||
            segment.memory_size > UINT64_MAX - segment.vaddr)
            continue;
        if (segment.vaddr < elf->lowest)
            elf->lowest = segment.vaddr / PAGE * PAGE;
        if (!(segment.flags & PF_X))
            continue;
        if (elf->n_code == ELF_CODE_MAX)
            return false;
        elf->code[elf->n_code++] = (struct elf_code){
            segment.vaddr, segment.vaddr + segment.memory_size, segment.offset};
    }
    return true;
}

/* ---- The build id ------------------------------------------------------------------ */

static uint64_t round_up(uint64_t size, uint64_t align)
{
    return (size + align - 1) / align * align;
}

/* Looks through notes for the build id. Sizes of 32 bits do not overflow in 64. */
static bool find_build_id(struct elf *elf, const struct elf_headers *h,
                          const unsigned char *notes, uint64_t size, uint64_t align)
{
    const uint64_t header = 3 * sizeof(uint32_t);

    align = align == 8 ? 8 : 4;
    while (size >= header) {
        uint64_t name_size = elf_word_get(h, notes);
        uint64_t id_size = elf_word_get(h, notes + 4);
        uint32_t type = elf_word_get(h, notes + 8);
        uint64_t id_at = round_up(header + name_size, align);
        uint64_t next = round_up(id_at + id_size, align);

        if (id_at > size || id_size > size - id_at)
            return false;
        if (type == NT_GNU_BUILD_ID && name_size == 4 && id_size > 0 &&
            id_size <= ELF_BUILD_ID_MAX && memcmp(notes + header, "GNU", 4) == 0) {
            memcpy(elf->build_id, notes + id_at, (size_t)id_size);
            elf->build_id_size = (size_t)id_size;
            return true;
        }
        if (next > size)
            return false;
        notes += next;
        size -= next;
    }
    return false;
}

/* `*left` is how many bytes may still be read. */
static bool read_notes(struct elf *elf, const struct elf_headers *h, uint64_t offset,
                       uint64_t size, uint64_t align, uint64_t *left)
{
    unsigned char *notes = size <= *left ? elf_bytes_read(h, offset, size) : NULL;
    bool found = notes != NULL && find_build_id(elf, h, notes, size, align);

    if (notes != NULL)
        *left -= size;
    memory_release(notes);
    return found;
}

/* Programs have segments of notes; kernels often only sections. */
static void read_build_id(struct elf *elf, const struct elf_headers *h)
{
    struct elf_segment segment;
    struct elf_section section;
    uint64_t left = NOTES_MAX;

    for (uint64_t i = 0; elf_segment_read(h, i, &segment); i++) {
        if (segment.type == PT_NOTE &&
            read_notes(elf, h, segment.offset, segment.file_size, segment.align, &left))
            return;
    }
    for (uint64_t i = 0; elf_section_read(h, i, &section); i++) {
        if (section.type == SHT_NOTE &&
            read_notes(elf, h, section.offset, section.size, section.align, &left))
            return;
    }
}

/* ---- What a debugger wants --------------------------------------------------------- */

/* A name, padded with zeros to four bytes, and the CRC. */
static void read_debug_link(struct elf *elf, const struct elf_headers *h)
{
    struct elf_section section;
    unsigned char *bytes;
    size_t size;

    if (!elf_section_find(h, ".gnu_debuglink", &section) || section.size < 8 ||
        section.size > ELF_DEBUG_LINK_MAX)
        return;
    bytes = elf_bytes_read(h, section.offset, section.size);
    if (bytes == NULL)
        return;
    size = strlen((const char *)bytes) + 1;
    if (round_up(size, 4) + 4 <= section.size && memchr(bytes, '/', size) == NULL) {
        memcpy(elf->debug_link, bytes, size);
        elf->debug_link_crc = elf_word_get(h, bytes + round_up(size, 4));
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
        if (section.type == SHT_SYMTAB)
            elf->has_symbol_table = true;
    }
    /* Without sections there is nothing but what is loaded. */
    elf->has_code |= h->n_sections == 0;
    elf->has_debug_info = elf_section_find(h, ".debug_info", &section) &&
                          section.type != SHT_NOBITS && section.size > 0;
    if (h->lacks_sections)
        elf->damage = "its section headers are broken or beyond the end of the file";
    read_debug_link(elf, h);
    read_shared_name(elf, h);
}

/* ---- The whole --------------------------------------------------------------------- */

bool elf_read(struct elf *elf, struct file *file, struct text *why)
{
    struct elf_headers headers;

    *elf = (struct elf){.n_code = 0};
    if (!elf_headers_read(&headers, file, why))
        return false;
    if (headers.type != ET_EXEC && headers.type != ET_DYN) {
        text_str(why, "an ELF file that is not a program, library or kernel");
        return false;
    }
    if (!read_segments(elf, &headers) || elf->n_code == 0) {
        text_str(why, elf->n_code == 0 ? "an ELF file without an executable segment"
                                       : "an ELF file with too many executable segments");
        return false;
    }
    read_build_id(elf, &headers);
    read_contents(elf, &headers);
    elf_symbols_read(elf, &headers);
    return true;
}

bool elf_has_build_id(struct file *file, const unsigned char *build_id, size_t size)
{
    struct text why = {NULL, 0, 0};
    struct elf_headers headers;
    struct elf elf = {.n_code = 0};

    if (elf_headers_read(&headers, file, &why))
        read_build_id(&elf, &headers);
    text_free(&why);
    return elf.build_id_size == size && memcmp(elf.build_id, build_id, size) == 0;
}

const struct elf_code *elf_find_code(const struct elf *elf, uint64_t address)
{
    for (size_t i = 0; i < elf->n_code; i++) {
        if (address >= elf->code[i].vaddr && address < elf->code[i].limit)
            return &elf->code[i];
    }
    return NULL;
}

const struct elf_symbol *elf_find_symbol(const struct elf *elf, uint64_t address)
{
    size_t low = 0;
    size_t high = elf->n_symbols;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (elf->symbols[middle].start > address)
            high = middle;
        else
            low = middle + 1;
    }
    if (low == 0 || elf->symbols[low - 1].limit <= address)
        return NULL;
    return &elf->symbols[low - 1];
}

void elf_free(struct elf *elf)
{
    memory_release(elf->symbols);
    memory_release(elf->names[0]);
    memory_release(elf->names[1]);
    *elf = (struct elf){.n_code = 0};
}
