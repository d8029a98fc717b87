/* SPDX-License-Identifier: BSD-2-Clause */
/* See elf_starts.h. */
#include "elf_starts.h"

#include <elf.h>
#include <string.h>

/* Files of 64 bits in this machine's byte order, as those that have unwind tables. */
enum { ENTRY_CODE = 64 };

static void add(struct elf_starts *starts, uint64_t start, uint64_t limit,
                const char *name)
{
    if (start != 0 && starts->n < ELF_STARTS_MAX)
        starts->items[starts->n++] = (struct elf_start){start, limit, name};
}

/* ---- The entry --------------------------------------------------------------------- */

/* Reads code at an address; returns how many bytes there are. */
static size_t read_code(const struct elf_headers *h, uint64_t address,
                        unsigned char *code, size_t size)
{
    struct elf_segment segment;

    for (uint64_t i = 0; elf_segment_read(h, i, &segment); i++) {
        uint64_t at = address - segment.vaddr;

        if (segment.type != PT_LOAD || address < segment.vaddr || at >= segment.file_size)
            continue;
        if (size > segment.file_size - at)
            size = (size_t)(segment.file_size - at);
        return file_read(h->file, segment.offset + at, code, size) ? size : 0;
    }
    return 0;
}

static uint64_t offset_at(const unsigned char *bytes)
{
    int32_t offset;

    memcpy(&offset, bytes, sizeof(offset));
    return (uint64_t)(int64_t)offset;
}

static bool begins_with(const unsigned char *code, size_t n, const unsigned char *with,
                        size_t size)
{
    return n >= size && memcmp(code, with, size) == 0;
}

/* glibc's _start passes main to __libc_start_main in RDI: by an address relative to the
 * instruction, or in programs at fixed addresses as it is. */
static uint64_t find_main_x86_64(const unsigned char *code, size_t n, uint64_t address)
{
    static const unsigned char endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
    /* xor %ebp, %ebp; mov %rdx, %r9; pop %rsi; mov %rsp, %rdx; and $-16, %rsp */
    static const unsigned char begin[] = {0x31, 0xed, 0x49, 0x89, 0xd1, 0x5e, 0x48,
                                          0x89, 0xe2, 0x48, 0x83, 0xe4, 0xf0};
    size_t i = begins_with(code, n, endbr, sizeof(endbr)) ? sizeof(endbr) : 0;

    if (!begins_with(code + i, n - i, begin, sizeof(begin)))
        return 0;
    for (i += sizeof(begin); i + 7 <= n; i++) {
        if (code[i] == 0x48 && code[i + 1] == 0x8d && code[i + 2] == 0x3d)
            return address + i + 7 + offset_at(code + i + 3);
        if (code[i] == 0x48 && code[i + 1] == 0xc7 && code[i + 2] == 0xc7)
            return offset_at(code + i + 3);
    }
    return 0;
}

static void add_entry(struct elf_starts *starts, const struct elf_headers *h)
{
    uint64_t entry = elf_entry_point(h);
    unsigned char code[ENTRY_CODE];
    size_t n;

    if (entry == 0 || (h->type != ET_EXEC && h->type != ET_DYN))
        return;
    add(starts, entry, 0, "_start");
    n = read_code(h, entry, code, sizeof(code));
    if (h->machine == EM_X86_64)
        add(starts, find_main_x86_64(code, n, entry), 0, "main");
}

/* ---- Sections ---------------------------------------------------------------------- */

static void add_section(struct elf_starts *starts, const struct elf_headers *h,
                        const char *section_name, const char *name)
{
    struct elf_section section;

    if (elf_section_find(h, section_name, &section) && section.size > 0 &&
        section.size <= UINT64_MAX - section.address)
        add(starts, section.address, section.address + section.size, name);
}

void elf_starts_read(struct elf_starts *starts, const struct elf_headers *h)
{
    starts->n = 0;
    if (!h->is_64 || h->swapped)
        return;
    add_entry(starts, h);
    add_section(starts, h, ".init", "_init");
    add_section(starts, h, ".fini", "_fini");
}
