/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_headers.h. */
#include "elf_headers.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

#include <fxt/compiler.h>

#if FXT_HOST_IS_BIG_ENDIAN
#define HOST_DATA ELFDATA2MSB
#else
#define HOST_DATA ELFDATA2LSB
#endif

static uint64_t swap_bytes(const struct elf_headers *h, uint64_t value, size_t size)
{
    return h->swapped ? FXT_SWAP64(value) >> (64 - 8 * size) : value;
}

/* The structs of <elf.h> of either class, as they are in the file. */
union elf_struct {
    unsigned char bytes[sizeof(Elf64_Ehdr)];
    Elf32_Ehdr header_32;
    Elf64_Ehdr header_64;
    Elf32_Phdr segment_32;
    Elf64_Phdr segment_64;
    Elf32_Shdr section_32;
    Elf64_Shdr section_64;
    Elf32_Sym entry_32;
    Elf64_Sym entry_64;
    Elf32_Rel rel_32;
    Elf64_Rel rel_64;
    Elf32_Rela rela_32;
    Elf64_Rela rela_64;
};

/* A field of one of them in this machine's byte order; and a struct's size. */
#define FIELD_OF(h, field) swap_bytes(h, field, sizeof(field))
#define FIELD(h, from, kind, field)                                                      \
    ((h)->is_64 ? FIELD_OF(h, (from)->kind##_64.field)                                   \
                : FIELD_OF(h, (from)->kind##_32.field))
#define SIZE(h, kind)                                                                    \
    ((h)->is_64 ? sizeof(((union elf_struct *)0)->kind##_64)                             \
                : sizeof(((union elf_struct *)0)->kind##_32))

/* ---- The file header --------------------------------------------------------------- */

static void take_header(struct elf_headers *h, const union elf_struct *from)
{
    h->type = (uint16_t)FIELD(h, from, header, e_type);
    h->machine = (uint16_t)FIELD(h, from, header, e_machine);
    h->segments_offset = FIELD(h, from, header, e_phoff);
    h->n_segments = FIELD(h, from, header, e_phnum);
    h->segment_header_size = FIELD(h, from, header, e_phentsize);
    h->sections_offset = FIELD(h, from, header, e_shoff);
    h->n_sections = FIELD(h, from, header, e_shnum);
    h->section_header_size = FIELD(h, from, header, e_shentsize);
    h->names_section = FIELD(h, from, header, e_shstrndx);
}

/* Counts that do not fit the file header stand in the first section header. All of these
 * headers are at the end of most files: what was cut off lacks them first. */
static void take_large_counts(struct elf_headers *h)
{
    struct elf_section first;
    uint64_t n_sections = h->n_sections;

    h->n_sections = 1;
    if (h->sections_offset == 0 || !elf_section_read(h, 0, &first)) {
        h->n_sections = 0;
        h->lacks_sections = h->sections_offset != 0;
        return;
    }
    h->n_sections = n_sections > 0 ? n_sections : first.size;
    if (h->n_segments == PN_XNUM)
        h->n_segments = first.info;
    if (h->names_section == SHN_XINDEX)
        h->names_section = first.link;
    h->lacks_sections =
        h->n_sections > 0 && !elf_section_read(h, h->n_sections - 1, &first);
}

/* As many headers as the file can hold, if it says more: they are what there is to read.
 */
static void limit_counts(struct elf_headers *h)
{
    uint64_t size = file_size(h->file);

    if (h->section_header_size == 0 || h->n_sections > size / h->section_header_size)
        h->n_sections = 0;
    if (h->segment_header_size == 0 || h->n_segments > size / h->segment_header_size)
        h->n_segments = 0;
}

bool elf_headers_read(struct elf_headers *h, struct file *file, struct text *why)
{
    union elf_struct from = {{0}};
    const unsigned char *bytes = from.bytes;

    *h = (struct elf_headers){.file = file};
    if (!file_read(file, 0, from.bytes, SIZE(h, header)) ||
        memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return text_fail(why, "not an ELF file");
    h->is_64 = bytes[EI_CLASS] == ELFCLASS64;
    h->swapped = bytes[EI_DATA] != HOST_DATA;
    if ((bytes[EI_CLASS] != ELFCLASS32 && !h->is_64) ||
        (bytes[EI_DATA] != ELFDATA2LSB && bytes[EI_DATA] != ELFDATA2MSB) ||
        !file_read(file, 0, from.bytes, SIZE(h, header)))
        return text_fail(why, "an ELF file with a broken header");
    take_header(h, &from);
    take_large_counts(h);
    limit_counts(h);
    return true;
}

/* ---- Tables ------------------------------------------------------------------------ */

/* Bytes of a file, for reads of a few bytes that are close to each other. */
struct piece {
    uint64_t offset;
    size_t size;
    unsigned char bytes[4096];
};

/* Reads from a piece, if there is one, which is read from `offset` on where it does not
 * have the bytes. */
static bool read_piece(const struct elf_headers *h, struct piece *piece, uint64_t offset,
                       void *to, size_t size)
{
    if (piece == NULL)
        return file_read(h->file, offset, to, size);
    if (offset < piece->offset || offset - piece->offset > piece->size ||
        size > piece->size - (offset - piece->offset)) {
        uint64_t rest = offset < file_size(h->file) ? file_size(h->file) - offset : 0;
        size_t taken = rest < sizeof(piece->bytes) ? (size_t)rest : sizeof(piece->bytes);

        piece->size = 0;
        if (size > taken || !file_read(h->file, offset, piece->bytes, taken))
            return file_read(h->file, offset, to, size);
        piece->offset = offset;
        piece->size = taken;
    }
    memcpy(to, piece->bytes + (offset - piece->offset), size);
    return true;
}

/* Reads one header of a table of headers, of which `size` bytes are known. */
static bool read_header(const struct elf_headers *h, struct piece *piece, uint64_t table,
                        uint64_t header_size, uint64_t index, unsigned char *to,
                        size_t size)
{
    if (header_size < size || index > (UINT64_MAX - table) / header_size)
        return false;
    return read_piece(h, piece, table + index * header_size, to, size);
}

bool elf_segment_read(const struct elf_headers *h, uint64_t index,
                      struct elf_segment *segment)
{
    union elf_struct from;

    if (index >= h->n_segments ||
        !read_header(h, NULL, h->segments_offset, h->segment_header_size, index,
                     from.bytes, SIZE(h, segment)))
        return false;
    *segment = (struct elf_segment){
        .type = (uint32_t)FIELD(h, &from, segment, p_type),
        .flags = (uint32_t)FIELD(h, &from, segment, p_flags),
        .offset = FIELD(h, &from, segment, p_offset),
        .vaddr = FIELD(h, &from, segment, p_vaddr),
        .file_size = FIELD(h, &from, segment, p_filesz),
        .memory_size = FIELD(h, &from, segment, p_memsz),
        .align = FIELD(h, &from, segment, p_align),
    };
    return true;
}

bool elf_segment_at(const struct elf_headers *h, uint64_t address,
                    struct elf_segment *segment)
{
    for (uint64_t i = 0; elf_segment_read(h, i, segment); i++) {
        if (segment->type == PT_LOAD && address >= segment->vaddr &&
            address - segment->vaddr < segment->file_size)
            return true;
    }
    return false;
}

static bool read_section(const struct elf_headers *h, struct piece *piece, uint64_t index,
                         struct elf_section *section)
{
    union elf_struct from;

    if (index >= h->n_sections ||
        !read_header(h, piece, h->sections_offset, h->section_header_size, index,
                     from.bytes, SIZE(h, section)))
        return false;
    *section = (struct elf_section){
        .name = (uint32_t)FIELD(h, &from, section, sh_name),
        .type = (uint32_t)FIELD(h, &from, section, sh_type),
        .flags = FIELD(h, &from, section, sh_flags),
        .address = FIELD(h, &from, section, sh_addr),
        .offset = FIELD(h, &from, section, sh_offset),
        .size = FIELD(h, &from, section, sh_size),
        .link = (uint32_t)FIELD(h, &from, section, sh_link),
        .info = (uint32_t)FIELD(h, &from, section, sh_info),
        .align = FIELD(h, &from, section, sh_addralign),
    };
    return true;
}

bool elf_section_read(const struct elf_headers *h, uint64_t index,
                      struct elf_section *section)
{
    return read_section(h, NULL, index, section);
}

/* Names are compared where they are: a section of names may be large. */
static bool has_name(const struct elf_headers *h, struct piece *piece,
                     const struct elf_section *names, const struct elf_section *section,
                     const char *name)
{
    char found[32];
    size_t size = strlen(name) + 1;

    return size <= sizeof(found) && section->name < names->size &&
           size <= names->size - section->name &&
           names->offset <= UINT64_MAX - section->name &&
           read_piece(h, piece, names->offset + section->name, found, size) &&
           memcmp(found, name, size) == 0;
}

bool elf_section_find(const struct elf_headers *h, const char *name,
                      struct elf_section *section)
{
    struct piece headers, text;
    struct elf_section names;

    headers.offset = text.offset = headers.size = text.size = 0;
    if (!elf_section_read(h, h->names_section, &names) || names.type != SHT_STRTAB)
        return false;
    for (uint64_t i = 0; read_section(h, &headers, i, section); i++) {
        if (has_name(h, &text, &names, section, name))
            return true;
    }
    return false;
}

bool elf_has_bytes(const struct elf_headers *h, uint64_t offset, uint64_t size)
{
    uint64_t all = file_size(h->file);

    return size <= SIZE_MAX / 2 && size <= all && offset <= all - size;
}

unsigned char *elf_bytes_read(const struct elf_headers *h, uint64_t offset, uint64_t size)
{
    unsigned char *bytes;

    if (!elf_has_bytes(h, offset, size))
        return NULL;
    bytes = memory_reserve((size_t)size + 1);
    bytes[size] = 0;
    if (file_read(h->file, offset, bytes, (size_t)size))
        return bytes;
    memory_release(bytes);
    return NULL;
}

/* ---- Symbols and numbers ----------------------------------------------------------- */

uint64_t elf_entry_size(const struct elf_headers *h)
{
    return SIZE(h, entry);
}

/* The macros that take st_info apart are the same for both classes. */
struct elf_entry elf_entry_get(const struct elf_headers *h, const unsigned char *bytes)
{
    union elf_struct from;
    unsigned char info;

    memcpy(&from, bytes, SIZE(h, entry));
    info = (unsigned char)FIELD(h, &from, entry, st_info);
    return (struct elf_entry){
        .name = (uint32_t)FIELD(h, &from, entry, st_name),
        .type = ELF64_ST_TYPE(info),
        .binding = ELF64_ST_BIND(info),
        .section = (uint16_t)FIELD(h, &from, entry, st_shndx),
        .value = FIELD(h, &from, entry, st_value),
        .size = FIELD(h, &from, entry, st_size),
    };
}

uint64_t elf_entry_point(const struct elf_headers *h)
{
    Elf64_Addr entry;

    if (!h->is_64 || h->swapped ||
        !file_read(h->file, offsetof(Elf64_Ehdr, e_entry), &entry, sizeof(entry)))
        return 0;
    return entry;
}

static uint64_t find_relocation(const struct elf_headers *h,
                                const struct elf_section *section, uint64_t address)
{
    uint64_t entry_size = elf_relocation_size(h, true);
    unsigned char *bytes = elf_bytes_read(h, section->offset, section->size);
    uint64_t found = 0;

    for (uint64_t at = 0; bytes && found == 0 && section->size - at >= entry_size;
         at += entry_size) {
        struct elf_relocation r = elf_relocation_get(h, true, bytes + at);

        if (r.offset == address && r.symbol == 0)
            found = r.addend;
    }
    memory_release(bytes);
    return found;
}

uint64_t elf_relocated_word(const struct elf_headers *h, uint64_t address)
{
    static const char *const names[] = {".rela", ".rela.dyn"};
    struct elf_section section;
    uint64_t found = 0;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && found == 0; i++) {
        if (elf_section_find(h, names[i], &section))
            found = find_relocation(h, &section, address);
    }
    return found;
}

uint32_t elf_word_get(const struct elf_headers *h, const unsigned char *bytes)
{
    uint32_t word;

    memcpy(&word, bytes, sizeof(word));
    return (uint32_t)FIELD_OF(h, word);
}

uint16_t elf_half_get(const struct elf_headers *h, const unsigned char *bytes)
{
    uint16_t half;

    memcpy(&half, bytes, sizeof(half));
    return (uint16_t)FIELD_OF(h, half);
}

uint64_t elf_relocation_size(const struct elf_headers *h, bool has_addend)
{
    return has_addend ? SIZE(h, rela) : SIZE(h, rel);
}

/* An entry without an addend is the start of one with it. */
struct elf_relocation elf_relocation_get(const struct elf_headers *h, bool has_addend,
                                         const unsigned char *bytes)
{
    union elf_struct from = {{0}};
    uint64_t info;

    memcpy(&from, bytes, elf_relocation_size(h, has_addend));
    info = FIELD(h, &from, rel, r_info);
    return (struct elf_relocation){
        .offset = FIELD(h, &from, rel, r_offset),
        .symbol = (uint32_t)(h->is_64 ? ELF64_R_SYM(info) : ELF32_R_SYM(info)),
        .type = (uint32_t)(h->is_64 ? ELF64_R_TYPE(info) : ELF32_R_TYPE(info)),
        .addend = has_addend ? FIELD(h, &from, rela, r_addend) : 0,
    };
}
