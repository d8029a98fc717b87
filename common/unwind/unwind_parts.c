/* SPDX-License-Identifier: BSD-2-Clause */
/* See unwind_parts.h. */
#include "unwind_parts.h"

#include <elf.h>
#include <fxt/compiler.h>

#include "common/base/memory.h"
#include "common/elf/elf_debugdata.h"

/* ---- Segments ---------------------------------------------------------------------- */

static void take_code(struct unwind_range *code, const struct elf_segment *segment)
{
    uint64_t limit;

    if (segment->type != PT_LOAD || (segment->flags & PF_X) == 0 ||
        segment->memory_size > UINT64_MAX - segment->vaddr)
        return;
    limit = segment->vaddr + segment->memory_size;
    if (code->limit == 0 || segment->vaddr < code->start)
        code->start = segment->vaddr;
    if (limit > code->limit)
        code->limit = limit;
}

static void find_code(struct unwind_parts *parts)
{
    struct elf_segment segment;

    for (uint64_t i = 0; elf_segment_read(&parts->headers, i, &segment); i++)
        take_code(&parts->source.code, &segment);
}

static bool find_segment(const struct elf_headers *headers, uint32_t type,
                         struct elf_segment *segment)
{
    for (uint64_t i = 0; elf_segment_read(headers, i, segment); i++) {
        if (segment->type == type)
            return true;
    }
    return false;
}

/* A file whose section headers were stripped: .eh_frame_hdr has a program header, and
 * leads to .eh_frame, which is in the same segment. */
static void find_by_segment(struct unwind_parts *parts)
{
    struct unwind_source *source = &parts->source;
    struct elf_segment header;
    struct elf_segment loaded;
    struct unwind_bytes all;

    if (!find_segment(&parts->headers, PT_GNU_EH_FRAME, &header) ||
        !elf_segment_at(&parts->headers, header.vaddr, &loaded))
        return;
    parts->eh_frame = elf_bytes_read(&parts->headers, loaded.offset, loaded.file_size);
    if (!parts->eh_frame)
        return;
    all = (struct unwind_bytes){parts->eh_frame, loaded.file_size, loaded.vaddr};
    if (!unwind_source_by_header(source, &all, header.vaddr))
        source->header = source->eh_frame = (struct unwind_bytes){NULL, 0, 0};
}

/* ---- Sections ---------------------------------------------------------------------- */

static void find_eh_frame(struct unwind_parts *parts)
{
    struct elf_section section;

    if (!elf_section_find(&parts->headers, ".eh_frame", &section)) {
        find_by_segment(parts);
        return;
    }
    if (section.type == SHT_NOBITS || parts->leaves_eh_frame)
        return;
    parts->eh_frame = elf_bytes_read(&parts->headers, section.offset, section.size);
    if (parts->eh_frame)
        parts->source.eh_frame =
            (struct unwind_bytes){parts->eh_frame, section.size, section.address};
}

/* Returns whether a file has the section. */
static bool find_debug_frame_in(struct unwind_parts *parts,
                                const struct elf_headers *headers)
{
    struct elf_section section;
    uint64_t size = 0;

    if (!elf_section_find(headers, ".debug_frame", &section) &&
        !elf_section_find(headers, ".zdebug_frame", &section))
        return false;
    if (section.type == SHT_NOBITS || section.size == 0)
        return false;
    parts->debug_frame = unwind_section_read(headers, &section, &size);
    parts->is_compression_bad = !parts->debug_frame;
    if (parts->debug_frame)
        parts->source.debug_frame = (struct unwind_bytes){parts->debug_frame, size, 0};
    return true;
}

/* A stripped file can have it in .gnu_debugdata. Damage to that is reported where its
 * symbols are read. */
static void find_debug_frame(struct unwind_parts *parts)
{
    const char *damage = NULL;
    struct text why = {NULL, 0, 0};
    struct elf_headers headers;
    unsigned char *data;
    struct file *file;
    size_t size = 0;

    if (find_debug_frame_in(parts, &parts->headers))
        return;
    data = elf_debugdata_read(&parts->headers, &size, &damage);
    if (data == NULL)
        return;
    file = file_from_memory(data, size);
    if (elf_headers_read(&headers, file, &why) && headers.is_64 == parts->headers.is_64 &&
        headers.swapped == parts->headers.swapped)
        find_debug_frame_in(parts, &headers);
    file_close(file);
    text_free(&why);
    memory_release(data);
}

static void find_init(struct unwind_parts *parts)
{
    static const char *const names[] = {".init", ".fini"};
    struct elf_section section;

    for (unsigned i = 0; i < 2; i++) {
        if (elf_section_find(&parts->headers, names[i], &section) &&
            section.size <= UINT64_MAX - section.address)
            parts->source.init[i] =
                (struct unwind_range){section.address, section.address + section.size};
    }
}

/* ---- Go ---------------------------------------------------------------------------- */

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

static void find_go(struct unwind_parts *parts)
{
    const struct elf_headers *headers = &parts->headers;
    struct elf_section section;

    if (!elf_section_find(headers, ".gopclntab", &section) &&
        !elf_section_find(headers, ".data.rel.ro.gopclntab", &section))
        return;
    parts->go = elf_bytes_read(headers, section.offset, section.size);
    if (parts->go)
        parts->source.go = (struct unwind_bytes){parts->go, section.size,
                                                 find_text(headers, section.address)};
}

/* ---- All --------------------------------------------------------------------------- */

enum unwind_code unwind_parts_read(struct unwind_parts *parts, struct file *file,
                                   struct text *why)
{
    struct elf_headers *headers = &parts->headers;

    if (!elf_headers_read(headers, file, why))
        return UNWIND_E_FILE;
    parts->source.machine = headers->machine;
    if (!headers->is_64 || headers->swapped != FXT_HOST_IS_BIG_ENDIAN ||
        !unwind_machine_is_known(headers->machine)) {
        text_str(why, unwind_code_message(UNWIND_E_MACHINE));
        return UNWIND_E_MACHINE;
    }
    parts->source.entry = elf_entry_point(headers);
    find_code(parts);
    find_init(parts);
    find_eh_frame(parts);
    find_debug_frame(parts);
    find_go(parts);
    return UNWIND_OK;
}

void unwind_parts_free(struct unwind_parts *parts)
{
    memory_release(parts->eh_frame);
    memory_release(parts->debug_frame);
    memory_release(parts->go);
}
