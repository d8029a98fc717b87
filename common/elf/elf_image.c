/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_image.h. */
#include "elf_image.h"

#include <elf.h>
#include <string.h>

#include "common/base/memory.h"

/* What an image is loaded to starts at a page, even where its first segment does not. */
enum { PAGE = 4096 };

/* How many bytes of notes are searched for a build id. */
enum { NOTES_MAX = 1 << 20 };

/* ---- Segments ---------------------------------------------------------------------- */

/* Returns false if there are more segments with code than can be kept. */
static bool read_segments(struct elf_image *image, const struct elf_headers *h)
{
    struct elf_segment segment;

    image->lowest = UINT64_MAX;
    for (uint64_t i = 0; elf_segment_read(h, i, &segment); i++) {
        if (segment.type != PT_LOAD || segment.memory_size == 0 ||
            segment.memory_size > UINT64_MAX - segment.vaddr)
            continue;
        if (segment.vaddr < image->lowest)
            image->lowest = segment.vaddr / PAGE * PAGE;
        if (!(segment.flags & PF_X))
            continue;
        if (image->n_code == ELF_CODE_MAX)
            return false;
        image->code[image->n_code++] = (struct elf_code){
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
static bool find_build_id(struct elf_image *image, const struct elf_headers *h,
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
            memcpy(image->build_id, notes + id_at, (size_t)id_size);
            image->build_id_size = (size_t)id_size;
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
static bool read_notes(struct elf_image *image, const struct elf_headers *h,
                       uint64_t offset, uint64_t size, uint64_t align, uint64_t *left)
{
    unsigned char *notes = size <= *left ? elf_bytes_read(h, offset, size) : NULL;
    bool found = notes != NULL && find_build_id(image, h, notes, size, align);

    if (notes != NULL)
        *left -= size;
    memory_release(notes);
    return found;
}

/* Programs have segments of notes; kernels often only sections. */
static void read_build_id(struct elf_image *image, const struct elf_headers *h)
{
    struct elf_segment segment;
    struct elf_section section;
    uint64_t left = NOTES_MAX;

    for (uint64_t i = 0; elf_segment_read(h, i, &segment); i++) {
        if (segment.type == PT_NOTE &&
            read_notes(image, h, segment.offset, segment.file_size, segment.align, &left))
            return;
    }
    for (uint64_t i = 0; elf_section_read(h, i, &section); i++) {
        if (section.type == SHT_NOTE &&
            read_notes(image, h, section.offset, section.size, section.align, &left))
            return;
    }
}

/* ---- The whole --------------------------------------------------------------------- */

bool elf_image_read(struct elf_image *image, const struct elf_headers *h,
                    struct text *why)
{
    *image = (struct elf_image){.n_code = 0};
    if (h->type != ET_EXEC && h->type != ET_DYN)
        return text_fail(why, "an ELF file that is not a program, library or kernel");
    if (!read_segments(image, h) || image->n_code == 0)
        return text_fail(why, image->n_code == 0
                                  ? "an ELF file without an executable segment"
                                  : "an ELF file with too many executable segments");
    read_build_id(image, h);
    return true;
}

bool elf_has_build_id(struct file *file, const unsigned char *build_id, size_t size)
{
    struct text why = {NULL, 0, 0};
    struct elf_headers headers;
    struct elf_image image = {.n_code = 0};

    if (elf_headers_read(&headers, file, &why))
        read_build_id(&image, &headers);
    text_free(&why);
    return image.build_id_size == size && memcmp(image.build_id, build_id, size) == 0;
}

const struct elf_code *elf_image_find_code(const struct elf_image *image,
                                           uint64_t address)
{
    for (size_t i = 0; i < image->n_code; i++) {
        if (address >= image->code[i].vaddr && address < image->code[i].limit)
            return &image->code[i];
    }
    return NULL;
}
